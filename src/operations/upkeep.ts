// Periodic maintenance. Each run of each task is a job, which one of the workers runs. The vault remembers the runs, so
// that a restart repeats none.
import type { AllStores } from '../infrastructure/stores.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { doubling, type NewJob, type Queue, type QueueWorker } from '../infrastructure/work/work.js';
import { allProjections } from '../projections/all.js';
import { forgetLeftovers } from './erase-secrets.js';
import { reclaim } from './reclaim.js';

const MINUTE_MS = 60_000;

export const UPKEEP_QUEUE: Queue = {
  name: 'upkeep',
  pausesMs: doubling(10_000, 4),
  // The rewrite of large files takes minutes.
  timeoutMs: 10 * MINUTE_MS,
  concurrency: 1,
};

// A new number makes the first start of this version claim values at once. Raise it if values are compared in another way.
const COMPARISON = 3;

const PURGE_BATCH = 1_000;
const OUTBOX_INTERVAL_MS = 60 * MINUTE_MS;
// How long to wait before the next runs are planned, and before runs are planned again that the queue refused.
const ROUND_MS = 30 * MINUTE_MS;
const RETRY_MS = 30_000;

type Stores = Pick<AllStores, 'facts' | 'vault' | 'views' | 'work' | 'outbox' | 'serviceKey'>;

interface Task {
  readonly intervalMs: number;
  readonly run: (stores: Stores, signal: AbortSignal) => Promise<void>;
}

const tasks: Readonly<Record<string, Task>> = {
  forget: { intervalMs: 60 * MINUTE_MS, run: forgetLeftovers },
  reclaim: { intervalMs: 24 * 60 * MINUTE_MS, run: reclaim },
  purge: { intervalMs: 60 * MINUTE_MS, run: ({ vault }, signal) => purge(vault, signal) },
};

const RUN = 'upkeep-run';

/**
 * Starts the upkeep: it removes expired records from the vault and old messages from the outbox, drops abandoned read
 * models, makes the stores drop the bytes of erased persons, and claims unclaimed values. Closing waits for the current
 * job. `onError` is called with the error of each failed task. A run that the queue refuses is planned again after
 * `retryMs` milliseconds.
 */
export const startUpkeep = (
  stores: Stores,
  onError: (error: unknown) => void,
  retryMs: number = RETRY_MS,
): QueueWorker => {
  const { work, outbox, views } = stores;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  // The first round, and the first after a refusal, also plan what is due already.
  const planRound = async (isBehind: boolean): Promise<void> => {
    const enqueued = jobsAt(Date.now(), isBehind).map((job) => work.enqueue(job));
    const isPlanned = await Promise.all(enqueued).then(
      () => true,
      (error: unknown) => {
        onError(error);
        return false;
      },
    );
    if (!isClosed) timer = setTimeout(planRound, isPlanned ? ROUND_MS : retryMs, !isPlanned).unref();
  };
  void planRound(true);
  const names = allProjections.map(({ name }) => name);
  // This is not a job, because each worker has its own outbox.
  const sweep = () => void Promise.all([outbox.removeOld(), views.abandon(names)]).catch(onError);
  sweep();
  const sweeps = setInterval(sweep, OUTBOX_INTERVAL_MS).unref();
  const worker = work.process(UPKEEP_QUEUE, ({ id }, signal) => run(stores, id, signal));
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      clearInterval(sweeps);
      await worker.close();
    },
  };
};

// The id contains the turn, so that several processes enqueue only one job.
const jobsAt = (now: number, isBehind: boolean): readonly NewJob[] =>
  Object.entries(tasks).flatMap(([name, { intervalMs }]) => {
    const next = Math.ceil(now / intervalMs);
    const turns = isBehind ? [Math.floor(now / intervalMs), next] : [next];
    return turns.map((turn) => ({
      queue: UPKEEP_QUEUE,
      id: `${name}-${turn}.${COMPARISON}`,
      data: {},
      runAt: turn * intervalMs,
    }));
  });

const run = async (stores: Stores, id: string, signal: AbortSignal): Promise<void> => {
  const task = tasks[id.slice(0, id.lastIndexOf('-'))];
  if (task === undefined) throw new Error(`there is no upkeep task ${id}: a newer version planned it`);
  const record = { kind: RUN, key: id };
  if ((await stores.vault.get(record)) !== undefined) return;
  await task.run(stores, signal);
  signal.throwIfAborted();
  // After two turns, no process plans this run again.
  await stores.vault.insert({ ...record, value: null, expiresAt: Date.now() + 2 * task.intervalMs });
};

const purge = async (vault: Vault, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted && (await vault.purgeExpired(PURGE_BATCH)) === PURGE_BATCH);
};
