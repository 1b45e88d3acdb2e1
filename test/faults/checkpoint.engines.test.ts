// Kills workers repeatedly after they have written documents and before they write the checkpoint.
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { Views } from '../../src/infrastructure/views/views.js';
import { allProjections } from '../../src/projections/all.js';
import { createInstitution, createQuestionnaire, numbered } from '../http/support/samples.js';
import { eventsIn, expectedOf, snapshotOf } from '../projections/support/replay.js';
import { onRealSet, startEngineSet } from '../support/engine-set.js';
import { startProgram } from '../support/process.js';
import { startServer, startWorker } from '../support/processes.js';
import { type Engines, enginesOf, expectReadModelsAsFresh, withStores } from './support/sets.js';

const dying = fileURLToPath(new URL('support/dying-worker.mjs', import.meta.url));

/** Runs a worker until it dies at its nth batch, between the documents and the checkpoint. */
const runUntilDead = async ({ environment }: Engines, batch: number): Promise<void> => {
  const worker = startProgram('main', {
    form: 'modules',
    environment: {
      ...environment,
      ROLES: 'worker',
      NODE_OPTIONS: `--import ${dying}`,
      DIES_AT_BATCH: `${batch}`,
    },
  });
  onTestFinished(() => worker.kill());
  const { code, err } = await worker.ended;
  expect({ code, err }).toEqual({ code: null, err: '' });
};

/** Expects each document to include every event up to the checkpoint. Returns how many include later events. */
const aheadOfCheckpoint = (engines: Engines): Promise<number> =>
  withStores(engines, async ({ facts, views }) => {
    let ahead = 0;
    for (const projection of allProjections) {
      await views.prepare(projection);
      const checkpoint = await positionOf(views, projection.name);
      const events = await eventsIn(facts, projection.aggregates);
      const upToCheckpoint = events.filter(({ position }) => position <= checkpoint);
      const stored = positionsIn(await snapshotOf(views, projection));
      for (const [key, position] of positionsIn(expectedOf(projection, upToCheckpoint))) {
        expect((stored.get(key) ?? '') >= position, key).toBe(true);
      }
      ahead += [...stored.values()].filter((position) => position > checkpoint).length;
    }
    return ahead;
  });

const positionOf = async (views: Views, name: string): Promise<string> =>
  (await views.checkpoints()).find(({ projection }) => projection === name)?.position ?? '';

/** Returns the position of each document. */
const positionsIn = (snapshot: Awaited<ReturnType<typeof snapshotOf>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(snapshot).flatMap(([collection, { documents }]) =>
      (documents as { readonly id: string; readonly position: string }[]).map(
        ({ id, position }) => [`${collection} ${id}`, position] as const,
      ),
    ),
  );

// On SQLite one transaction writes the documents and the checkpoint.
onRealSet('a worker on MongoDB that dies between the documents and their checkpoint', () => {
  it('leaves no checkpoint ahead of the documents, and the next worker builds what a fresh replay builds', async () => {
    const engines = enginesOf(await startEngineSet());
    const { directory, environment } = engines;
    const first = await startWorker(directory, environment);
    const server = await startServer(directory, 'http', environment);
    await first.kill();

    const ahead: number[] = [];
    for (const batch of [1, 2]) {
      const { id } = await createInstitution(server);
      await Promise.all(numbered(5, () => createQuestionnaire(server, id)));
      await runUntilDead(engines, batch);
      ahead.push(await aheadOfCheckpoint(engines));
    }
    expect(Math.min(...ahead)).toBeGreaterThan(0);

    await startWorker(directory, environment);
    await expectReadModelsAsFresh(engines);
  });
});
