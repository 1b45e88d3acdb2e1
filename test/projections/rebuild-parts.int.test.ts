// A rebuild in parts, on every engine of the views: what it ends with is what a fresh replay gives, whatever comes between.
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Facts, LogRange, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoViews } from '../../src/infrastructure/views/mongodb.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite.js';
import type { Generation, Views } from '../../src/infrastructure/views/views.js';
import { allProjections } from '../../src/projections/all.js';
import { BatchFolder } from '../../src/projections/batch.js';
import { isIn } from '../../src/projections/partition.js';
import { documentIdOf, type ProjectedCollection, type Projection } from '../../src/projections/projection.js';
import { protocols } from '../../src/projections/protocols.js';
import { checkpointsOf, leased } from '../infrastructure/views-harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { withMongo } from '../support/mongodb.js';
import { Historian } from './history.js';
import { nothingSkipped } from './recorded.js';
import { eventsIn, expectedOf, snapshotOf, startRunner } from './replay.js';
import { Touchy } from './touchy.js';
import { deadProcess, watched } from './watched.js';

const PARTS = 4;

const suite = (engine: string, openViews: () => Views) =>
  describe(`a rebuild in parts on ${engine}`, () => {
    let facts: SqliteFacts;
    let views: Views;
    const closings: (() => Promise<void>)[] = [];

    beforeEach(() => {
      facts = new SqliteFacts(temporaryDirectory());
      views = openViews();
    });
    afterEach(async () => {
      for (const close of closings.splice(0)) await close();
      await views.close();
      await facts.close();
    });

    const work = async (projections: readonly Projection[], log: Facts = facts) => {
      for (const projection of projections) await views.prepare(projection);
      const runner = startRunner(log, views, projections);
      closings.push(runner.close);
      return runner;
    };
    const isLive = ({ projection, number }: Generation) =>
      eventually(async () => {
        const live = [{ number, state: 'live', partition: undefined }];
        expect(await checkpointsOf(views, projection)).toMatchObject(live);
      });
    const reaches = (name: string, position: string | undefined) =>
      eventually(async () => expect((await checkpointsOf(views, name))[0]?.position).toBe(position));
    const isAsExpected = async (projection: Projection) => {
      const events = await eventsIn(facts, projection.aggregates);
      expect(await snapshotOf(views, projection, events)).toStrictEqual(expectedOf(projection, events));
    };
    const buildingOf = async (name: string) =>
      (await checkpointsOf(views, name)).filter(({ state }) => state === 'building');
    /** Has a part built up to the end of `events` by another process; gives back how it can be ended. */
    const builtBy = async (who: string, part: Generation, events: readonly RecordedEvent[]) => {
      const lease = await leased(views, part, who);
      const own = events.filter(({ stream }) => isIn(part.partition, stream));
      const position = events.at(-1)?.position;
      const page = { events: own, position, atEnd: false };
      const { writes } = await new BatchFolder(protocols, part, views, nothingSkipped).fold(page);
      if (position !== undefined) expect(await views.commit({ lease, writes, position })).toBe(true);
      return () => views.release(lease);
    };

    it('gives the same documents, again and again, while writes go on', async () => {
      const historian = await new Historian(facts, 21).record(120);
      await work(allProjections);
      await reaches(protocols.name, await facts.head());
      let writing = true;
      const written = (async () => {
        while (writing) await historian.record(5);
      })();
      for (const parts of [PARTS, 2, 3]) await isLive(await views.startGeneration(protocols, parts));
      writing = false;
      await written;
      await reaches(protocols.name, await facts.head());
      await isAsExpected(protocols);
    });

    it('of an empty log is live at once, and goes on with what comes', async () => {
      await work([protocols]);
      await isLive(await views.startGeneration(protocols, PARTS));
      await new Historian(facts, 22).record(30);
      await reaches(protocols.name, await facts.head());
      await isAsExpected(protocols);
    });

    it('goes on in every part where that was, when the workers were killed', async () => {
      await new Historian(facts, 23).record(150);
      const events = await eventsIn(facts, ['protocol']);
      await views.prepare(protocols);
      const generation = await views.startGeneration(protocols, PARTS);
      const reached = [0, 20, 40, events.length].map((count) => events.slice(0, count));
      for (const part of await buildingOf(protocols.name)) {
        await builtBy(deadProcess(), part, reached[part.partition?.index ?? 0] ?? []);
      }
      const ranges: LogRange[] = [];
      await work([protocols], watched(facts, ranges));
      await isLive(generation);
      const starts = ranges.slice(0, PARTS + 1).map(({ after }) => after ?? 'the first');
      const positions = reached.map((some) => some.at(-1)?.position ?? 'the first');
      expect(starts.toSorted()).toEqual(['the first', ...positions].toSorted());
      await reaches(protocols.name, await facts.head());
      await isAsExpected(protocols);
    });

    it('waits for a part that another worker holds, follows the log meanwhile, and switches when that is there', async () => {
      const historian = await new Historian(facts, 24).record(60);
      const some = (await eventsIn(facts, ['protocol'])).slice(0, 10);
      await views.prepare(protocols);
      const generation = await views.startGeneration(protocols, PARTS);
      const [held = generation] = await buildingOf(protocols.name);
      const release = await builtBy('another host/2/other', held, some);
      await work([protocols]);
      await historian.record(20);
      const head = await facts.head();
      await eventually(async () => {
        const [live, slow, ...others] = await checkpointsOf(views, protocols.name);
        expect([live, ...others].map((checkpoint) => checkpoint?.position)).toEqual(Array(PARTS).fill(head));
        expect(slow?.position).toBe(some.at(-1)?.position);
        expect(live).toMatchObject({ number: 1, state: 'live' });
      });
      await release();
      await isLive(generation);
      await isAsExpected(protocols);
    });

    it('counts for nobody who waits for the read model until it serves', async () => {
      const touchy = new Touchy('awaited');
      const [position = ''] = await touchy.happen(facts, 'one');
      await views.prepare(touchy.projection);
      const live = await leased(views, { projection: 'awaited', number: 1 });
      await views.commit({ lease: live, writes: [], position: position.replace(/.$/, '0') });
      await views.startGeneration(touchy.projection, 2);
      const runner = startRunner(facts, views, []);
      closings.push(runner.close);
      for (const part of await buildingOf('awaited')) {
        expect(await runner.progress.reached('awaited', position, 50)).toBe(false);
        const lease = await leased(views, part);
        await views.commit({ lease, writes: [], position });
        await views.promote(lease);
      }
      expect(await runner.progress.reached('awaited', position, 20_000)).toBe(true);
    });

    it('stops in the part of an event that cannot be folded, and goes on by a retry', async () => {
      const touchy = new Touchy('shared');
      await touchy.happen(facts, 'one', 'two', 'bad', 'three', 'four');
      await work([touchy.projection]);
      await reaches('shared', await facts.head());
      touchy.unbearable = 'bad';
      const generation = await views.startGeneration(touchy.projection, PARTS);
      const stopped = await eventually(async () => {
        const found = (await buildingOf('shared')).filter((part) => part.stopped !== undefined);
        expect(found).toHaveLength(1);
        return found[0];
      });
      const [last] = await touchy.happen(facts, 'five');
      await eventually(async () => {
        const positions = (await checkpointsOf(views, 'shared')).map(({ position }) => position);
        expect(positions.filter((position) => position === last)).toHaveLength(PARTS);
      });
      expect((await checkpointsOf(views, 'shared'))[0]).toMatchObject({ number: 1, state: 'live', position: last });
      touchy.unbearable = undefined;
      await views.setStopped(stopped ?? generation, undefined);
      await isLive(generation);
      await isAsExpected(touchy.projection);
    });
  });

suite('SQLite', () => new SqliteViews(temporaryDirectory()));
withMongo('a rebuild in parts on MongoDB', (mongo) =>
  suite('MongoDB', () => new MongoViews(new MongoConnection(mongo.newUrl()))),
);

describe('a document of a read model', () => {
  const facts = new SqliteFacts(temporaryDirectory());
  afterAll(() => facts.close());

  it('belongs to the events of one stream, so that parts can be folded apart', async () => {
    await new Historian(facts, 25).record(200);
    for (const { aggregates, collections } of allProjections) {
      const events = await eventsIn(facts, aggregates);
      const pairs = collections.flatMap((collection) => events.flatMap((event) => pairOf(collection, event)));
      const streams = new Map(pairs.map(({ id, stream }) => [id, stream]));
      expect(new Set(streams.values()).size).toBeGreaterThan(1);
      for (const { id, stream } of pairs) expect(streams.get(id)).toBe(stream);
    }
  });
});

const pairOf = (collection: ProjectedCollection, event: RecordedEvent) => {
  const { stream } = event;
  const id = documentIdOf(collection, event, stream.slice(stream.indexOf('-') + 1));
  return id === undefined ? [] : [{ id: `${collection.name} ${id}`, stream }];
};
