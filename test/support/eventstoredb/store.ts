// The log of the test server. It accepts and rejects writes like the real server, commits them in the next turn of the
// event loop, and keeps them in a file.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import {
  type ExpectedVersion,
  fromLine,
  LAST_REVISION,
  MAX_APPEND_BYTES,
  metastreamOf,
  type ProposedEvent,
  type StoredEvent,
  toLine,
  type WriteOutcome,
} from './records.js';

// The type of the last event of a stream that was closed. A real server gives the event the revision 2^63 - 1.
const TOMBSTONE = '$streamDeleted';

interface Waiting {
  readonly events: readonly StoredEvent[];
  readonly resolve: (outcome: WriteOutcome) => void;
}

export class Store {
  /** All committed events in order of position. */
  readonly log: StoredEvent[] = [];
  readonly #file: string;
  readonly #duplicateTimeoutMs: number;
  readonly #streams = new Map<string, StoredEvent[]>();
  readonly #listeners = new Set<(events: readonly StoredEvent[]) => void>();
  #waiting: Waiting[] = [];
  #held = 0;

  /** Opens the log in `file`. A duplicate of an uncommitted write times out after `duplicateTimeoutMs`. */
  constructor(file: string, duplicateTimeoutMs: number) {
    this.#file = file;
    this.#duplicateTimeoutMs = duplicateTimeoutMs;
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    for (const line of lines) if (line !== '') this.#keep(fromLine(line));
    if (this.log.length === 0) this.#commit(this.#toEvents(metastreamOf('$scavenges'), -1, [metadataEvent('{}')]));
  }

  /** Calls the listener for every commit. Returns a function that removes the listener. */
  listen(listener: (events: readonly StoredEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Keeps writes uncommitted until the returned function is called. */
  hold(): () => void {
    this.#held += 1;
    return () => {
      this.#held -= 1;
      this.#flush();
    };
  }

  /** The number of uncommitted events. */
  get held(): number {
    return this.#uncommitted().length;
  }

  eventsOf(stream: string): readonly StoredEvent[] {
    return this.#streams.get(stream) ?? [];
  }

  isTombstoned(stream: string): boolean {
    return this.eventsOf(stream).at(-1)?.type === TOMBSTONE;
  }

  isSoftDeleted(stream: string): boolean {
    return this.#metadataOf(stream).truncateBefore === LAST_REVISION;
  }

  /** Returns the events of a stream that its metadata do not hide, or undefined if the stream counts as missing. */
  visible(stream: string): readonly StoredEvent[] | undefined {
    const events = this.eventsOf(stream);
    if (events.length === 0 || this.isSoftDeleted(stream)) return undefined;
    const { truncateBefore, maxCount, maxAgeMs } = this.#metadataOf(stream);
    const first = Math.max(truncateBefore, events.length - maxCount);
    const youngest = Date.now() - maxAgeMs;
    return events.filter(({ revision, created }) => revision >= first && created >= youngest);
  }

  #metadataOf(stream: string) {
    const text = this.eventsOf(metastreamOf(stream)).at(-1)?.data.toString('utf8') ?? '{}';
    const { $tb, $maxCount, $maxAge } = JSON.parse(text) as Record<string, unknown>;
    // Invalid values are accepted and mean no limit.
    const limit = (value: unknown) => (typeof value === 'number' && value > 0 ? value : Number.POSITIVE_INFINITY);
    return {
      truncateBefore: typeof $tb === 'number' ? $tb : 0,
      maxCount: limit($maxCount),
      maxAgeMs: limit($maxAge) * 1_000,
    };
  }

  /** Returns the index of the first event after a position. */
  indexAfter(position: number): number {
    let [low, high] = [0, this.log.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.log[middle]?.position ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  isAtEvent(position: number): boolean {
    return this.log[this.indexAfter(position) - 1]?.position === position;
  }

  append(stream: string, expected: ExpectedVersion, proposed: readonly ProposedEvent[]): Promise<WriteOutcome> {
    const bytes = proposed.reduce((sum, { data }) => sum + data.length, 0);
    if (bytes > MAX_APPEND_BYTES) return Promise.resolve({ outcome: 'too-large' });
    if (this.isTombstoned(stream)) return Promise.resolve({ outcome: 'deleted' });
    const current = this.#current(stream);
    const before = expected === 'no_stream' ? -1 : expected;
    const repeated = this.#repeated(stream, before, proposed);
    if (repeated !== undefined) return this.#outcomeOf(repeated);
    // A soft-deleted stream also counts as missing, and its revisions continue.
    const isAt = before === current || (expected === 'no_stream' && this.isSoftDeleted(stream));
    if (!isAt) return Promise.resolve({ outcome: 'wrong-version', current });
    return this.#write(stream, current, proposed);
  }

  /** Replaces the metadata of a stream. */
  setMetadata(stream: string, metadata: object): Promise<WriteOutcome> {
    const meta = metastreamOf(stream);
    return this.#enqueue(this.#toEvents(meta, this.#current(meta), [metadataEvent(JSON.stringify(metadata))]));
  }

  /** Closes a stream forever. */
  tombstone(stream: string): Promise<WriteOutcome> {
    const event = { ...metadataEvent('{}'), type: TOMBSTONE };
    return this.#enqueue(this.#toEvents(stream, this.#current(stream), [event]));
  }

  // Returns the last event that a repeated write recorded. The ids after the expected version are compared, so a write
  // that expects the last revision is never a repetition.
  #repeated(stream: string, before: number, proposed: readonly ProposedEvent[]): StoredEvent | undefined {
    const found = proposed.map((_, index) => this.#at(stream, before + 1 + index));
    return found.every((known, index) => known?.id === proposed[index]?.id) ? found.at(-1) : undefined;
  }

  #outcomeOf({ revision, position }: StoredEvent): Promise<WriteOutcome> {
    if (this.isAtEvent(position)) return Promise.resolve({ outcome: 'written', revision, position });
    // The server discards the duplicate silently, so the request runs into the prepare and commit timeouts.
    return new Promise((resolve) => setTimeout(resolve, this.#duplicateTimeoutMs, { outcome: 'timeout' }).unref());
  }

  #write(stream: string, current: number, proposed: readonly ProposedEvent[]): Promise<WriteOutcome> {
    if (this.isSoftDeleted(stream)) void this.setMetadata(stream, { $tb: current + 1 });
    return this.#enqueue(this.#toEvents(stream, current, proposed));
  }

  #enqueue(events: readonly StoredEvent[]): Promise<WriteOutcome> {
    return new Promise((resolve) => {
      this.#waiting.push({ events, resolve });
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    if (this.#held > 0 || this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#commit(waiting.flatMap(({ events }) => events));
    this.#waiting = [];
    for (const { events, resolve } of waiting) {
      const last = events.at(-1);
      if (last !== undefined) resolve({ outcome: 'written', revision: last.revision, position: last.position });
    }
  }

  #commit(events: readonly StoredEvent[]): void {
    appendFileSync(this.#file, events.map(toLine).join(''));
    for (const event of events) this.#keep(event);
    for (const listener of this.#listeners) listener(events);
  }

  #keep(event: StoredEvent): void {
    this.log.push(event);
    const events = this.#streams.get(event.stream);
    if (events === undefined) this.#streams.set(event.stream, [event]);
    else events.push(event);
  }

  #uncommitted(): StoredEvent[] {
    return this.#waiting.flatMap(({ events }) => events);
  }

  #current(stream: string): number {
    const waiting = this.#uncommitted().findLast((event) => event.stream === stream);
    return (waiting ?? this.eventsOf(stream).at(-1))?.revision ?? -1;
  }

  #at(stream: string, revision: number): StoredEvent | undefined {
    const committed = this.eventsOf(stream)[revision];
    return committed ?? this.#uncommitted().find((event) => event.stream === stream && event.revision === revision);
  }

  #toEvents(stream: string, current: number, proposed: readonly ProposedEvent[]): StoredEvent[] {
    let { position, size } = placeOf(this.#uncommitted().at(-1) ?? this.log.at(-1));
    return proposed.map((each, index) => {
      position += size;
      const revision = current + 1 + index;
      const event = { ...each, id: each.id.toLowerCase(), stream, revision, position, created: Date.now() };
      size = placeOf(event).size;
      return event;
    });
  }
}

// Positions are offsets in a file, so most numbers are not the position of an event.
const placeOf = (event: StoredEvent | undefined) => ({
  position: event?.position ?? 0,
  size: event === undefined ? 0 : 128 + event.data.length + event.metadata.length + event.stream.length,
});

const metadataEvent = (json: string): ProposedEvent => ({
  id: randomUUID(),
  type: '$metadata',
  contentType: 'application/json',
  data: Buffer.from(json),
  metadata: Buffer.alloc(0),
});
