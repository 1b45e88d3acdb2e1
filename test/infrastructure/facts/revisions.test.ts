// Reads streams from which somebody has removed events: no reader may take the rest for the whole stream.
import { describe, expect, it } from 'vitest';
import { StreamTruncated } from '../../../src/infrastructure/errors.js';
import { eventsOf } from '../../../src/infrastructure/facts/revisions.js';
import { recorded } from '../../projections/support/recorded.js';
import { numbers } from '../../support/items.js';
import { MemoryFacts } from '../../support/memory-facts.js';
import { collect, newEvents, newStream, written } from './support/harness.js';

// More than two pages.
const MANY = 600;

interface Read {
  /** How many events the stream had, and the revisions of the removed events. */
  readonly had: number;
  readonly lacks?: readonly number[];
  readonly from?: number;
  readonly to?: number;
  readonly limit?: number;
}

const factsOf = async (stream: string, { had, lacks = [] }: Read): Promise<MemoryFacts> => {
  const facts = new MemoryFacts();
  if (had > 0) written(await facts.append(stream, 'no-stream', newEvents(had)));
  facts.alter((log) => log.filter(({ revision }) => !lacks.includes(revision)));
  return facts;
};

const upwards = async (read: Read): Promise<number[]> => {
  const stream = newStream();
  const facts = await factsOf(stream, read);
  return (await collect(facts.readStream(stream, read))).map(({ revision }) => revision);
};

const downwards = async (read: Read): Promise<number[]> => {
  const stream = newStream();
  const facts = await factsOf(stream, read);
  return (await collect(facts.readStream(stream, { ...read, backwards: true }))).map(({ revision }) => revision);
};

describe('a stream read forwards', () => {
  it.each<[string, Read, readonly number[]]>([
    ['from its first event', { had: MANY }, numbers(0, MANY - 1)],
    ['from a revision', { had: MANY, from: 300 }, numbers(300, MANY - 1)],
    ['from a revision behind a gap', { had: 5, lacks: [1], from: 3 }, [3, 4]],
    ['from the revision behind its last event', { had: 5, from: 5 }, []],
    ['without events', { had: 0, from: 5 }, []],
  ])('has all events %s', async (_, read, revisions) => expect(await upwards(read)).toEqual(revisions));

  it.each<[string, Read]>([
    ['at its start', { had: 5, lacks: [0, 1] }],
    ['at the revision of the read', { had: 5, lacks: [2], from: 2 }],
    ['within a page', { had: 5, lacks: [3] }],
    ['between two pages', { had: MANY, lacks: [256] }],
  ])('is truncated if events are missing %s', (_, read) => expect(upwards(read)).rejects.toThrow(StreamTruncated));
});

describe('a stream read backwards', () => {
  it.each<[string, Read, readonly number[]]>([
    ['from its last event', { had: 5 }, [4, 3, 2, 1, 0]],
    ['in full pages', { had: 512 }, numbers(0, 511).toReversed()],
    ['from a revision', { had: 5, from: 2 }, [2, 1, 0]],
    ['from a revision before a gap', { had: 5, lacks: [3], from: 2 }, [2, 1, 0]],
    ['to a revision behind a gap', { had: 5, lacks: [0], to: 1 }, [4, 3, 2, 1]],
    ['up to a limit, behind a gap', { had: 5, lacks: [0], limit: 4 }, [4, 3, 2, 1]],
    ['without events', { had: 0 }, []],
    ['without events, from a revision', { had: 0, from: 5 }, []],
  ])('has all events %s', async (_, read, revisions) => expect(await downwards(read)).toEqual(revisions));

  it.each<[string, Read]>([
    ['at its start', { had: 5, lacks: [0] }],
    ['at its start, for more than a page', { had: 5, lacks: [0, 1, 2] }],
    ['at the revision of the read', { had: 5, lacks: [4], from: 4 }],
    ['within a page', { had: 5, lacks: [3] }],
    ['between two pages', { had: MANY, lacks: [343] }],
    ['before the limit', { had: 5, lacks: [0], limit: 5 }],
  ])('is truncated if events are missing %s', (_, read) => expect(downwards(read)).rejects.toThrow(StreamTruncated));

  // An engine may not understand the revision -1.
  it('asks for no page before its first event', async () => {
    const asked: (number | undefined)[] = [];
    const events = eventsOf('user-1', { backwards: true }, async ({ from = 3 }) => {
      asked.push(from);
      const page = [from, from - 1].map((revision) => recorded(1, { type: 'Happened', data: {} }, { revision }));
      return { events: page, complete: false };
    });
    expect((await collect(events)).map(({ revision }) => revision)).toEqual([3, 2, 1, 0]);
    expect(asked).toEqual([3, 1]);
  });
});
