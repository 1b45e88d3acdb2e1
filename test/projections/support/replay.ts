// Compares the content of a read model with a fresh replay of the log.
import { pino } from 'pino';
import { expect } from 'vitest';
import { allDeciders } from '../../../src/domain/all.js';
import type { Facts, RecordedEvent } from '../../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../../src/infrastructure/views/sqlite/views.js';
import { documentPages, type Generation, type Views } from '../../../src/infrastructure/views/views.js';
import { createMetrics } from '../../../src/metrics.js';
import { allProjections } from '../../../src/projections/all.js';
import { Progress } from '../../../src/projections/progress.js';
import {
  applied,
  type DerivedCollection,
  derivedOf,
  documentIdOf,
  type ProjectedCollection,
  type Projection,
  type Working,
} from '../../../src/projections/projection.js';
import { ProjectionRunner, type RunnerOptions } from '../../../src/projections/runner.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';

export const quiet = pino({ level: 'silent' });

/** Returns the events of these aggregates in a log, by default of all aggregates of the service. */
export const eventsIn = async (
  facts: Facts,
  aggregates: readonly string[] = allDeciders.map(({ aggregate }) => aggregate),
): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for (let after: string | undefined; ; ) {
    const page = await facts.readLog({ aggregates, after }, 256);
    events.push(...page.events);
    if (page.atEnd) return events;
    after = page.position;
  }
};

/**
 * Holds all documents of a projection by collection, as stored and as listed. The lists of derived documents are empty,
 * because several of them may have one place.
 */
export type Snapshot = Readonly<Record<string, { readonly documents: unknown; readonly listed: readonly unknown[] }>>;

const streamIdOf = ({ stream }: RecordedEvent) => stream.slice(stream.indexOf('-') + 1);

const byCreation = (a: { readonly created: string }, b: { readonly created: string }) =>
  a.created < b.created ? -1 : 1;
const bySomeId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);

/** Returns the documents by collection and id after these events, folding each event once, in order, in memory. */
export const folded = ({ folded }: Projection, events: readonly RecordedEvent[]) =>
  new Map(
    folded.flatMap((collection) => {
      const documents: Documents = new Map();
      const others = collection.derived.map((each) => [each, new Map() as Documents] as const);
      for (const event of events) foldInto({ documents, others }, collection, event);
      return [...others.map(([{ name }, made]) => [name, made] as const), [collection.name, documents] as const];
    }),
  );

type Documents = Map<string, Working>;

const foldInto = (
  {
    documents,
    others,
  }: { readonly documents: Documents; readonly others: readonly (readonly [DerivedCollection, Documents])[] },
  collection: ProjectedCollection,
  event: RecordedEvent,
) => {
  const id = documentIdOf(collection, event, streamIdOf(event));
  if (id === undefined) return;
  const before = documents.get(id);
  const after = applied(collection, before, event, streamIdOf(event));
  if (after === undefined || after === before) return;
  documents.set(id, after);
  for (const [derived, known] of others)
    for (const [each, other] of derivedOf(derived, known, [before, after, event])) known.set(each, other);
};

/** Returns what a store should hold for a projection after these events. */
export const expectedOf = (projection: Projection, events: readonly RecordedEvent[]): Snapshot => {
  const all = [...folded(projection, events)].map(([name, documents]) => {
    const stored = [...documents].map(([id, { document, ...rest }]) => ({
      id,
      body: JSON.stringify(document),
      ...rest,
    }));
    const listed = stored.toSorted(byCreation).map(({ body }) => JSON.parse(body));
    return [name, { documents: stored.toSorted(bySomeId), listed: isDerived(projection, name) ? [] : listed }];
  });
  return Object.fromEntries(all);
};

/** Returns what a store holds in the live generation of a projection. */
export const snapshotOf = async (views: Views, projection: Projection): Promise<Snapshot> => {
  const generation = await liveOf(views, projection);
  const all = projection.collections.map(async ({ name }) => {
    const ids: string[] = [];
    for await (const page of documentPages(views, name)) ids.push(...page.map(({ id }) => id));
    const documents = (await views.load(generation, name, ids)).toSorted(bySomeId);
    return [name, { documents, listed: isDerived(projection, name) ? [] : await listOf(views, name) }];
  });
  return Object.fromEntries(await Promise.all(all));
};

const isDerived = ({ folded }: Projection, collection: string) => folded.every(({ name }) => name !== collection);

const liveOf = async (views: Views, { name }: Projection): Promise<Generation> => {
  const live = (await views.checkpoints()).find(({ projection, state }) => projection === name && state === 'live');
  if (live === undefined) throw new Error(`${name} has no live generation`);
  return live;
};

const listOf = async (views: Views, collection: string): Promise<unknown[]> => {
  const query = { collection, where: {}, order: 'oldest-first', limit: 200 } as const;
  const listed: unknown[] = [];
  for (let after: string | undefined; ; ) {
    const { json, next } = await views.list({ ...query, after });
    listed.push(...(JSON.parse(json) as readonly unknown[]));
    if (next === undefined) return listed;
    after = next;
  }
};

/** Starts a runner in this process, as a worker does. */
export const startRunner = (
  facts: Facts,
  views: Views,
  projections: readonly Projection[],
  options: RunnerOptions = {},
) => {
  const progress = new Progress(views);
  const metrics = createMetrics({ witnesses: [] });
  const stores = { facts, views, progress, log: quiet, metrics: metrics.projections };
  const runner = new ProjectionRunner(stores, projections, options);
  return { progress, metrics, close: () => runner.close() };
};

/** Returns a new store that holds a fresh replay of the whole log. The caller closes it. */
export const replayed = async (facts: Facts, projections: readonly Projection[]): Promise<Views> => {
  const views = new SqliteViews(temporaryDirectory());
  for (const projection of projections) await views.prepare(projection);
  const { progress, close } = startRunner(facts, views, projections);
  const head = (await facts.head()) ?? '';
  const reached = await Promise.all(projections.map(({ name }) => progress.reached(name, head, 20_000)));
  await close();
  if (reached.includes(false)) throw new Error('the replay did not reach the end of the log');
  return views;
};

/** Expects the read models under `directory` to catch up and then to equal a replay of the log into an empty store. */
export const expectAsFresh = async (directory: string, projections = allProjections): Promise<void> => {
  const [facts, views] = [new SqliteFacts(directory), new SqliteViews(directory)];
  await expectStoresAsFresh(facts, views, projections);
  for (const store of [views, facts]) await store.close();
};

/** Expects the same of open stores, which stay open. */
export const expectStoresAsFresh = async (facts: Facts, views: Views, projections = allProjections): Promise<void> => {
  for (const projection of projections) await views.prepare(projection);
  const head = (await facts.head()) ?? '';
  await eventually(async () => {
    const reached = (await views.checkpoints()).filter(({ position = '' }) => position >= head);
    expect(reached.map(({ projection }) => projection)).toEqual(
      expect.arrayContaining(projections.map(({ name }) => name)),
    );
  });
  const fresh = await replayed(facts, projections);
  for (const projection of projections) {
    expect(await snapshotOf(views, projection)).toStrictEqual(await snapshotOf(fresh, projection));
  }
  await fresh.close();
};
