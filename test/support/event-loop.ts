// Watches how long an event loop is held, in this process or in a service.
import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';

/** The longest time in milliseconds that a task may keep an event loop from everything else. */
const LONGEST_HOLD_MS = 50;
// A probe of a service waits for its request, too.
const LONGEST_PROBE_MS = 150;
const LONGEST_WAIT_MS = 1_000;
// Another program on the machine can delay a run. Code that holds the loop holds it in every run.
const RUNS = 3;

/** A service in a process of its own. */
interface Watched {
  readonly pid: number;
  readonly url: string;
}

/** Returns for how many milliseconds a thread had a processor: the main thread of a service, or this thread. */
const usedMs = (service?: Watched): number => {
  const thread = service === undefined ? 'thread-self' : `${service.pid}/task/${service.pid}`;
  if (process.platform === 'linux') {
    return Number(readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000;
  }
  // Without Linux, the whole process counts, and every moment of a service.
  const { user, system } = process.cpuUsage();
  return service === undefined ? (user + system) / 1_000 : performance.now();
};

/**
 * Returns a clock in milliseconds, from its start, that stands still while others have the processor. A service that
 * responds only after a second may wait for something else than a processor, so that counts.
 */
const ownClock = (service?: Watched) => {
  const [begun, used] = [performance.now(), usedMs(service)];
  return () => {
    const elapsed = performance.now() - begun;
    return service !== undefined && elapsed > LONGEST_WAIT_MS ? elapsed : Math.min(elapsed, usedMs(service) - used);
  };
};

/**
 * Returns the longest time in milliseconds that `probe` took while `task` ran. Probes follow each other without a pause.
 * A probe is a turn of this process's event loop; for a service it is a request that needs no other work.
 */
export const longestHold = async (task: () => Promise<unknown>, service?: Watched): Promise<number> => {
  const livez = async () => void (await (await fetch(`${service?.url}/livez`)).arrayBuffer());
  const probe = service === undefined ? turn : livez;
  await probe();
  let isDone = false;
  const running = task().finally(() => {
    isDone = true;
  });
  let longest = 0;
  do {
    const elapsed = ownClock(service);
    await probe();
    longest = Math.max(longest, elapsed());
  } while (!isDone);
  await running;
  return longest;
};

/** Fails if each of a few runs of `task` keeps the event loop of this process or of a service from others for too long. */
export const expectTurns = async (
  task: () => Promise<unknown>,
  {
    service,
    ms = service === undefined ? LONGEST_HOLD_MS : LONGEST_PROBE_MS,
  }: { readonly service?: Watched; readonly ms?: number } = {},
): Promise<void> => {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && least > ms; run += 1) least = Math.min(least, await longestHold(task, service));
  expect(least, 'milliseconds for which the event loop was held').toBeLessThanOrEqual(ms);
};
