// The operator's tool: `npm run cli -- <command>`. It works on the stores that the environment names, beside a running
// service or without one.
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { readConfig } from './config.js';
import { createMetrics } from './http/metrics.js';
import type { Checkpoint, Generation, Partition } from './infrastructure/views/views.js';
import { allProjections } from './projections/all.js';
import { Progress } from './projections/progress.js';
import type { Projection } from './projections/projection.js';
import { ProjectionRunner } from './projections/runner.js';
import { type AllStores, openStores } from './stores.js';

interface Command {
  readonly usage: string;
  readonly purpose: string;
  readonly run: (stores: AllStores, ...given: readonly (string | undefined)[]) => Promise<void>;
}

const LOOK_EVERY_MS = 200;

/** What an operator did wrong, to be told without a trace. */
class UsageError extends Error {}

const log = pino({ level: 'warn' }, pino.destination(2));

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
  for (const { projection, number, partition, version, state, position, stopped } of await checkpointsOf(stores)) {
    const which = `generation ${number}${partOf(partition)}`;
    console.log(`${projection}  ${which}  version ${version}  ${state}  ${position ?? 'nothing folded yet'}`);
    if (stopped !== undefined) console.log(`  stopped before ${stopped.position}: ${stopped.reason}`);
  }
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

const rebuild = async (stores: AllStores, name: string | undefined, parts: string | undefined): Promise<void> => {
  const projection = projectionNamed(name);
  const generation = await stores.views.startGeneration(projection, partitionsIn(parts));
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
    throw new UsageError(`"${text}" is no number of parts: give one from 1 to ${MOST_PARTITIONS}, or leave it out`);
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

const queueNamed = (name: string | undefined): string => {
  if (name === undefined) throw new UsageError('name a queue, for example upkeep');
  return name;
};

const deadJobs = async ({ work }: AllStores, name: string | undefined): Promise<void> => {
  const queue = queueNamed(name);
  const dead = await work.deadLetters(queue);
  for (const { id, attempt, reason } of dead) console.log(`${id}  failed ${attempt} times, at last: ${reason}`);
  if (dead.length === 0) console.log(`${queue} has no dead letters`);
};

const retryJob = async ({ work }: AllStores, name: string | undefined, id: string | undefined): Promise<void> => {
  const queue = queueNamed(name);
  if (id === undefined) throw new UsageError(`name a job, as "jobs dead ${queue}" lists them`);
  if (!(await work.retry(queue, id))) throw new UsageError(`${queue} has no dead letter ${id}`);
  console.log(`${id} is tried again by the next worker of ${queue}`);
};

const commands: Readonly<Record<string, Command>> = {
  'projections list': { usage: 'projections list', purpose: 'how far each read model has come', run: list },
  'projections rebuild': {
    usage: 'projections rebuild NAME [PARTS]',
    purpose: 'folds a read model anew beside the one that serves, then switches',
    run: rebuild,
  },
  'projections retry': {
    usage: 'projections retry NAME',
    purpose: 'lets a read model that stopped before a bad event try it again',
    run: retry,
  },
  'jobs dead': { usage: 'jobs dead QUEUE', purpose: 'the jobs that failed at every attempt, and why', run: deadJobs },
  'jobs retry': { usage: 'jobs retry QUEUE ID', purpose: 'puts such a job back as a new one', run: retryJob },
};

const help = () =>
  Object.values(commands)
    .map(({ usage, purpose }) => `  ${usage.padEnd(34)}${purpose}`)
    .join('\n');

const main = async ([group, verb, ...given]: readonly string[]): Promise<void> => {
  const command = commands[`${group} ${verb}`];
  if (command === undefined) throw new UsageError(`npm run cli -- COMMAND, where COMMAND is one of\n${help()}`);
  const stores = openStores(readConfig(process.env), (error) => log.warn({ err: error }, 'a store failed'));
  try {
    for (const projection of allProjections) await stores.views.prepare(projection);
    await command.run(stores, ...given);
  } finally {
    await stores.close();
  }
};

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
