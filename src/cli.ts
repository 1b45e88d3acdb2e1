// The operator's tool: `npm run cli -- <command>`. It works on the stores that the environment names, beside a running
// service or without one.
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { listKeys, rotate } from './cli/keys.js';
import { readConfig } from './config.js';
import { createMetrics } from './http/metrics.js';
import { watchSealing } from './infrastructure/sealing/watch.js';
import type { Checkpoint, Generation, Lease } from './infrastructure/views/views.js';
import { allProjections } from './projections/all.js';
import { Progress } from './projections/progress.js';
import type { Projection } from './projections/projection.js';
import { isAlive, owner } from './projections/runner.js';
import { LEASE_MS, runSession } from './projections/session.js';
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
  for (const { projection, number, version, state, position, stopped } of await checkpointsOf(stores)) {
    console.log(
      `${projection}  generation ${number}  version ${version}  ${state}  ${position ?? 'nothing folded yet'}`,
    );
    if (stopped !== undefined) console.log(`  stopped before ${stopped.position}: ${stopped.reason}`);
  }
};

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

const rebuild = async (stores: AllStores, name: string | undefined): Promise<void> => {
  const projection = projectionNamed(name);
  const generation = await stores.views.startGeneration(projection);
  console.log(`building generation ${generation.number} of ${projection.name}; the one before it serves meanwhile`);
  const done = new AbortController();
  const lease = await stores.views.acquire(generation, owner, LEASE_MS, isAlive);
  const building = lease === undefined ? undefined : build(stores, projection, lease, done.signal);
  if (building === undefined) console.log('a worker of the running service builds it');
  await Promise.race([untilLive(stores, generation), ...(building === undefined ? [] : [building])]);
  done.abort();
  await building;
  if (lease !== undefined) await stores.views.release(lease);
  await untilLive(stores, generation);
  console.log(`generation ${generation.number} of ${projection.name} is live`);
};

const build = async (stores: AllStores, projection: Projection, lease: Lease, signal: AbortSignal): Promise<void> => {
  const progress = new Progress(stores.views);
  const parts = { ...stores, progress, log, metrics: createMetrics().projections };
  const checkpoint = (await checkpointsOf(stores, projection.name)).find(({ number }) => number === lease.number);
  if (checkpoint === undefined) throw new Error('the generation was dropped by another rebuild');
  await runSession(parts, projection, checkpoint, { lease, signal });
};

const untilLive = async (stores: AllStores, { projection, number }: Generation): Promise<void> => {
  for (;;) {
    const checkpoint = (await checkpointsOf(stores, projection)).find((other) => other.number === number);
    if (checkpoint === undefined) throw new Error('the generation was dropped by another rebuild');
    if (checkpoint.stopped !== undefined) {
      throw new Error(`stopped before ${checkpoint.stopped.position}: ${checkpoint.stopped.reason}`);
    }
    if (checkpoint.state === 'live') return;
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
    usage: 'projections rebuild NAME',
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
  'keys list': { usage: 'keys list', purpose: 'how many keys in the vault each master key wraps', run: listKeys },
  'keys rotate': {
    usage: 'keys rotate',
    purpose: 'wraps every key in the vault by the current master key',
    run: rotate,
  },
};

const help = () =>
  Object.values(commands)
    .map(({ usage, purpose }) => `  ${usage.padEnd(28)}${purpose}`)
    .join('\n');

const main = async ([group, verb, ...given]: readonly string[]): Promise<void> => {
  const command = commands[`${group} ${verb}`];
  if (command === undefined) throw new UsageError(`npm run cli -- COMMAND, where COMMAND is one of\n${help()}`);
  const stores = openStores(readConfig(process.env), {
    onError: (error) => log.warn({ err: error }, 'a store failed'),
    sealing: watchSealing(log),
  });
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
