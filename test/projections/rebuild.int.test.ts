import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { LogRange } from '../../src/infrastructure/facts/facts.js';
import { allProjections } from '../../src/projections/all.js';
import { foldPage } from '../../src/projections/fold-page.js';
import { protocols } from '../../src/projections/protocols.js';
import { leased } from '../infrastructure/views/support/harness.js';
import { eventually } from '../support/eventually.js';
import { FragileProjection } from './support/fragile.js';
import { Historian } from './support/history.js';
import { intercepted } from './support/intercepted.js';
import { eventsIn } from './support/replay.js';
import { ProjectionStores } from './support/stores.js';

const named = (...names: readonly string[]) => names.map((name) => ({ name }));

describe('a rebuild', () => {
  it('serves the old generation without gaps while writes continue, and then the new generation', async () => {
    const stores = await ProjectionStores.of(allProjections);
    const historian = await new Historian(stores.facts, 11).record(150);
    stores.startWorker(allProjections);
    await stores.waitUntilCaughtUp(protocols);

    let writing = true;
    const reading = watch(stores, [...historian.protocols.keys()], () => writing);
    const written = write(historian, () => writing);
    for (let time = 1; time <= 5; time += 1) await stores.waitUntilLive(await stores.views.startGeneration(protocols));
    writing = false;
    await written;
    const seen = await reading;
    expect(seen.gaps).toEqual([]);
    expect(seen.reads).toBeGreaterThan(10);

    await stores.waitUntilCaughtUp(protocols);
    await stores.expectFolded(protocols);
  });

  it('of an empty log is live immediately, and folds later events', async () => {
    const stores = await ProjectionStores.of(allProjections);
    stores.startWorker(allProjections);
    await stores.waitUntilLive(await stores.views.startGeneration(protocols));
    expect(await stores.generations(protocols.name)).toMatchObject([{ position: undefined }]);
    await new Historian(stores.facts, 12).record(20);
    await stores.waitUntilCaughtUp(protocols);
    await stores.expectFolded(protocols);
  });

  it('that was killed halfway continues from its checkpoint', async () => {
    const stores = await ProjectionStores.of([protocols]);
    const { facts, views } = stores;
    await new Historian(facts, 13).record(120);
    const events = await eventsIn(facts, ['protocol']);
    const half = events.slice(0, Math.floor(events.length / 2));
    const generation = await views.startGeneration(protocols);
    const lease = await leased(views, generation, 'a worker that died');
    const position = half.at(-1)?.position ?? '';
    const { writes } = await foldPage(views, generation, protocols, { events: half, position, atEnd: false });
    await views.commit({ lease, writes, position });
    await views.release(lease);

    const from: unknown[] = [];
    const recording = intercepted(facts, (name, given, call) => {
      if (name === 'subscribe') from.push(...given.slice(0, 1).map(({ after }: LogRange) => after));
      return call();
    });
    stores.startWorker([protocols], { facts: recording });
    await stores.waitUntilLive(generation);
    expect(from.toSorted()).toEqual([position, undefined]);
    await stores.expectFolded(protocols);
  });

  it('of a newer version runs beside the old version, which serves until the end, even in another process', async () => {
    const [older, newer] = [new FragileProjection('aging'), new FragileProjection('aging', 2)];
    const stores = await ProjectionStores.of([older.projection]);
    const waitUntilNames = (names: readonly object[]) =>
      eventually(async () => expect(await stores.listed('agingNames')).toEqual(names));
    await older.append(stores.facts, 'one', 'two');
    stores.startWorker([older.projection]);
    await waitUntilNames(named('one', 'two'));

    newer.failsOn = 'two';
    await stores.views.prepare(newer.projection);
    stores.startWorker([newer.projection]);
    const building = await stores.waitUntilStopped('aging');
    await older.append(stores.facts, 'three');
    await waitUntilNames(named('one', 'two', 'three'));

    newer.failsOn = undefined;
    await stores.retry(building);
    await stores.waitUntilLive(building);
    await older.append(stores.facts, 'four');
    await waitUntilNames(named(...['one', 'two', 'three', 'four'].map((name) => `${name}, version 2`)));
  });

  it('of a newer version is started by a running worker if no generation of that version exists', async () => {
    const [older, newer] = [new FragileProjection('aging'), new FragileProjection('aging', 2)];
    const stores = await ProjectionStores.of([older.projection]);
    await older.append(stores.facts, 'one');
    stores.startWorker([newer.projection]);
    await stores.waitUntilLive({ projection: 'aging', number: 2 });
    expect(await stores.listed('agingNames')).toEqual(named('one, version 2'));
  });

  it('that stops does not become live, even if the old generation has not folded the event either', async () => {
    const [older, newer] = [new FragileProjection('aging'), new FragileProjection('aging', 2)];
    const stores = await ProjectionStores.of([older.projection]);
    await older.append(stores.facts, 'one');
    const former = stores.startWorker([older.projection]);
    await stores.waitUntilCaughtUp(older.projection);
    await former.close();
    await older.append(stores.facts, 'two');
    newer.failsOn = 'two';
    await stores.views.prepare(newer.projection);
    stores.startWorker([newer.projection]);
    expect(await stores.waitUntilStopped('aging')).toMatchObject({ number: 2, state: 'building' });
    stores.startWorker([older.projection]);
    await eventually(async () => expect(await stores.listed('agingNames')).toEqual(named('one', 'two')));
  });

  it('stops at an event that it cannot fold, and the old generation continues to serve', async () => {
    const fragile = new FragileProjection('fragile');
    const stores = await ProjectionStores.of([fragile.projection]);
    await fragile.append(stores.facts, 'one', 'two');
    stores.startWorker([fragile.projection]);
    await stores.waitUntilCaughtUp(fragile.projection);
    fragile.failsOn = 'two';
    const { number } = await stores.views.startGeneration(fragile.projection);
    expect(await stores.waitUntilStopped('fragile')).toMatchObject({ number, state: 'building' });
    const [last] = await fragile.append(stores.facts, 'three');
    await stores.waitUntilReached('fragile', last);
    expect(await stores.listed('fragileNames')).toEqual(named('one', 'two', 'three'));
  });
});

/** Sends commands until the test stops it. */
const write = async (historian: Historian, isRunning: () => boolean): Promise<void> => {
  while (isRunning()) await historian.record(5);
};

/** Reads these protocols continuously. A gap is a protocol that is missing or older than before. */
const watch = async (stores: ProjectionStores, ids: readonly string[], isRunning: () => boolean) => {
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
    for (const id of ids) compare(id, (await stores.views.get('protocols', id))?.revision ?? -1);
    compare('the list', (await stores.listed('protocols')).length);
  }
  return { gaps, reads };
};
