// `npm run cli -- projections …`: lists, retries and rebuilds read models.
import type { AllStores } from '../infrastructure/stores.js';
import type { Generation } from '../infrastructure/views/views.js';
import { endOfRebuild, type RebuildEnd, retryReadModel } from '../operations/read-models.js';
import { allProjections } from '../projections/all.js';
import { named } from './operator.js';

const projectionNamed = (name: string) => named('Read model', allProjections, name);

export const listProjections = async ({ facts, views }: AllStores): Promise<void> => {
  console.log(`log: ${(await facts.head()) ?? 'empty'}`);
  for (const { projection, number, version, state, position, stopped, heldBy } of await views.checkpoints()) {
    console.log(`${projection}  generation ${number}  version ${version}  ${state}  ${position ?? 'no position yet'}`);
    if (stopped !== undefined) console.log(`  stopped before ${stopped.position}: ${stopped.reason}`);
    if (heldBy !== undefined) console.log(`  run by ${heldBy}`);
  }
};

export const retryProjection = async ({ views }: AllStores, given: string): Promise<void> => {
  const { name } = projectionNamed(given);
  const wasStopped = await retryReadModel(views, name);
  console.log(wasStopped ? `${name} resumes with the next worker` : `${name} is not stopped`);
};

/** Starts a generation of a read model, which a worker builds beside the live one, and waits until it is live. */
export const rebuildProjection = async (
  { views }: AllStores,
  name: string,
  { wait }: { readonly wait: boolean },
): Promise<void> => {
  const generation = await views.startGeneration(projectionNamed(name));
  console.log(`building generation ${generation.number} of ${name}; the previous generation stays live until then`);
  if (!wait) return;
  const end = await endOfRebuild(views, generation);
  if (end !== 'live') throw new Error(failureOf(end, generation));
  console.log(`generation ${generation.number} of ${name} is live`);
};

const failureOf = (end: Exclude<RebuildEnd, 'live'>, { projection, number }: Generation): string => {
  if (end === 'dropped') return 'the generation was dropped by another rebuild';
  if (end !== 'unattended') return `stopped before ${end.position}: ${end.reason}`;
  return (
    `No worker of this version builds generation ${number} of ${projection}. Start the service, or with ` +
    'three distributed engines a process with ROLES=worker: it builds the generation. "projections list" shows how far it is.'
  );
};
