// Waits for the effects of another thread or process without a fixed sleep.
import { setTimeout as pause } from 'node:timers/promises';

// Long, so that no test fails only because the machine is busy.
const TIMEOUT_MS = Number(process.env['EVENTUALLY_MS'] ?? 90_000);
// Polling more often would slow down what the test waits for.
const INTERVAL_MS = { first: 5, last: 50 };

/**
 * Calls `assertion` until it succeeds and returns its result. Rejects with its last error if it does not succeed within
 * `timeoutMs`.
 */
export const eventually = async <T>(assertion: () => T | Promise<T>, timeoutMs = TIMEOUT_MS): Promise<T> => {
  const giveUp = performance.now() + timeoutMs;
  for (let interval = INTERVAL_MS.first; ; interval = Math.min(1.5 * interval, INTERVAL_MS.last)) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > giveUp) throw error;
    }
    await pause(interval);
  }
};
