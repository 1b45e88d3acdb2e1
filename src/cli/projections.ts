// `npm run cli -- projections …`: lists, retries and rebuilds read models.
import { setTimeout as pause } from 'node:timers/promises';
import type { AllStores } from '../infrastructure/stores.js';
import type { Checkpoint, Generation } from '../infrastructure/views/views.js';
import { allProjections } from '../projections/all.js';
import type { Projection } from '../projections/projection.js';

const POLL_MS = 200;
// A worker looks for generations once a second, and takes over from a worker that died within 15 s.
const NO_WORKER_MS = 10_000;

const projectionNamed = (name: string): Projection => {
  const found = allProjections.find((projection) => projection.name === name);
  const names = allProjections.map((projection) => projection.name).join(', ');
  if (found === undefined) throw new Error(`Read model ${name} does not exist. Pass one of: ${names}.`);
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

/** Starts a generation of a read model, which a worker builds beside the live one, and waits until it is live. */
export const rebuildProjection = async (
  stores: AllStores,
  name: string,
  { wait }: { readonly wait: boolean },
): Promise<void> => {
  const generation = await stores.views.startGeneration(projectionNamed(name));
  console.log(`building generation ${generation.number} of ${name}; the previous generation stays live until then`);
  if (!wait) return;
  await untilLive(stores, generation);
  console.log(`generation ${generation.number} of ${name} is live`);
};

const untilLive = async (stores: AllStores, generation: Generation): Promise<void> => {
  for (let heldAt = performance.now(); ; await pause(POLL_MS)) {
    const { state, heldBy } = await unstopped(stores, generation);
    if (state === 'live') return;
    if (heldBy !== undefined) heldAt = performance.now();
    if (performance.now() - heldAt > NO_WORKER_MS) throw new Error(noWorker(generation));
  }
};

/** Returns the checkpoint of a generation. Throws if the generation can no longer become live by itself. */
const unstopped = async (stores: AllStores, { projection, number }: Generation): Promise<Checkpoint> => {
  const checkpoint = (await checkpointsOf(stores, projection)).find((each) => each.number === number);
  if (checkpoint === undefined) throw new Error('the generation was dropped by another rebuild');
  const { stopped } = checkpoint;
  if (stopped !== undefined) throw new Error(`stopped before ${stopped.position}: ${stopped.reason}`);
  return checkpoint;
};

const noWorker = ({ projection, number }: Generation): string =>
  `No worker of this version builds generation ${number} of ${projection}. Start the service, or with ` +
  'three distributed engines a process with ROLES=worker: it builds the generation. "projections list" shows how far it is.';
