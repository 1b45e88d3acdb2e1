import { expect, it } from 'vitest';
import { pauseAfter } from '../../src/infrastructure/work/attempt.js';
import { doubling, Final, Later } from '../../src/infrastructure/work/work.js';
import { queues } from '../../src/operations/jobs.js';

const MINUTE_MS = 60_000;

/** Returns when each attempt comes, in minutes after the first, if the pauses are the shortest. */
const attemptsAt = (pausesMs: readonly number[]): readonly number[] =>
  [0, ...pausesMs].map((_, n) => pausesMs.slice(0, n).reduce((sum, ms) => sum + ms, 0) / MINUTE_MS);

it('the queues try their jobs at fixed times', () => {
  const seconds = (...each: readonly number[]) => each.map((s) => s / 60);
  expect(queues.map(({ name, pausesMs }) => [name, attemptsAt(pausesMs)])).toEqual([
    ['notifications', [0, ...seconds(5, 30), 2, 5.2, 10.2, 20, 40]],
    ['decision-messages', seconds(0, ...doubling(8, 11).map((_, n) => 8 * (2 ** (n + 1) - 1)))],
    ['audit-proofs', [0, 1, 3]],
    ['upkeep', seconds(0, 10, 30, 70, 150)],
  ]);
});

it.each(queues)('a job of $name pauses for the time of its queue, and for up to a tenth more', (queue) => {
  for (const [n, ms] of queue.pausesMs.entries()) {
    const pause = pauseAfter(queue, n + 1, new Error('no luck'));
    expect(pause).toBeGreaterThanOrEqual(ms);
    expect(pause).toBeLessThanOrEqual(ms * 1.1);
    expect(pauseAfter(queue, n + 1, new Final('550'))).toBeUndefined();
    expect(pauseAfter(queue, n + 1, new Later('no reply', 3))).toBe(3);
  }
  expect(pauseAfter(queue, queue.pausesMs.length + 1, new Later('no reply', 3))).toBeUndefined();
});
