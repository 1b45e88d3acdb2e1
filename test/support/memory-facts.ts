// The facts in the memory of the test, for tests of what uses a log. It gives the guarantees of every engine, but it
// ignores `close`: it stands for the stores of several processes at once.
import { AppendTooLarge, MAX_APPEND_BYTES } from '../../src/infrastructure/errors.js';
import { Bells } from '../../src/infrastructure/facts/bells.js';
import type {
  AppendOutcome,
  Expected,
  Facts,
  LogPage,
  LogRange,
  NewEvent,
  RecordedEvent,
  StreamRange,
} from '../../src/infrastructure/facts/facts.js';
import { eventsOf } from '../../src/infrastructure/facts/revisions.js';
import { positionOf } from '../../src/infrastructure/facts/sqlite/log.js';
import { subscribe } from '../../src/infrastructure/facts/subscribe.js';
import { firstPage } from '../../src/infrastructure/pages.js';
import { aggregateOf } from '../../src/infrastructure/stream-name.js';

const bytesOf = ({ data }: NewEvent): number => Buffer.byteLength(JSON.stringify(data));

export class MemoryFacts implements Facts {
  #log: RecordedEvent[] = [];
  readonly #streams = new Map<string, RecordedEvent[]>();
  readonly #bells = new Bells();

  async append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome> {
    const bytes = events.reduce((sum, event) => sum + bytesOf(event), 0);
    if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes);
    const first = expected === 'no-stream' ? 0 : expected + 1;
    const recorded = this.#streams.get(stream) ?? [];
    if (recorded.length === first) {
      for (const event of events) {
        const position = positionOf(this.#log.length + 1);
        const added = {
          ...(JSON.parse(JSON.stringify(event)) as NewEvent),
          stream,
          revision: recorded.length,
          position,
        };
        recorded.push(added);
        this.#log.push(added);
      }
      this.#streams.set(stream, recorded);
      this.#bells.appended(stream);
    } else if (events.some(({ id }, n) => recorded[first + n]?.id !== id)) return { outcome: 'conflict' };
    const revision = first + events.length - 1;
    return { outcome: 'written', revision, position: recorded[revision]?.position ?? '' };
  }

  readStream(stream: string, range: StreamRange = {}): AsyncGenerator<RecordedEvent> {
    return eventsOf(stream, range, async ({ from = Number.MAX_SAFE_INTEGER, limit, backwards }) => {
      const events = this.#streams.get(stream) ?? [];
      const part = backwards
        ? events.filter(({ revision }) => revision <= from).toReversed()
        : events.filter(({ revision }) => revision >= from);
      return pageOf(part, limit);
    });
  }

  async readLog({ aggregates, after, direction }: LogRange, limit: number): Promise<LogPage> {
    const isBackwards = direction === 'backwards';
    const log = isBackwards ? this.#log.toReversed() : this.#log;
    const begin = log.findIndex(({ position }) => (isBackwards ? position < (after ?? '~') : position > (after ?? '')));
    const behind = begin === -1 ? [] : log.slice(begin);
    const { events, complete } = pageOf(inAggregates(behind, aggregates), limit);
    const position = complete ? (behind.at(-1)?.position ?? after) : events.at(-1)?.position;
    return { events, position, atEnd: complete };
  }

  async head(): Promise<string | undefined> {
    return this.#log.at(-1)?.position;
  }

  subscribe(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    const onFailure = (error: unknown) => {
      throw error;
    };
    return subscribe(
      { pollMs: 250, readLog: this.readLog.bind(this), listen: this.#bells.add, onFailure },
      range,
      signal,
    );
  }

  async close(): Promise<void> {
    this.#bells.close();
  }

  /** Replaces the events, like somebody who changes the store. */
  alter(change: (log: readonly RecordedEvent[]) => readonly RecordedEvent[]): void {
    this.#log = change(this.#log).toSorted((a, b) => (a.position < b.position ? -1 : 1));
    this.#streams.clear();
    for (const event of this.#log.toSorted((a, b) => a.revision - b.revision)) {
      this.#streams.set(event.stream, [...(this.#streams.get(event.stream) ?? []), event]);
    }
  }
}

const pageOf = (events: Iterable<RecordedEvent>, limit?: number) => {
  const { page, complete } = firstPage(events, bytesOf, limit);
  // A reader that changes an event changes no other read.
  return { events: structuredClone(page), complete };
};

function* inAggregates(events: readonly RecordedEvent[], aggregates: readonly string[]): Generator<RecordedEvent> {
  for (const event of events) if (aggregates.includes(aggregateOf(event.stream))) yield event;
}
