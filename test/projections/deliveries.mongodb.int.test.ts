// Tests the guarantees of the read models on MongoDB if events are delivered again and commits fail.

import { Collection } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';

import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import type { RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoViews } from '../../src/infrastructure/views/mongodb/views.js';
import type { Lease, Views } from '../../src/infrastructure/views/views.js';
import { allProjections } from '../../src/projections/all.js';
import { foldPage } from '../../src/projections/fold-page.js';
import type { Projection } from '../../src/projections/projection.js';
import { newProjection } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { withMongo } from '../support/mongodb.js';
import { Random } from '../support/random.js';
import { Historian } from './history.js';
import { eventsIn, expectedOf, snapshotOf } from './replay.js';

type Batch = readonly RecordedEvent[];

/** The outcomes of a commit. All but the first reject, as when the server becomes unavailable. */
const COMMITS = [
  'whole',
  'nothing',
  'the first collection',
  'some documents',
  'all documents',
  'all but the response',
] as const;

/** Returns batches of random sizes that sometimes go back to earlier events. Every event comes three times or more. */
const atRandom = (random: Random, events: Batch): Batch[] => {
  const batches: Batch[] = [];
  for (let time = 1; time <= 3; time += 1) {
    for (let from = 0; from < events.length; ) {
      const size = random.integer(1, 60);
      batches.push(events.slice(from, from + size));
      from = random.chance(0.2) ? Math.max(0, from - random.integer(0, 80)) : from + size;
    }
  }
  return batches;
};

withMongo('read models on MongoDB', (mongo) => {
  it('never have documents of a collection without those of the collections before it', async () => {
    const views = new MongoViews(new MongoConnection(mongo.newUrl()));
    onTestFinished(() => views.close());
    const projected = await newProjection(views);
    const thing = projected.thing('one', 1);
    const other = { ...projected.thing('other', 1), collection: projected.others, index: {} };
    const bulkWrite = vi.spyOn(Collection.prototype, 'bulkWrite');
    onTestFinished(() => bulkWrite.mockRestore());
    bulkWrite.mockRejectedValueOnce(new Error('the process ended'));
    await expect(projected.commit(1, other, thing)).rejects.toThrow('the process ended');
    expect(await views.load(projected.lease, projected.others, ['other'])).toEqual([]);
    expect(await projected.commit(1, other, thing)).toBe(true);
    expect(await views.load(projected.lease, projected.others, ['other'])).toHaveLength(1);
  });

  describe.each(allProjections)('the read model $name on MongoDB', (projection) => {
    const facts = new SqliteFacts(temporaryDirectory());
    let events: Batch;

    beforeAll(async () => {
      await new Historian(facts, 20_260_106).record(200);
      events = await eventsIn(facts, projection.aggregates);
    });
    afterAll(() => facts.close());

    const setUp = async () => {
      const views = new MongoViews(new MongoConnection(mongo.newUrl()));
      await views.prepare(projection);
      const lease = await views.acquire({ projection: projection.name, number: 1 }, 'test', 600_000);
      if (lease === undefined) throw new Error('another worker holds the generation');
      return { views, lease };
    };

    it.each([1, 2, 3])('is the same as after one delivery if every event comes three times (seed %i)', async (seed) => {
      const { views, lease } = await setUp();
      const random = new Random(seed);
      for (const batch of atRandom(random, events)) {
        const position = batch.at(-1)?.position ?? '';
        const { writes } = await foldPage(views, lease, projection, { events: batch, position, atEnd: false });
        expect(await views.commit({ lease, writes, position })).toBe(true);
      }
      expect(await snapshotOf(views, projection)).toStrictEqual(expectedOf(projection, events));
      await views.close();
    });

    it.each([4, 5, 6])('never has a checkpoint ahead of its documents if commits fail (seed %i)', async (seed) => {
      const { views, lease } = await setUp();
      const random = new Random(seed);
      const drawn = new Set<string>();
      const nextKind = drawnFrom(random);
      // Small enough for a commit of every kind, however few events the read model folds.
      const most = Math.max(1, Math.floor(events.length / (2 * COMMITS.length)));
      for (let from = 0; from < events.length; ) {
        const batch = events.slice(from, from + random.integer(1, most));
        const kind = nextKind();
        drawn.add(kind);
        await committed({ views, lease }, projection, batch, kind);
        from = await checkpointIn(views, projection, events);
      }
      expect([...drawn].toSorted()).toEqual([...COMMITS].toSorted());
      expect(await snapshotOf(views, projection)).toStrictEqual(expectedOf(projection, events));
      await views.close();
    });
  });
});

/** Draws every kind of commit in a random order, then every kind again in another random order, and so on. */
const drawnFrom = (random: Random) => {
  let left: (typeof COMMITS)[number][] = [];
  return () => {
    if (left.length === 0) left = [...COMMITS];
    const [kind = 'whole'] = left.splice(random.integer(0, left.length - 1), 1);
    return kind;
  };
};

/** Folds a batch, and commits as much of it as `kind` says. */
const committed = async (
  { views, lease }: { readonly views: Views; readonly lease: Lease },
  projection: Projection,
  events: Batch,
  kind: (typeof COMMITS)[number],
): Promise<void> => {
  const failing = failingAs(kind, views, projection);
  const position = events.at(-1)?.position ?? '';
  const { writes } = await foldPage(views, lease, projection, { events, position, atEnd: false });
  const done = failing({ lease, writes, position });
  if (kind === 'whole') expect(await done).toBe(true);
  else await expect(done).rejects.toThrow(StoreUnavailable);
};

/** Returns the commit of a store that fails halfway. With a lost lease it writes documents, but no checkpoint. */
const failingAs = (kind: (typeof COMMITS)[number], views: Views, { collections }: Projection): Views['commit'] => {
  const gone = () => Promise.reject(new StoreUnavailable('the read models', new Error('gone')));
  const lost = (lease: Lease): Lease => ({ ...lease, owner: 'a former owner' });
  const commits: { readonly [H in typeof kind]: Views['commit'] } = {
    whole: (batch) => views.commit(batch),
    nothing: gone,
    'the first collection': ({ lease, writes, position }) => {
      const first = writes.filter(({ collection }) => collection === collections[0]?.name);
      return views.commit({ lease: lost(lease), writes: first, position }).then(gone);
    },
    'some documents': ({ lease, writes, position }) =>
      views.commit({ lease: lost(lease), writes: writes.slice(0, Math.ceil(writes.length / 2)), position }).then(gone),
    'all documents': ({ lease, ...rest }) => views.commit({ ...rest, lease: lost(lease) }).then(gone),
    'all but the response': (batch) => views.commit(batch).then(gone),
  };
  return commits[kind];
};

/**
 * Returns the number of events that the checkpoint covers, and expects every document to contain its events among them.
 */
const checkpointIn = async (views: Views, projection: Projection, events: Batch): Promise<number> => {
  const [checkpoint] = await views.checkpoints();
  const done = events.filter(({ position }) => position <= (checkpoint?.position ?? ''));
  const stored = await snapshotOf(views, projection);
  for (const [collection, { documents }] of Object.entries(expectedOf(projection, done))) {
    const held = (stored[collection]?.documents ?? []) as StoredDocument[];
    const positions = new Map(held.map(({ id, position }) => [id, position] as const));
    const behind = (documents as StoredDocument[]).filter(({ id, position }) => (positions.get(id) ?? '') < position);
    expect(behind).toEqual([]);
  }
  return done.length;
};

interface StoredDocument {
  readonly id: string;
  readonly position: string;
}
