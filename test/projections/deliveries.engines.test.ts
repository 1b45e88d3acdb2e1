// The guarantees of the read models on MongoDB if events are delivered again and commits fail.
import { Collection } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoViews } from '../../src/infrastructure/views/mongodb/views.js';
import type { Commit, Views } from '../../src/infrastructure/views/views.js';
import { allProjections } from '../../src/projections/all.js';
import type { Projection } from '../../src/projections/projection.js';
import { newProjection } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { withMongo } from '../support/mongodb.js';
import { Random } from '../support/random.js';
import { type Batch, foldingInto, randomBatches } from './support/deliveries.js';
import { Historian } from './support/history.js';
import { eventsIn, expectedOf, snapshotOf } from './support/replay.js';

withMongo('read models on MongoDB', (mongo) => {
  const openViews = () => {
    const views = new MongoViews(new MongoConnection(mongo.newUrl()));
    onTestFinished(() => views.close());
    return views;
  };

  it('never have documents of a collection without those of the collections before it', async () => {
    const projected = await newProjection(openViews());
    const thing = projected.thing('one', 1);
    const other = { ...projected.thing('other', 1), collection: projected.others, index: {} };
    const bulkWrite = vi.spyOn(Collection.prototype, 'bulkWrite');
    onTestFinished(() => bulkWrite.mockRestore());
    bulkWrite.mockRejectedValueOnce(new Error('the process ended'));
    await expect(projected.commit(1, other, thing)).rejects.toThrow('the process ended');
    expect(await projected.views.load(projected.lease, projected.others, ['other'])).toEqual([]);
    expect(await projected.commit(1, other, thing)).toBe(true);
    expect(await projected.views.load(projected.lease, projected.others, ['other'])).toHaveLength(1);
  });

  describe.each(allProjections)('the read model $name on MongoDB', (projection) => {
    const facts = new SqliteFacts(temporaryDirectory());
    let events: Batch;

    beforeAll(async () => {
      await new Historian(facts, 20_260_106).record(200);
      events = await eventsIn(facts, projection.aggregates);
    });
    afterAll(() => facts.close());

    it.each([1, 2, 3])('is the same as after one delivery if every event comes three times (seed %i)', async (seed) => {
      const views = openViews();
      const { deliver } = await foldingInto(views, projection);
      for (const batch of randomBatches(new Random(seed), events)) await deliver(batch);
      expect(await snapshotOf(views, projection)).toStrictEqual(expectedOf(projection, events));
    });

    it.each([4, 5, 6])('never has a checkpoint ahead of its documents if commits fail (seed %i)', async (seed) => {
      const views = openViews();
      const { fold } = await foldingInto(views, projection);
      const random = new Random(seed);
      const drawn = new Set<string>();
      const nextKind = drawnFrom(random);
      // Small enough for a commit of every kind, however few events the read model folds.
      const most = Math.max(1, Math.floor(events.length / (2 * Object.keys(COMMITS).length)));
      for (let from = 0; from < events.length; ) {
        const kind = nextKind();
        drawn.add(kind);
        const commit = await fold(events.slice(from, from + random.integer(1, most)));
        await COMMITS[kind]?.(views, commit, projection);
        from = await countCovered(views, projection, events);
      }
      expect([...drawn].toSorted()).toEqual(Object.keys(COMMITS).toSorted());
      expect(await snapshotOf(views, projection)).toStrictEqual(expectedOf(projection, events));
    });
  });
});

/** Writes some documents of a commit but no checkpoint, as if the server became unavailable in between. */
const interrupted = async (views: Views, commit: Commit, writes: Commit['writes']) =>
  expect(await views.commit({ ...commit, lease: { ...commit.lease, owner: 'a former owner' }, writes })).toBe(false);

/** The outcomes of a commit. */
const COMMITS: Readonly<Record<string, (views: Views, commit: Commit, projection: Projection) => Promise<void>>> = {
  whole: async (views, commit) => expect(await views.commit(commit)).toBe(true),
  nothing: async () => {},
  'the first collection': (views, commit, { collections }) => {
    const first = commit.writes.filter(({ collection }) => collection === collections[0]?.name);
    return interrupted(views, commit, first);
  },
  'some documents': (views, commit) =>
    interrupted(views, commit, commit.writes.slice(0, Math.ceil(commit.writes.length / 2))),
  'all documents': (views, commit) => interrupted(views, commit, commit.writes),
};

/** Draws every kind of commit in a random order, then every kind again in another random order, and so on. */
const drawnFrom = (random: Random) => {
  let left: string[] = [];
  return () => {
    if (left.length === 0) left = Object.keys(COMMITS);
    const [kind = 'whole'] = left.splice(random.integer(0, left.length - 1), 1);
    return kind;
  };
};

interface StoredDocument {
  readonly id: string;
  readonly position: string;
}

/** Returns how many events the checkpoint covers, and expects every document to contain its events among them. */
const countCovered = async (views: Views, projection: Projection, events: Batch): Promise<number> => {
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
