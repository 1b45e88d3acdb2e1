import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Facts, LogRange, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import type { Generation } from '../../src/infrastructure/views/views.js';
import { allProjections } from '../../src/projections/all.js';
import { foldPage } from '../../src/projections/fold-page.js';
import { documentIdOf, type ProjectedCollection, type Projection } from '../../src/projections/projection.js';
import { protocols } from '../../src/projections/protocols.js';
import { checkpointsOf } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { FragileProjection } from './fragile.js';
import { Historian } from './history.js';
import { eventsIn, expectedOf, replayed, snapshotOf, startRunner } from './replay.js';

describe('a rebuild', () => {
  let facts: SqliteFacts;
  let views: SqliteViews;
  const closings: (() => Promise<void>)[] = [];

  beforeEach(() => {
    const directory = temporaryDirectory();
    facts = new SqliteFacts(directory);
    views = new SqliteViews(directory);
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
      expect(await checkpointsOf(views, projection)).toMatchObject([{ number, state: 'live' }]);
    });
  const reaches = async (name: string, position: string | undefined) =>
    eventually(async () => expect((await checkpointsOf(views, name))[0]?.position).toBe(position));

  it('serves the old generation without gaps while writes continue, and then the new generation', async () => {
    const historian = await new Historian(facts, 11).record(150);
    await work(allProjections);
    await reaches(protocols.name, await facts.head());

    let writing = true;
    const reading = watch(views, [...historian.protocols.keys()], () => writing);
    const written = write(historian, () => writing);
    for (let time = 1; time <= 5; time += 1) await isLive(await views.startGeneration(protocols));
    writing = false;
    await written;
    const seen = await reading;
    expect(seen.gaps).toEqual([]);
    expect(seen.reads).toBeGreaterThan(10);

    const head = await facts.head();
    await reaches(protocols.name, head);
    const fresh = await replayed(facts, [protocols]);
    expect(await snapshotOf(views, protocols)).toStrictEqual(await snapshotOf(fresh, protocols));
    await fresh.close();
  });

  it('of an empty log is live immediately, and folds later events', async () => {
    await work(allProjections);
    const generation = await views.startGeneration(protocols);
    await isLive(generation);
    expect((await checkpointsOf(views, protocols.name))[0]?.position).toBeUndefined();
    await new Historian(facts, 12).record(20);
    await reaches(protocols.name, await facts.head());
    const events = await eventsIn(facts, ['protocol']);
    expect(await snapshotOf(views, protocols)).toStrictEqual(expectedOf(protocols, events));
  });

  it('that was killed halfway continues from its checkpoint', async () => {
    await new Historian(facts, 13).record(120);
    const events = await eventsIn(facts, ['protocol']);
    const half = events.slice(0, Math.floor(events.length / 2));
    await views.prepare(protocols);
    const generation = await views.startGeneration(protocols);
    const lease = await views.acquire(generation, 'a worker that died', 1);
    if (lease === undefined) throw new Error('another worker holds the generation');
    const position = half.at(-1)?.position;
    const page = { events: half, position, atEnd: false };
    const { writes } = await foldPage(views, generation, protocols, page);
    await views.commit({ lease, writes, position: position ?? '' });

    const ranges: LogRange[] = [];
    await work([protocols], recordingRanges(facts, ranges));
    await isLive(generation);
    expect(ranges.map(({ after }) => after).toSorted()).toEqual([position, undefined]);
    expect(await snapshotOf(views, protocols)).toStrictEqual(expectedOf(protocols, events));
  });

  it('of a newer version runs beside the old version, which serves until the end, even in another process', async () => {
    const [older, newer] = [new FragileProjection('aging'), new FragileProjection('aging', 2)];
    await older.append(facts, 'one', 'two');
    const names = async (): Promise<unknown[]> =>
      JSON.parse((await views.list({ ...all, collection: 'agingNames' })).json);
    await work([older.projection]);
    await eventually(async () => expect(await names()).toHaveLength(2));

    newer.failsOn = 'two';
    await work([newer.projection]);
    await eventually(async () => expect((await checkpointsOf(views, 'aging'))[1]?.stopped).toBeDefined());
    await older.append(facts, 'three');
    await eventually(async () => expect(await names()).toEqual(['one', 'two', 'three'].map((name) => ({ name }))));

    newer.failsOn = undefined;
    const building = (await checkpointsOf(views, 'aging'))[1];
    if (building !== undefined) await views.setStopped(building, undefined);
    await isLive({ projection: 'aging', number: building?.number ?? 0 });
    await older.append(facts, 'four');
    const renamed = ['one', 'two', 'three', 'four'].map((name) => ({ name: `${name}, version 2` }));
    await eventually(async () => expect(await names()).toEqual(renamed));
  });

  it('of a newer version is started by a running worker if no generation of that version exists', async () => {
    const [older, newer] = [new FragileProjection('aging'), new FragileProjection('aging', 2)];
    await older.append(facts, 'one');
    await views.prepare(older.projection);
    closings.push(startRunner(facts, views, [newer.projection]).close);
    await isLive({ projection: 'aging', number: 2 });
    expect((await views.list({ ...all, collection: 'agingNames' })).json).toBe('[{"name":"one, version 2"}]');
  });

  it('stops at an event that it cannot fold, and the old generation continues to serve', async () => {
    const fragile = new FragileProjection('fragile');
    await fragile.append(facts, 'one', 'two');
    await work([fragile.projection]);
    await reaches('fragile', await facts.head());
    fragile.failsOn = 'two';
    await views.startGeneration(fragile.projection);
    await eventually(async () => expect((await checkpointsOf(views, 'fragile'))[1]?.stopped).toBeDefined());
    const [last] = await fragile.append(facts, 'three');
    await reaches('fragile', last);
    const listed = await views.list({ ...all, collection: 'fragileNames' });
    expect(JSON.parse(listed.json)).toEqual(['one', 'two', 'three'].map((name) => ({ name })));
  });
});

/** Returns the same log, and adds the range of each subscription to `ranges`. */
const recordingRanges = (facts: Facts, ranges: LogRange[]): Facts =>
  new Proxy(facts, {
    get: (target, name) => {
      if (name === 'subscribe') {
        return (range: LogRange, signal: AbortSignal) => {
          ranges.push(range);
          return target.subscribe(range, signal);
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

describe('a document of a read model', () => {
  it('belongs to the events of one stream, so that its revision is the revision of its stream', async () => {
    const facts = new SqliteFacts(temporaryDirectory());
    onTestFinished(() => facts.close());
    await new Historian(facts, 25).record(400);
    for (const { aggregates, folded } of allProjections) {
      const events = await eventsIn(facts, aggregates);
      const pairs = folded.flatMap((collection) => events.flatMap((event) => pairOf(collection, event)));
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

const all = { where: {}, prefix: {}, order: 'oldest-first', after: undefined, limit: 200 } as const;
/** Sends commands until the test stops it. */
const write = async (historian: Historian, isRunning: () => boolean): Promise<void> => {
  while (isRunning()) await historian.record(5);
};

/** Reads these protocols continuously. A gap is a protocol that is missing or older than before. */
const watch = async (views: SqliteViews, ids: readonly string[], isRunning: () => boolean) => {
  const newest = new Map<string, number>();
  const gaps: string[] = [];
  let reads = 0;
  const compare = (what: string, now: number) => {
    const before = newest.get(what) ?? 0;
    if (now < before) gaps.push(`${what} went from ${before} to ${now}`);
    newest.set(what, now);
  };
  for (; isRunning(); await nextTurn()) {
    reads += 1;
    for (const id of ids) compare(id, (await views.get('protocols', id))?.revision ?? -1);
    compare('the list', JSON.parse((await views.list({ ...all, collection: 'protocols' })).json).length);
  }
  return { gaps, reads };
};
