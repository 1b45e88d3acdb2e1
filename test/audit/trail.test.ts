// Reads one stream of the trail page by page. A page costs what it returns, however long the stream is.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { AuditTrail, type ReadOrder, type TrailFilter, type TrailPage } from '../../src/audit/trail.js';
import { firstOf } from '../../src/infrastructure/facts/facts.js';
import { PAGE } from '../../src/infrastructure/pages.js';
import { dataOf, newEvent, newEvents, newStream } from '../infrastructure/facts/support/harness.js';
import { expectTurns } from '../support/event-loop.js';
import { MemoryFacts } from '../support/memory-facts.js';

const EVENTS = 3_000;
const LIMITS = { events: 100, logPages: 200 };

describe('the trail of one stream', () => {
  const facts = new MemoryFacts();
  const stream = newStream('protocol');
  const trail = new AuditTrail(facts);
  /** The revisions at which the streams were read. */
  const begins: (number | undefined)[] = [];

  beforeAll(async () => {
    await facts.append(stream, 'no-stream', newEvents(EVENTS));
    const original = facts.readStream.bind(facts);
    vi.spyOn(facts, 'readStream').mockImplementation((name, range) => {
      begins.push(range?.from);
      return original(name, range);
    });
  });

  const pagesOf = async (isBackwards: boolean) => {
    const pages: TrailPage[] = [];
    begins.length = 0;
    for (let order: ReadOrder = { from: undefined, isBackwards }; pages.at(-1)?.atEnd !== true; ) {
      const page = await trail.page({ stream }, order, LIMITS);
      pages.push(page);
      order = { from: page.position, revision: page.revision, isBackwards };
    }
    return dataOf(pages.flatMap(({ events }) => events));
  };
  const all = Array.from({ length: EVENTS }, (_, n) => n);

  it('starts each page at its place in the stream, oldest first', async () => {
    expect(await pagesOf(false)).toEqual(all);
    const places = Array.from({ length: EVENTS / LIMITS.events - 1 }, (_, n) => (n + 1) * LIMITS.events);
    expect(begins).toEqual([0, ...places.flatMap((place) => [place - 1, place])]);
  });

  it('starts each page at its place in the stream, newest first', async () => {
    expect(await pagesOf(true)).toEqual(all.toReversed());
    expect(begins.slice(0, 3)).toEqual([undefined, EVENTS - 101, EVENTS - 201]);
  });

  it('continues after a position alone, too', async () => {
    const { position } = await trail.page({ stream }, { from: undefined, isBackwards: false }, LIMITS);
    const next = await trail.page({ stream }, { from: position, isBackwards: false }, LIMITS);
    expect(dataOf(next.events)).toEqual(all.slice(100, 200));
  });

  it('finds the place after a position with few reads, however long the stream is', async () => {
    const { position } = await trail.page(
      { stream },
      { from: undefined, isBackwards: false },
      { ...LIMITS, events: 2_000 },
    );
    begins.length = 0;
    const page = await trail.page({ stream }, { from: position, isBackwards: false }, LIMITS);
    expect(dataOf(page.events)).toEqual(all.slice(2_000, 2_100));
    expect(begins.at(-1)).toBeGreaterThan(2_000 - 256);
    expect(begins.length).toBeLessThan(8);
  });

  it('reads only the end of the stream after the last position', async () => {
    const { position } = await trail.page(
      { stream },
      { from: undefined, isBackwards: false },
      { ...LIMITS, events: EVENTS },
    );
    begins.length = 0;
    const page = await trail.page({ stream }, { from: position, isBackwards: false }, LIMITS);
    expect(page).toMatchObject({ events: [], position, atEnd: true });
    expect(begins).toEqual([undefined, EVENTS]);
  });

  it('has no events of a stream that does not exist', async () => {
    const order = { from: '0'.repeat(16), isBackwards: false };
    expect((await trail.page({ stream: newStream('protocol') }, order, LIMITS)).events).toEqual([]);
  });

  it('starts a poll at its place, and finds only what was recorded since', async () => {
    const before = await trail.page({ stream }, { from: undefined, isBackwards: false }, { ...LIMITS, events: EVENTS });
    begins.length = 0;
    const poll = { from: before.position, revision: before.revision, isBackwards: false };
    const page = await trail.page({ stream }, poll, LIMITS);
    expect(page).toEqual({ events: [], position: before.position, revision: EVENTS - 1, atEnd: true });
    expect(begins).toEqual([EVENTS - 1, EVENTS]);
  });

  it.each([
    { what: 'shorter', events: 10 },
    { what: 'longer', events: 200 },
  ])('misses no event after a place in another stream that is $what', async ({ events }) => {
    const other = newStream('protocol');
    await facts.append(other, 'no-stream', newEvents(events));
    const { position, revision } = await trail.page({ stream }, { from: undefined, isBackwards: false }, LIMITS);
    const page = await trail.page({ stream: other }, { from: position, revision, isBackwards: false }, LIMITS);
    expect(dataOf(page.events)).toEqual(all.slice(0, Math.min(events, LIMITS.events)));
  });

  it('continues behind events that the filter leaves out', async () => {
    const limits = { events: 100, logPages: 2 };
    const page = await trail.page({ stream, type: 'Other' }, { from: undefined, isBackwards: false }, limits);
    expect(page).toMatchObject({ events: [], revision: 2 * (PAGE.items - 1) - 1, atEnd: false });
  });

  it('has no revision in pages of the whole log, which has many streams', async () => {
    const page = await trail.page({}, { from: undefined, isBackwards: false }, LIMITS);
    expect([page.events.length, page.revision]).toEqual([100, undefined]);
  });
});

describe('a filter of the trail', () => {
  const facts = new MemoryFacts();
  const trail = new AuditTrail(facts);
  const minute = (n: number) => `2026-01-05T08:0${n}:00.000Z`;

  beforeAll(async () => {
    // One event a minute.
    const recorded = [
      ['protocol', 'Even', 'ana'],
      ['protocol', 'Odd', 'ana'],
      ['protocol', 'Even', 'ana'],
      ['protocol', 'Odd', 'rita'],
      ['specialty', 'Even', 'rita'],
      ['specialty', 'Odd', 'rita'],
    ] as const;
    for (const [n, [category, type, id]] of recorded.entries()) {
      const event = { ...newEvent(n), type };
      const by = { ...event.metadata, at: minute(n), actor: { id, roles: [] } };
      await facts.append(newStream(category), 'no-stream', [{ ...event, metadata: by }]);
    }
  });

  it.each<[TrailFilter, readonly number[]]>([
    [{}, [0, 1, 2, 3, 4, 5]],
    [{ category: 'specialty' }, [4, 5]],
    [{ type: 'Odd' }, [1, 3, 5]],
    [{ actor: 'ana' }, [0, 1, 2]],
    [{ type: 'Odd', actor: 'rita' }, [3, 5]],
    [{ from: minute(4) }, [4, 5]],
    [{ to: minute(1) }, [0]],
    [{ to: `2026-01-05T08:01:00.0001Z` }, [0, 1]],
    [{ from: `2026-01-05T08:04:00.000000001Z` }, [5]],
    [{ from: '2026-01-05T05:02:00-03:00', to: '2026-01-05T09:04:00+01:00' }, [2, 3]],
    [{ from: minute(2), to: minute(3), type: 'Even' }, [2]],
    [{ from: minute(2), to: minute(2) }, []],
  ])('%j finds %j, oldest first and newest first', async (filter, expected) => {
    for (const isBackwards of [false, true]) {
      const { events, atEnd } = await trail.page(filter, { from: undefined, isBackwards }, LIMITS);
      expect([dataOf(events), atEnd]).toEqual([isBackwards ? expected.toReversed() : expected, true]);
    }
  });

  it.each([
    [minute(3), minute(3)],
    [minute(4), minute(1)],
    ['2026-01-05T08:01:00.0002Z', '2026-01-05T08:01:00.0009Z'],
  ])('from %s to %s finds nothing, and reads nothing', async (from, to) => {
    const unread = new AuditTrail({ ...facts, readLog: () => Promise.reject(new Error('the log was read')) } as never);
    for (const isBackwards of [false, true]) {
      const page = await unread.page({ from, to }, { from: undefined, isBackwards }, LIMITS);
      expect([page.events, page.atEnd]).toEqual([[], true]);
    }
  });

  it('of a page that is full ends the page, and the next page continues behind it', async () => {
    const limits = { ...LIMITS, events: 2 };
    const page = await trail.page({ type: 'Even' }, { from: undefined, isBackwards: false }, limits);
    expect([dataOf(page.events), page.atEnd]).toEqual([[0, 2], false]);
    const next = await trail.page({ type: 'Even' }, { from: page.position, isBackwards: false }, limits);
    expect(dataOf(next.events)).toEqual([4]);
  });
});

describe('a read of the trail up to a position, while more is recorded', () => {
  const stream = newStream('protocol');
  const all = Array.from({ length: 600 }, (_, n) => n);

  /** Reads up to an event, and records another event after each page. */
  const readUpTo = async (last: number, filter: TrailFilter, isBackwards: boolean) => {
    const facts = new MemoryFacts();
    await facts.append(stream, 'no-stream', newEvents(all.length));
    const order = {
      from: undefined,
      isBackwards,
      end: (await firstOf(facts.readStream(stream, { from: last })))?.position,
    };
    const found: unknown[] = [];
    let revision = all.length - 1;
    for await (const { events } of new AuditTrail(facts).read(filter, order)) {
      found.push(...dataOf(events));
      await facts.append(stream, revision, newEvents(1, -1));
      revision += 1;
      expect(revision).toBeLessThan(2 * all.length);
    }
    return found;
  };

  it.each([0, 254, 255, 256, 599])('ends at event %i', async (last) => {
    const expected = all.slice(0, last + 1);
    for (const filter of [{ stream }, { category: 'protocol' }, {}]) {
      expect(await readUpTo(last, filter, false)).toEqual(expected);
      expect(await readUpTo(last, filter, true)).toEqual(expected.toReversed());
    }
  });
});

describe('the trail of a long log', () => {
  const APPENDS = 80;
  const EVENTS_AT_ONCE = 500;
  const facts = new MemoryFacts();
  const trail = new AuditTrail(facts);
  const order: ReadOrder = { from: undefined, isBackwards: false };

  beforeAll(async () => {
    const stream = newStream('protocol');
    for (let n = 0; n < APPENDS; n += 1) {
      const expected = n === 0 ? 'no-stream' : n * EVENTS_AT_ONCE - 1;
      await facts.append(stream, expected, newEvents(EVENTS_AT_ONCE));
    }
  });

  it('leaves the event loop to others while a page looks for events that it does not find', () =>
    expectTurns(async () => expect((await trail.page({ type: 'Other' }, order, LIMITS)).events).toEqual([])));

  it('leaves the event loop to others while it is read to its end without a match', () =>
    expectTurns(async () => {
      for await (const page of trail.read({ type: 'Other' }, order)) expect(page.events).toEqual([]);
    }));
});
