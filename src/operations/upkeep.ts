// What has to be done from time to time: a job for each turn of each task, done by one worker of all.
import { setTimeout as pause } from 'node:timers/promises';
import type { Outbox } from '../infrastructure/notifier/notifier.js';
import { forgetLeftovers } from '../infrastructure/sealing/erasure.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import type { Views } from '../infrastructure/views/views.js';
import type { QueueWorker, Work } from '../infrastructure/work/work.js';
import { type FactsAndVault, FactsLost, moveWatermark } from './watermark.js';

/** The queue of the upkeep. */
export const UPKEEP_QUEUE = 'upkeep';

const MINUTE_MS = 60_000;
const PURGED_AT_ONCE = 1_000;
// The last look at the facts, when a worker stops, must not hold up its end.
const LAST_LOOK_MS = 1_500;
const OUTBOX_EVERY_MS = 60 * MINUTE_MS;

interface Stores extends FactsAndVault {
  readonly views: Views;
  readonly work: Work;
  readonly outbox: Pick<Outbox, 'removeOld'>;
}

interface Task {
  readonly everyMs: number;
  readonly run: (stores: Stores, signal: AbortSignal) => Promise<void>;
}

/** Every how many milliseconds the vault looks how far the facts have come. */
export const WATERMARK_EVERY_MS = 5 * MINUTE_MS;

const tasks: Readonly<Record<string, Task>> = {
  forget: { everyMs: 60 * MINUTE_MS, run: forgetLeftovers },
  purge: { everyMs: 60 * MINUTE_MS, run: ({ vault }, signal) => purge(vault, signal) },
  watermark: { everyMs: WATERMARK_EVERY_MS, run: moveWatermark },
};

/**
 * Works the upkeep: expired records leave the vault, old messages the outbox, the stores drop the bytes of erased persons,
 * and the vault notes how far the facts have come. Closing waits for the job in hand and looks at the facts a last time. `onError` hears of what
 * could not be done.
 */
export const startUpkeep = (stores: Stores, onError: (error: unknown) => void): QueueWorker => {
  const { work, outbox } = stores;
  // The id names the turn, so that of many processes one job comes.
  const plan = (name: string, { everyMs }: Task, turn: number) =>
    work
      .enqueue({ queue: UPKEEP_QUEUE, id: `${name}-${turn}`, data: {}, runAt: turn * everyMs })
      .catch((error: unknown) => onError(error));
  const timers = Object.entries(tasks).map(([name, task]) => {
    const planNext = () => void plan(name, task, Math.ceil(Date.now() / task.everyMs));
    // What was due while nobody worked is done at once.
    void plan(name, task, Math.floor(Date.now() / task.everyMs));
    planNext();
    return setInterval(planNext, task.everyMs / 2).unref();
  });
  // No job: each worker has an outbox of its own.
  const sweep = () => void outbox.removeOld().catch(onError);
  sweep();
  timers.push(setInterval(sweep, OUTBOX_EVERY_MS).unref());
  const options = { attempts: 5, backoffMs: 10_000, timeoutMs: MINUTE_MS };
  const worker = work.process(UPKEEP_QUEUE, ({ id }, signal) => run(stores, id, signal).catch(told(onError)), options);
  return {
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      await worker.close();
      await lastLook(stores).catch(onError);
    },
  };
};

const run = async (stores: Stores, id: string, signal: AbortSignal): Promise<void> => {
  const task = tasks[id.slice(0, id.lastIndexOf('-'))];
  if (task === undefined) throw new Error(`there is no upkeep called ${id}: a newer version planned it`);
  await task.run(stores, signal);
};

// Trying again brings no lost fact back; the next turn reports it again.
const told =
  (onError: (error: unknown) => void) =>
  (error: unknown): void => {
    if (!(error instanceof FactsLost)) throw error;
    onError(error);
  };

const lastLook = async (stores: FactsAndVault): Promise<void> => {
  const looking = moveWatermark(stores, AbortSignal.timeout(LAST_LOOK_MS));
  const tooLate = pause(LAST_LOOK_MS, undefined, { ref: false });
  await Promise.race([looking, tooLate]);
};

const purge = async (vault: Vault, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted && (await vault.purgeExpired(PURGED_AT_ONCE)) === PURGED_AT_ONCE);
};
