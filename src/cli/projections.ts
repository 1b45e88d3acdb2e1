// `npm run cli -- projections …`: lists, retries and rebuilds read models.
import { setTimeout as pause } from 'node:timers/promises';
import type { Checkpoint, Generation } from '../infrastructure/views/views.js';
import { allProjections } from '../projections/all.js';
import type { SessionMetrics } from '../projections/generation-session.js';
import { Progress } from '../projections/progress.js';
import type { Projection } from '../projections/projection.js';
import { queueRebuild, REBUILD_QUEUE } from '../projections/rebuilds.js';
import { ProjectionRunner } from '../projections/runner.js';
import type { AllStores } from '../stores.js';
import { log } from './log.js';
import { UsageError } from './usage-error.js';

const POLL_MS = 200;

const projectionNamed = (name: string): Projection => {
  const found = allProjections.find((projection) => projection.name === name);
  const names = allProjections.map((projection) => projection.name).join(', ');
  if (found === undefined) throw new UsageError(`Read model ${name} does not exist. Pass one of: ${names}.`);
  return found;
};

const checkpointsOf = async ({ views }: AllStores, name?: string): Promise<readonly Checkpoint[]> =>
  (await views.checkpoints()).filter(({ projection }) => name === undefined || projection === name);

/** Prints the checkpoint of each read model. */
export const listProjections = async (stores: AllStores): Promise<void> => {
  const head = (await stores.facts.head()) ?? 'empty';
  console.log(`log: ${head}`);
  for (const { projection, number, version, state, position, stopped, heldBy } of await checkpointsOf(stores)) {
    console.log(`${projection}  generation ${number}  version ${version}  ${state}  ${position ?? 'no position yet'}`);
    if (stopped !== undefined) console.log(`  stopped before ${stopped.position}: ${stopped.reason}`);
    if (heldBy !== undefined) console.log(`  run by ${heldBy}`);
  }
};

/** Makes a stopped read model try again. */
export const retryProjection = async (stores: AllStores, name: string): Promise<void> => {
  const projection = projectionNamed(name);
  const stopped = (await checkpointsOf(stores, projection.name)).filter(
    (checkpoint) => checkpoint.stopped !== undefined,
  );
  for (const checkpoint of stopped) await stores.views.setStopped(checkpoint, undefined);
  console.log(
    stopped.length === 0 ? `${projection.name} is not stopped` : `${projection.name} resumes with the next worker`,
  );
};

/** Rebuilds a read model while the current generation stays live, or queues the rebuild for a worker. */
export const rebuildProjection = async (
  stores: AllStores,
  name: string,
  { queue }: { readonly queue?: boolean },
): Promise<void> => {
  const projection = projectionNamed(name);
  if (queue) await queueForWorkers(stores, projection);
  else await rebuildHere(stores, projection);
};

const queueForWorkers = async (stores: AllStores, projection: Projection): Promise<void> => {
  const { id, isNew } = await queueRebuild(stores, projection);
  if (isNew) return console.log(`queued as ${id} in ${REBUILD_QUEUE}; "projections list" shows its progress`);
  const failed = (await stores.work.deadLetters(REBUILD_QUEUE)).find((letter) => letter.id === id);
  if (failed === undefined) return console.log(`${id} is already queued in ${REBUILD_QUEUE}`);
  throw new UsageError(
    `${id} failed: ${failed.reason}; retry it with: npm run cli -- jobs retry ${REBUILD_QUEUE} ${id}`,
  );
};

const ignoredMetrics: SessionMetrics = { folded: () => undefined, stopped: () => undefined };

const rebuildHere = async (stores: AllStores, projection: Projection): Promise<void> => {
  const generation = await stores.views.startGeneration(projection);
  const isBuilding = ({ number, state }: Checkpoint) => number === generation.number && state === 'building';
  console.log(
    `building generation ${generation.number} of ${projection.name}; the previous generation stays live until then`,
  );
  const progress = new Progress(stores.views);
  const builder = new ProjectionRunner({ ...stores, progress, log, metrics: ignoredMetrics }, [projection], {
    isWanted: (checkpoint) => isBuilding(checkpoint) && checkpoint.stopped === undefined,
  });
  try {
    await untilLive(stores, generation);
  } finally {
    await builder.close();
  }
  console.log(`generation ${generation.number} of ${projection.name} is live`);
};

const untilLive = async (stores: AllStores, { projection, number }: Generation): Promise<void> => {
  for (;;) {
    const checkpoint = (await checkpointsOf(stores, projection)).find((each) => each.number === number);
    if (checkpoint === undefined) throw new Error('the generation was dropped by another rebuild');
    const { stopped, state } = checkpoint;
    if (stopped !== undefined) throw new Error(`stopped before ${stopped.position}: ${stopped.reason}`);
    if (state === 'live') return;
    await pause(POLL_MS);
  }
};
