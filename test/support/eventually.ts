// Waiting for what another thread or process does, without a fixed sleep.
import { setTimeout as pause } from 'node:timers/promises';

// In no hurry, so that a busy machine fails no test.
const PATIENCE_MS = 45_000;
// To look more often would take from the machine what the test waits for.
const INTERVAL_MS = { first: 5, last: 50 };

/** Resolves with what `assertion` returns, once it holds. Rejects as `assertion` does if it never holds. */
export const eventually = async <T>(assertion: () => T | Promise<T>): Promise<T> => {
  const giveUp = performance.now() + PATIENCE_MS;
  for (let interval = INTERVAL_MS.first; ; interval = Math.min(1.5 * interval, INTERVAL_MS.last)) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > giveUp) throw error;
    }
    await pause(interval);
  }
};
