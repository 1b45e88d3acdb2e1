// `npm run cli -- projections …`: how far the read models are, and what an operator may do about them.
import { setTimeout as pause } from 'node:timers/promises';
import { createMetrics } from '../http/metrics.js';
import type { Checkpoint, Generation, Partition } from '../infrastructure/views/views.js';
import { allProjections } from '../projections/all.js';
import { Progress } from '../projections/progress.js';
import type { Projection } from '../projections/projection.js';
import { queueRebuild, REBUILD_QUEUE } from '../projections/rebuilds.js';
import { ProjectionRunner } from '../projections/runner.js';
import type { AllStores } from '../stores.js';
import { type Commands, log } from './command.js';
import { skipEvent, skipOptions, skippedLines } from './skip.js';
import { UsageError } from './usage-error.js';

const LOOK_EVERY_MS = 200;

const projectionNamed = (name: string | undefined): Projection => {
  const found = allProjections.find((projection) => projection.name === name);
  const names = allProjections.map((projection) => projection.name).join(', ');
  if (found === undefined) throw new UsageError(`name a projection: ${names}`);
  return found;
};

const checkpointsOf = async ({ views }: AllStores, name?: string): Promise<readonly Checkpoint[]> =>
  (await views.checkpoints()).filter(({ projection }) => name === undefined || projection === name);

const list = async (stores: AllStores): Promise<void> => {
  const head = (await stores.facts.head()) ?? 'empty';
  console.log(`log: ${head}`);
  for (const { projection, number, partition, version, state, position, stopped, heldBy } of await checkpointsOf(
    stores,
  )) {
    const which = `generation ${number}${partOf(partition)}`;
    console.log(`${projection}  ${which}  version ${version}  ${state}  ${position ?? 'nothing folded yet'}`);
    if (stopped !== undefined) console.log(`  stopped before ${stopped.position}: ${stopped.reason}`);
    if (heldBy !== undefined) console.log(`  run by ${heldBy}`);
  }
  const skipped = await Promise.all(allProjections.map(({ name }) => skippedLines(stores.facts, name)));
  for (const line of skipped.flat()) console.log(line);
};

const partOf = (partition: Partition | undefined) =>
  partition === undefined ? '' : ` part ${partition.index + 1}/${partition.of}`;

const retry = async (stores: AllStores, name: string | undefined): Promise<void> => {
  const projection = projectionNamed(name);
  const stopped = (await checkpointsOf(stores, projection.name)).filter(
    (checkpoint) => checkpoint.stopped !== undefined,
  );
  for (const checkpoint of stopped) await stores.views.setStopped(checkpoint, undefined);
  console.log(
    stopped.length === 0 ? `${projection.name} is not stopped` : `${projection.name} goes on with the next worker`,
  );
};

const skip = async (stores: AllStores, ...given: readonly (string | undefined)[]): Promise<void> => {
  const { name, ...wanted } = skipOptions(given);
  const projection = projectionNamed(name);
  const { type, stream, revision } = await skipEvent(stores, projection, wanted);
  console.log(
    `${projection.name} leaves out ${type} in ${stream} at revision ${revision}, and goes on with the next worker`,
  );
};

const rebuild = async (stores: AllStores, name: string | undefined, how: string | undefined): Promise<void> => {
  const projection = projectionNamed(name);
  if (how === '--queue') await leaveToWorkers(stores, projection);
  else await rebuildHere(stores, projection, partitionsIn(how));
};

const leaveToWorkers = async (stores: AllStores, projection: Projection): Promise<void> => {
  const { id, isNew } = await queueRebuild(stores, projection);
  if (isNew) return console.log(`queued as ${id} in ${REBUILD_QUEUE}; projections list tells how far it is`);
  const failed = (await stores.work.deadLetters(REBUILD_QUEUE)).find((letter) => letter.id === id);
  if (failed === undefined) return console.log(`${id} is queued in ${REBUILD_QUEUE} already`);
  throw new UsageError(`${id} failed: ${failed.reason}; npm run cli -- jobs retry ${REBUILD_QUEUE} ${id}`);
};

const rebuildHere = async (stores: AllStores, projection: Projection, parts: number | undefined): Promise<void> => {
  const generation = await stores.views.startGeneration(projection, parts);
  const isBuilding = ({ number, state }: Checkpoint) => number === generation.number && state === 'building';
  const count = (await checkpointsOf(stores, projection.name)).filter(isBuilding).length;
  const inParts = count > 1 ? ` in ${count} parts` : '';
  console.log(
    `building generation ${generation.number} of ${projection.name}${inParts}; the one before it serves meanwhile`,
  );
  const isLeftTo = leftByWorkers();
  const progress = new Progress(stores.views);
  const builder = new ProjectionRunner(
    { ...stores, progress, log, metrics: createMetrics().projections },
    [projection],
    { isWanted: (checkpoint) => isBuilding(checkpoint) && checkpoint.stopped === undefined && isLeftTo(checkpoint) },
  );
  try {
    await untilLive(stores, generation);
  } finally {
    await builder.close();
  }
  console.log(`generation ${generation.number} of ${projection.name} is live`);
};

// The workers of a running service look for parts once a second, and have the first call on all but the first.
const WORKERS_CALL_MS = 1_500;

const leftByWorkers = () => {
  const until = performance.now() + WORKERS_CALL_MS;
  return ({ partition }: Checkpoint) => (partition?.index ?? 0) === 0 || performance.now() > until;
};

const MOST_PARTITIONS = 64;

const partitionsIn = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MOST_PARTITIONS) {
    throw new UsageError(`"${text}" is no number of parts: give one from 1 to ${MOST_PARTITIONS}, --queue, or nothing`);
  }
  return count;
};

const untilLive = async (stores: AllStores, { projection, number }: Generation): Promise<void> => {
  for (;;) {
    const parts = (await checkpointsOf(stores, projection)).filter((checkpoint) => checkpoint.number === number);
    if (parts.length === 0) throw new Error('the generation was dropped by another rebuild');
    const stopped = parts.find((checkpoint) => checkpoint.stopped !== undefined)?.stopped;
    if (stopped !== undefined) throw new Error(`stopped before ${stopped.position}: ${stopped.reason}`);
    if (parts.some(({ state }) => state === 'live')) return;
    await pause(LOOK_EVERY_MS);
  }
};

/** The commands on read models. */
export const projectionCommands: Commands = {
  'projections list': { usage: 'projections list', purpose: 'how far each read model has come', run: list },
  'projections rebuild': {
    usage: 'projections rebuild NAME [PARTS|--queue]',
    purpose: 'folds a read model anew beside the one that serves, then switches; --queue leaves it to the workers',
    run: rebuild,
  },
  'projections retry': {
    usage: 'projections retry NAME',
    purpose: 'lets a read model that stopped before a bad event try it again',
    run: retry,
  },
  'projections skip': {
    usage: 'projections skip NAME --position P --reason "…"',
    purpose: 'has a read model leave out the event that it stopped before, for good',
    run: skip,
  },
};
