// Tests reads of the whole log, which take many pages.
import { describe, expect, it } from 'vitest';
import {
  eventsUntil,
  interpretable,
  type LogPage,
  type LogRange,
  logPages,
} from '../../../src/infrastructure/facts/facts.js';
import { recorded } from '../../projections/support/recorded.js';
import { numbers } from '../../support/items.js';
import { MemoryFacts } from '../../support/memory-facts.js';
import { dataOf, eventsOf, newAggregate, newEvents, newStream, written } from './support/harness.js';

// More than two pages.
const EVENTS = 600;

/** Returns a log with events of the data 0 to 599, then one of another aggregate. */
const filled = async () => {
  const facts = new MemoryFacts();
  const aggregate = newAggregate();
  written(await facts.append(newStream(aggregate), 'no-stream', newEvents(EVENTS)));
  const { position: head } = written(await facts.append(newStream(), 'no-stream', newEvents(1)));
  const range: LogRange = { aggregates: [aggregate], after: undefined };
  const all = eventsOf(await pagesIn(logPages(facts, range)));
  const placeOf = (data: number) => all[data]?.position ?? '';
  return { facts, range, head, placeOf };
};

const pagesIn = async <Page>(pages: AsyncIterable<Page>): Promise<Page[]> => {
  const all: Page[] = [];
  for await (const page of pages) all.push(page);
  return all;
};

describe('the pages of the log', () => {
  const readFrom = async (place: number | undefined, direction: 'forwards' | 'backwards'): Promise<LogPage[]> => {
    const { facts, range, placeOf } = await filled();
    const after = place === undefined ? undefined : placeOf(place);
    return pagesIn(logPages(facts, { ...range, after, direction }));
  };

  it.each([
    ['forwards', undefined, numbers(0, 599)],
    ['forwards', 99, numbers(100, 599)],
    ['forwards', 599, []],
    ['backwards', undefined, numbers(0, 599).toReversed()],
    ['backwards', 500, numbers(0, 499).toReversed()],
    ['backwards', 0, []],
  ] as const)('are all of the range, the last of them at its end: %s after %s', async (direction, place, data) => {
    const pages = await readFrom(place, direction);
    expect(dataOf(eventsOf(pages))).toEqual(data);
    expect(pages.map(({ atEnd }) => atEnd)).toEqual(pages.map((_, n) => n === pages.length - 1));
  });

  it('end with the reason of an abort', async () => {
    const { facts, range } = await filled();
    const abort = new AbortController();
    const pages = logPages(facts, range, abort.signal);
    await pages.next();
    abort.abort(new Error('stop'));
    await expect(pages.next()).rejects.toThrow('stop');
  });
});

describe('the events up to a position', () => {
  it.each([0, 300, 599])('include event %i at it, and no later one', async (last) => {
    const { facts, range, placeOf } = await filled();
    expect(dataOf((await pagesIn(eventsUntil(facts, range, placeOf(last)))).flat())).toEqual(numbers(0, last));
  });

  it('are all events of the range if another aggregate has the event at it', async () => {
    const { facts, range, head } = await filled();
    expect(dataOf((await pagesIn(eventsUntil(facts, range, head))).flat())).toEqual(numbers(0, 599));
  });

  it('are read no further than needed', async () => {
    const { facts, range, placeOf } = await filled();
    let reads = 0;
    const counting: Pick<MemoryFacts, 'readLog'> = {
      readLog: (...wanted) => {
        reads += 1;
        return facts.readLog(...wanted);
      },
    };
    await pagesIn(eventsUntil(counting, range, placeOf(255)));
    expect(reads).toBe(1);
  });
});

describe('an event', () => {
  const event = recorded(1, { type: 'Happened', data: {} });
  it.each([
    ['no flaw', event],
    ['values that cannot be read', { ...event, flaw: { kind: 'unreadable' } as const }],
  ])('may be interpreted if it has %s', (_, known) => expect(interpretable(known)).toBe(known));
});
