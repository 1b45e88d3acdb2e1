// What a projection does with an event that it cannot fold, or whose documents the store does not take.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import type { Facts, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import type { Commit } from '../../src/infrastructure/views/views.js';
import { allProjections } from '../../src/projections/all.js';
import { institutions } from '../../src/projections/institutions.js';
import { protocols } from '../../src/projections/protocols.js';
import { created } from '../domain/support/protocol-samples.js';
import { newEvent, written } from '../infrastructure/facts/support/harness.js';
import { eventually } from '../support/eventually.js';
import { FragileProjection } from './support/fragile.js';
import { Historian } from './support/history.js';
import { intercepted } from './support/intercepted.js';
import { eventsIn } from './support/replay.js';
import { ProjectionStores } from './support/stores.js';

/** Returns the error with which the store rejects a commit, undefined if it accepts the commit. */
type Rejects = (commit: Commit) => Error | undefined;

const tooLarge =
  (name: string): Rejects =>
  ({ writes }) =>
    writes.some(({ body }) => body.includes(name)) ? new RangeError('it is too large') : undefined;

/** Two projections, one of which finds fault with the events that a test chooses. */
const setUp = async () => {
  const [fragile, healthy] = [new FragileProjection('fragile'), new FragileProjection('healthy')];
  const projections = [fragile.projection, healthy.projection];
  const stores = await ProjectionStores.of(projections);
  const store: { rejects: Rejects; commits: Commit[] } = { rejects: () => undefined, commits: [] };
  const views = intercepted(stores.views, async (name, [commit], call) => {
    if (name !== 'commit' || commit === undefined) return call();
    const { lease } = commit as Commit;
    if (lease.projection === 'fragile') store.commits.push(commit);
    const error = store.rejects(commit);
    if (error !== undefined) throw error;
    return call();
  });
  const startWorker = () => stores.startWorker(projections, { views, pollMs: 20 });
  const append = (...names: readonly string[]) => fragile.append(stores.facts, ...names);
  const names = async () => (await stores.listed('fragileNames')).map((each) => (each as { name: string }).name);
  return { fragile, healthy, stores, store, startWorker, append, names };
};
type Projections = Awaited<ReturnType<typeof setUp>>;

const stoppedIs = ({ metrics }: ReturnType<Projections['startWorker']>, value: 0 | 1) =>
  eventually(async () =>
    expect(await metrics.text(new Map())).toContain(`projection_stopped{projection="fragile"} ${value}`),
  );

describe.each([
  {
    what: 'cannot be folded',
    reason: 'this name fails',
    set: ({ fragile }: Projections, name?: string) => {
      fragile.failsOn = name;
    },
  },
  {
    what: 'makes a document that cannot be indexed',
    reason: 'this name has no index',
    set: ({ fragile }: Projections, name?: string) => {
      fragile.failsToIndex = name;
    },
  },
  {
    what: 'makes a document that the store rejects',
    reason: 'it is too large',
    set: ({ store }: Projections, name?: string) => {
      store.rejects = name === undefined ? () => undefined : tooLarge(name);
    },
  },
])('an event that $what', ({ reason, set }) => {
  it('stops its projection, which has stored all events before it and reports the event without its content', async () => {
    const all = await setUp();
    set(all, 'a secret');
    const [, good, bad] = await all.append('one', 'two', 'a secret', 'three');
    const worker = all.startWorker();
    const stopped = await all.stores.waitUntilStopped('fragile', bad);
    expect(stopped).toMatchObject({ position: good, state: 'live' });
    expect(stopped.stopped?.reason).toMatch(
      new RegExp(`^Happened in fragile-\\S+ at revision 0: RangeError: ${reason}$`),
    );
    await all.stores.expectFolded(all.fragile.projection, { upTo: good ?? '' });
    await stoppedIs(worker, 1);
  });

  it('changes no collection, even if it is the first event', async () => {
    const all = await setUp();
    set(all, 'bad');
    const [bad] = await all.append('bad');
    all.startWorker();
    expect((await all.stores.waitUntilStopped('fragile', bad)).position).toBeUndefined();
    await all.stores.expectFolded(all.fragile.projection, { upTo: '' });
  });

  it('is neither skipped nor tried again, and does not block other projections', async () => {
    const all = await setUp();
    set(all, 'bad');
    const [good, bad] = await all.append('one', 'bad');
    all.startWorker();
    await all.stores.waitUntilStopped('fragile', bad);
    const tried = all.store.commits.length;
    await all.append('two', 'three');
    for (const name of ['four', 'five', 'six']) {
      const [last] = await all.healthy.append(all.stores.facts, name);
      await all.stores.waitUntilReached('healthy', last);
    }
    await all.stores.expectFolded(all.healthy.projection);
    expect(await all.stores.generations('healthy')).toMatchObject([{ stopped: undefined }]);
    expect(await all.stores.generations('fragile')).toMatchObject([{ position: good, stopped: { position: bad } }]);
    expect(await all.names()).toEqual(['one']);
    expect(all.store.commits).toHaveLength(tried);
  });

  it('is folded after a retry once it is no longer at fault, and nothing is missed', async () => {
    const all = await setUp();
    set(all, 'bad');
    const [, bad] = await all.append('one', 'bad', 'two');
    const worker = all.startWorker();
    const stopped = await all.stores.waitUntilStopped('fragile', bad);
    set(all);
    await all.stores.retry(stopped);
    const [last] = await all.append('three');
    await all.stores.waitUntilReached('fragile', last);
    await all.stores.expectFolded(all.fragile.projection);
    expect(await all.stores.generations('fragile')).toMatchObject([{ stopped: undefined }]);
    await stoppedIs(worker, 0);
  });

  it('stops its projection again after a retry while it is at fault, and so does the next such event', async () => {
    const all = await setUp();
    set(all, 'bad');
    const [, bad, , worse] = await all.append('one', 'bad', 'two', 'worse');
    all.startWorker();
    for (let time = 1; time <= 2; time += 1) {
      await all.stores.retry(await all.stores.waitUntilStopped('fragile', bad));
    }
    const stopped = await all.stores.waitUntilStopped('fragile', bad);
    set(all, 'worse');
    await all.stores.retry(stopped);
    await all.stores.waitUntilStopped('fragile', worse);
    expect(await all.names()).toEqual(['one', 'bad', 'two']);
  });
});

describe('a stopped projection', () => {
  it('is behind the log, even if only the last event is missing', async () => {
    const all = await setUp();
    all.fragile.failsOn = 'bad';
    const [, bad] = await all.append('one', 'bad');
    const { metrics } = all.startWorker();
    await all.stores.waitUntilStopped('fragile', bad);
    expect(await metrics.text(new Map())).toMatch(/projection_lag_seconds\{projection="fragile"\} [1-9]/);
  });

  it('stays stopped for other processes, which try the event only once', async () => {
    const all = await setUp();
    all.fragile.failsOn = 'bad';
    const [good, bad] = await all.append('one', 'bad');
    all.startWorker();
    await all.stores.waitUntilStopped('fragile', bad);
    await stoppedIs(all.startWorker(), 1);
    expect(await all.stores.waitUntilStopped('fragile', bad)).toMatchObject({ position: good });
  });

  it('continues in a process that has just started and can fold the event', async () => {
    const all = await setUp();
    all.fragile.failsOn = 'bad';
    const [, bad] = await all.append('one', 'bad', 'two');
    const former = all.startWorker();
    await all.stores.waitUntilStopped('fragile', bad);
    await former.close();
    all.fragile.failsOn = undefined;
    const [last] = await all.append('three');
    all.startWorker();
    await all.stores.waitUntilReached('fragile', last);
    await all.stores.expectFolded(all.fragile.projection);
  });
});

describe('the event that a store rejects', () => {
  it.each([
    ...[0, 1, 64, 99].map((index) => ({ index, count: 100 })),
    ...[0, 255, 256, 1_000, 2_999].map((index) => ({ index, count: 3_000 })),
  ])('is found among $count events: at $index', async ({ index, count }) => {
    const all = await setUp();
    all.store.rejects = tooLarge('bad');
    const names = Array.from({ length: count }, (_, n) => (n === index ? 'bad' : `${n}`));
    const appended = names.map((name) =>
      all.stores.facts.append(`fragile-${randomUUID()}`, 'no-stream', [newEvent({ name })]),
    );
    const positions = (await Promise.all(appended)).map((outcome) => written(outcome).position);
    all.startWorker();
    expect((await all.stores.waitUntilStopped('fragile', positions[index])).position).toBe(positions[index - 1]);
    await all.stores.expectFolded(all.fragile.projection, { upTo: positions[index - 1] ?? '' });
  });
});

describe('a store that is unavailable', () => {
  it('stops no projection, which continues when the store is back', async () => {
    const all = await setUp();
    let failures = 5;
    all.store.rejects = ({ lease }) => {
      if (lease.projection !== 'fragile' || failures === 0) return undefined;
      failures -= 1;
      return new StoreUnavailable('the store', 'it is down');
    };
    const [, , last] = await all.append('one', 'bad', 'two');
    all.startWorker();
    await all.stores.waitUntilReached('fragile', last);
    expect(failures).toBe(0);
    expect(await all.stores.generations('fragile')).toMatchObject([{ stopped: undefined }]);
    await all.stores.expectFolded(all.fragile.projection);
  });

  it('stops no projection during the search for an event at fault', async () => {
    const all = await setUp();
    let calls = 0;
    all.store.rejects = (commit) => {
      if (commit.lease.projection !== 'fragile') return undefined;
      calls += 1;
      return calls === 2 ? new StoreUnavailable('the store', 'it is down') : tooLarge('bad')(commit);
    };
    const [, , bad] = await all.append('one', 'two', 'bad');
    all.startWorker();
    await all.stores.waitUntilStopped('fragile', bad);
    expect(calls).toBeGreaterThan(2);
  });
});

describe('the projections of the service', () => {
  it.each([
    { what: 'are null', of: () => null },
    { what: 'lack the question', of: (formId: unknown) => ({ formId, moved: [] }) },
    { what: 'have null for the question', of: (formId: unknown) => ({ formId, question: null, moved: [] }) },
    { what: 'lack the list of moved questions', of: (formId: unknown) => ({ formId, question: {} }) },
  ])('stop only protocols at an event whose data $what', async ({ of }) => {
    const stores = await ProjectionStores.of(allProjections);
    await new Historian(stores.facts, 7).record(40);
    const good = (await eventsIn(stores.facts, ['protocol'])).at(-1)?.position;
    const bad = await spoil(stores.facts, await eventsIn(stores.facts, ['protocol']), of);
    await new Historian(stores.facts, 8).record(10);
    const { progress } = stores.startWorker(allProjections);
    expect((await stores.waitUntilStopped(protocols.name, bad)).position).toBe(good);
    await stores.expectFolded(protocols, { upTo: good ?? '' });
    expect(await progress.reached(institutions.name, (await stores.facts.head()) ?? '', 20_000)).toBe(true);
  });
});

/** Appends a question with invalid data to the newest form, and returns its position. */
const spoil = async (facts: Facts, events: readonly RecordedEvent[], dataOf: (formId: unknown) => unknown) => {
  const version = events.findLast(({ type }) => type === 'ProtocolFormVersionCreated');
  const stream = version?.stream ?? '';
  const { formId } = (version?.data ?? {}) as { formId?: unknown };
  const revision = events.filter((event) => event.stream === stream).length - 1;
  const event = { ...newEvent(dataOf(formId)), type: 'ProtocolQuestionAdded' };
  return written(await facts.append(stream, revision, [event])).position;
};

it('a commit is bounded by the bytes of its events, not only by their number', async () => {
  const stores = await ProjectionStores.of([protocols]);
  const prompt = 'x'.repeat(900_000);
  for (let n = 0; n < 40; n += 1) {
    const event = { ...newEvent({ ...created.data, prompt }), type: created.type };
    await stores.facts.append(`protocol-${randomUUID()}`, 'no-stream', [event]);
  }
  const sizes: number[] = [];
  const views = intercepted(stores.views, (name, given, call) => {
    const writes = name === 'commit' ? given.flatMap((commit: Commit) => commit.writes) : [];
    if (writes.length > 0) sizes.push(writes.reduce((sum, { body }) => sum + body.length, 0));
    return call();
  });
  stores.startWorker([protocols], { views });
  await stores.waitUntilCaughtUp(protocols);
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(40 * 900_000);
  expect(Math.max(...sizes)).toBeLessThan(10 * 1_024 * 1_024);
});
