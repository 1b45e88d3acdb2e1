// Waiting for what another thread or process does, without a fixed sleep.
import { vi } from 'vitest';

/** Resolves when `assertion` holds; in no hurry, so that a busy machine fails no test. */
export const eventually = <T>(assertion: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assertion, { timeout: 45_000, interval: 10 });
