// Judges the responses of a service whose stores are unavailable.
import { expect } from 'vitest';
import type { ClientResponse } from '../../support/client.js';

// The longest chain of deadlines is 10 s; the rest is for a busy machine. A request that hangs takes longer.
const PATIENCE_MS = 20_000;

/** Returns the response, and expects it before a client would give up. */
export const respondedSoon = async <A>(response: Promise<A>): Promise<A> => {
  const began = performance.now();
  const received = await response;
  expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
  return received;
};

/** Expects a 503 problem that says when to retry. */
export const expectUnavailable = ({ status, headers }: ClientResponse): void => {
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
  expect(headers.get('content-type')).toContain('application/problem+json');
};
