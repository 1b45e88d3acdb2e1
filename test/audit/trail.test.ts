// Reads one stream of the trail page by page. A page costs what it returns, however long the stream is.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { AuditTrail, type ReadOrder, type TrailPage } from '../../src/audit/trail.js';
import { PAGE } from '../../src/infrastructure/pages.js';
import { dataOf, newEvents, newStream } from '../infrastructure/facts/support/harness.js';
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
    for (const read of ['readStream', 'readStreamBackwards'] as const) {
      const original = facts[read].bind(facts);
      vi.spyOn(facts, read).mockImplementation((name: string, from?: number) => {
        begins.push(from);
        return original(name, from);
      });
    }
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
