// Rebuilds as jobs: they outlive the operator's terminal, and one that fails is kept as a dead letter with its reason.
import { setTimeout as pause } from 'node:timers/promises';
import type { Checkpoint, Views } from '../infrastructure/views/views.js';
import type { Job, QueueWorker, Work, WorkerOptions } from '../infrastructure/work/work.js';
import type { Projection } from './projection.js';

/** The queue of the rebuilds. */
export const REBUILD_QUEUE = 'projection-rebuilds';

// A rebuild that takes longer goes on: the next attempt finds it where it is.
const OPTIONS: WorkerOptions = { attempts: 3, backoffMs: 60_000, timeoutMs: 2 * 3_600_000 };
const LOOK_EVERY_MS = 500;

interface RebuildStores {
  readonly views: Views;
  readonly work: Work;
}

/** What a job says: which read model, and the number of the generation that is to be replaced. */
interface Rebuild {
  readonly projection: string;
  readonly replaces: number;
}

/**
 * Enqueues the rebuild of a prepared projection. `isNew` is false where the same rebuild is queued already, or was and
 * failed: its id names the generation that it replaces.
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

/** Works the queue: starts each generation, and waits until the workers' runners have brought it live. */
export const startRebuilds = (
  { views, work }: RebuildStores,
  projections: readonly Projection[],
  options: WorkerOptions = OPTIONS,
): QueueWorker => work.process(REBUILD_QUEUE, (job, signal) => rebuild(views, projections, job, signal), options);

// Delivered again it finds the generation that it started, or that it is done.
const rebuild = async (views: Views, projections: readonly Projection[], { data }: Job, signal: AbortSignal) => {
  const { projection: name, replaces } = data as Rebuild;
  const projection = projections.find((known) => known.name === name);
  if (projection === undefined) throw new Error(`this version has no projection ${name}`);
  for (let started: number | undefined; ; await pause(LOOK_EVERY_MS, undefined, { signal })) {
    const checkpoints = (await views.checkpoints()).filter((checkpoint) => checkpoint.projection === name);
    // A job is never run again after it finished, so its effects must be durable before that.
    if ((liveOf(checkpoints, name)?.number ?? 0) > replaces) return views.flush();
    // One that builds already may be live before it could be asked for again, which would start another one.
    started ??= checkpoints.find(({ state }) => state === 'building')?.number;
    started ??= (await views.startGeneration(projection)).number;
    const stopped = checkpoints.find(({ number }) => number === started)?.stopped;
    if (stopped !== undefined) throw new Error(`stopped before ${stopped.position}: ${stopped.reason}`);
  }
};

const liveOf = (checkpoints: readonly Checkpoint[], name: string): Checkpoint | undefined =>
  checkpoints.find(({ projection, state }) => projection === name && state === 'live');
