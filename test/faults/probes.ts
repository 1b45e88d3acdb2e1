// Sends one request of each kind at the same time while an engine is unavailable, and judges the responses.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Institution } from '../http/samples.js';
import type { Client, ClientResponse } from '../support/client.js';
import { expectUnavailable } from './locking.js';

/** The status of the response to each kind of request. */
export interface Statuses {
  readonly write: number;
  readonly 'write under an Idempotency-Key': number;
  readonly 'read of one': number;
  /** The service reads it from the facts. */
  readonly 'read of one as of an instant': number;
  readonly list: number;
  readonly '/livez': number;
  readonly '/readyz': number;
  readonly '/metrics': number;
}

// The longest chain of deadlines is 10 s; the rest is for a busy machine. A request that hangs takes longer.
const PATIENCE_MS = 20_000;

/** Returns the response, and expects it before a client would give up. */
export const respondedSoon = async <A>(response: Promise<A>): Promise<A> => {
  const began = performance.now();
  const received = await response;
  expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
  return received;
};

/** Sends the requests. Expects failures to say when to retry, and `/readyz` to say why the service is not ready. */
export const probe = async (client: Client, known: Institution): Promise<Statuses> => {
  const { id, name, createdAt } = known;
  const sent: Record<keyof Statuses, Promise<ClientResponse>> = {
    write: client.post('/institutions', { name }),
    'write under an Idempotency-Key': client.post('/institutions', { name }, { 'Idempotency-Key': randomUUID() }),
    'read of one': client.get(`/institutions/${id}`),
    'read of one as of an instant': client.get(`/institutions/${id}?asOf=${createdAt}`),
    list: client.get('/institutions'),
    '/livez': client.get('/livez'),
    '/readyz': client.get('/readyz'),
    '/metrics': client.get('/metrics'),
  };
  const responses = Object.entries(sent).map(async ([kind, response]) => [
    kind,
    checkedStatus(kind, await respondedSoon(response)),
  ]);
  return Object.fromEntries(await Promise.all(responses));
};

const checkedStatus = (kind: string, response: ClientResponse): number => {
  if (kind === '/readyz' && response.status === 503) {
    expect(response.body).toMatchObject({ status: 'not-ready', reason: expect.stringMatching(/./) });
  } else if (response.status >= 300) {
    expectUnavailable(response);
  }
  return response.status;
};
