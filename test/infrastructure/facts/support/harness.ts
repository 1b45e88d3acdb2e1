// Helps the tests of the facts with two engines on one log, new streams, and reads of the whole log.
import { randomUUID } from 'node:crypto';
import type {
  AppendOutcome,
  EventMetadata,
  Expected,
  Facts,
  LogPage,
  LogRange,
  NewEvent,
  RecordedEvent,
} from '../../../../src/infrastructure/facts/facts.js';
import { TwoEngines } from '../../support/two-engines.js';

/** Two engines on one log. */
export class Log extends TwoEngines<Facts> {
  get facts(): Facts {
    return this.first;
  }
}

/** Returns the name of an aggregate without events. */
export const newAggregate = (): string => `a${randomUUID().replaceAll('-', '')}`;

/** Returns the name of a stream that does not exist. */
export const newStream = (aggregate = newAggregate()): string => `${aggregate}-${randomUUID()}`;

export const metadata: EventMetadata = {
  at: '2026-03-04T05:06:07.089Z',
  actor: { id: 'anonymous', roles: ['ADMINISTRATOR', 'AUDITOR'] },
  origin: 'https://example.org',
  correlationId: '4bf92f3577b34da6a3ce929d0e0e4736',
  causationId: 'request-1',
  schemaVersion: 1,
};

export const newEvent = (data: unknown = {}): NewEvent => ({ id: randomUUID(), type: 'Happened', data, metadata });

/** Returns events whose data are consecutive numbers from `from` on. */
export const newEvents = (count: number, from = 0): NewEvent[] =>
  Array.from({ length: count }, (_, n) => newEvent(from + n));

/** Returns the outcome of an append that must not conflict. */
export const written = (outcome: AppendOutcome): Extract<AppendOutcome, { outcome: 'written' }> => {
  if (outcome.outcome === 'conflict') throw new Error('the append conflicted');
  return outcome;
};

/** Starts a stream with `count` appends of one event each, one after the other. */
export const fill = async (facts: Facts, stream: string, count: number): Promise<void> => {
  let expected: Expected = 'no-stream';
  for (let n = 0; n < count; n += 1) expected = written(await facts.append(stream, expected, newEvents(1, n))).revision;
};

export const collect = async (events: AsyncIterable<RecordedEvent>): Promise<RecordedEvent[]> => {
  const all: RecordedEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
};

/** Returns the pages of the log up to its end. */
export const pagesOf = async (facts: Facts, range: LogRange, limit: number): Promise<LogPage[]> => {
  const pages: LogPage[] = [];
  for (let after = range.after; ; after = pages.at(-1)?.position) {
    const page = await facts.readLog({ ...range, after }, limit);
    pages.push(page);
    if (page.atEnd) return pages;
  }
};

export const eventsOf = (pages: readonly LogPage[]): RecordedEvent[] => pages.flatMap(({ events }) => events);

export const dataOf = (events: readonly RecordedEvent[]): unknown[] => events.map(({ data }) => data);

/** A subscription that keeps its pages until it is ended. */
export class Subscriber {
  readonly pages: LogPage[] = [];
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;

  constructor(facts: Facts, range: LogRange) {
    this.#ended = this.#follow(facts.subscribe(range, this.#abort.signal));
  }

  get events(): RecordedEvent[] {
    return eventsOf(this.pages);
  }

  /** Aborts the subscription. Resolves when the subscription has ended. */
  end(): Promise<void> {
    this.#abort.abort();
    return this.#ended;
  }

  async #follow(pages: AsyncIterable<LogPage>): Promise<void> {
    for await (const page of pages) this.pages.push(page);
  }
}
