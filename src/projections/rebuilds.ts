// Rebuilds as jobs: a job outlives the operator's terminal, and a failed job is kept as a dead letter with its reason.
import { setTimeout as pause } from 'node:timers/promises';
import type { Checkpoint, Views } from '../infrastructure/views/views.js';
import type { Job, QueueWorker, Work, WorkerOptions } from '../infrastructure/work/work.js';
import type { Projection } from './projection.js';

/** The queue of the rebuilds. */
export const REBUILD_QUEUE = 'projection-rebuilds';

// A rebuild that takes longer continues: the next attempt finds it.
const OPTIONS: WorkerOptions = { attempts: 3, backoffMs: 60_000, timeoutMs: 2 * 3_600_000 };
const POLL_MS = 500;

interface RebuildStores {
  readonly views: Views;
  readonly work: Work;
}

/** The data of a job: the read model, and the number of the generation to replace. */
interface Rebuild {
  readonly projection: string;
  readonly replaces: number;
}

/**
 * Enqueues the rebuild of a prepared projection. `isNew` is false if the same rebuild is queued already or has failed:
 * its id names the generation that it replaces.
 */
export const queueRebuild = async (
  { views, work }: RebuildStores,
  { name }: Projection,
): Promise<{ readonly id: string; readonly isNew: boolean }> => {
  const replaces = liveOf(await views.checkpoints(), name)?.number ?? 0;
  const id = `${name}-${replaces}`;
  const data: Rebuild = { projection: name, replaces };
  return { id, isNew: await work.enqueue({ queue: REBUILD_QUEUE, id, data }) };
};

/** Processes the queue: starts each generation, and waits until the runners of the workers have made it live. */
export const startRebuilds = (
  { views, work }: RebuildStores,
  projections: readonly Projection[],
  options: WorkerOptions = OPTIONS,
): QueueWorker => work.process(REBUILD_QUEUE, (job, signal) => rebuild(views, projections, job, signal), options);

// A job that is delivered again finds the generation that it started, or that the rebuild is done.
const rebuild = async (views: Views, projections: readonly Projection[], { data }: Job, signal: AbortSignal) => {
  const { projection: name, replaces } = data as Rebuild;
  const projection = projections.find((known) => known.name === name);
  if (projection === undefined) throw new Error(`this version has no projection ${name}`);
  for (let started: number | undefined; ; await pause(POLL_MS, undefined, { signal })) {
    const checkpoints = (await views.checkpoints()).filter((checkpoint) => checkpoint.projection === name);
    // A job never runs again after it finished, so its effects must be durable before that.
    if ((liveOf(checkpoints, name)?.number ?? 0) > replaces) return views.flush();
    // A generation that is building already may go live before `startGeneration`, which would then start another one.
    started ??= checkpoints.find(({ state }) => state === 'building')?.number;
    started ??= (await views.startGeneration(projection)).number;
    const stopped = checkpoints.find(({ number }) => number === started)?.stopped;
    if (stopped !== undefined) throw new Error(`stopped before ${stopped.position}: ${stopped.reason}`);
  }
};

const liveOf = (checkpoints: readonly Checkpoint[], name: string): Checkpoint | undefined =>
  checkpoints.find(({ projection, state }) => projection === name && state === 'live');
