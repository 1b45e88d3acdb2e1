// Watches how long an event loop is held, in this process or in a service.
import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';

/** The longest time in milliseconds that a task may keep an event loop from everything else. */
const LONGEST_HOLD_MS = 50;
// A probe of a service waits for other programs, too.
const LONGEST_PROBE_MS = 150;
// Another program on the machine can delay a run. Code that holds the loop holds it in every run.
const RUNS = 3;

/** Returns for how many milliseconds this thread had a processor. Without Linux, counts the whole process. */
const usedMs = (): number => {
  if (process.platform === 'linux') {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1_000_000;
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Returns a clock in milliseconds, from its start, that stands still while others have the processor. */
const ownClock = () => {
  const [begun, used] = [performance.now(), usedMs()];
  return () => Math.min(performance.now() - begun, usedMs() - used);
};

const wallClock = () => {
  const begun = performance.now();
  return () => performance.now() - begun;
};

/**
 * Returns the longest time in milliseconds that `probe` took while `task` ran. Probes follow each other without a pause.
 * The default probe is a turn of this process's event loop; for a service it is a request that needs no other work.
 */
export const longestHold = async (task: () => Promise<unknown>, probe?: () => Promise<unknown>): Promise<number> => {
  const [once, clock] = probe === undefined ? [turn, ownClock] : [probe, wallClock];
  await once();
  let isDone = false;
  const running = task().finally(() => {
    isDone = true;
  });
  let longest = 0;
  do {
    const elapsed = clock();
    await once();
    longest = Math.max(longest, elapsed());
  } while (!isDone);
  await running;
  return longest;
};

/** Fails if each of a few runs of `task` keeps the event loop from `probe` for too long. */
export const expectTurns = async (
  task: () => Promise<unknown>,
  probe?: () => Promise<unknown>,
  ms = probe === undefined ? LONGEST_HOLD_MS : LONGEST_PROBE_MS,
): Promise<void> => {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && least > ms; run += 1) least = Math.min(least, await longestHold(task, probe));
  expect(least, 'milliseconds for which the event loop was held').toBeLessThanOrEqual(ms);
};
