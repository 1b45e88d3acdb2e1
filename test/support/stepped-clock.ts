// The clocks of a process, of which a test sets the wall clock and leaves the monotonic clock as it is.
import { setTimeout as aWhile } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far the clock is set in a test. */
export const steps: readonly (readonly [string, number])[] = [
  ['back by ten seconds', -10_000],
  ['back by an hour', -HOUR_MS],
  ['back by 400 days', -400 * DAY_MS],
  ['ahead by an hour', HOUR_MS],
  ['ahead by 400 days', 400 * DAY_MS],
];

export const stepsBack = steps.filter(([, ms]) => ms < 0);

/** Replaces `Date` and `performance.now()` until the test ends. */
export const steppedClock = () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return {
    /** Sets the wall clock. */
    step: (ms: number) => void vi.setSystemTime(Date.now() + ms),
    /** Lets time pass. Caches read their clock once per millisecond of real time. */
    pass: async (ms: number) => {
      vi.advanceTimersByTime(ms);
      await aWhile(3);
    },
  };
};
