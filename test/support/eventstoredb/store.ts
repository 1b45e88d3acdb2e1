// The log of the test server. It accepts and rejects writes like the real server, commits them in the next turn of the
// event loop, and keeps them in a file.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import {
  type ExpectedVersion,
  fromLine,
  LAST_REVISION,
  LAST_REVISION_TEXT,
  MAX_APPEND_BYTES,
  metastreamOf,
  type ProposedEvent,
  type StoredEvent,
  toLine,
  type WriteOutcome,
} from './records.js';

/** The metadata of a stream, from the last event of its metastream. */
export interface StreamMetadata {
  readonly truncateBefore: number;
  readonly maxCount: number;
  readonly maxAgeMs: number;
}

// The number of ids that the server remembers for ANY (8 MiB of ids and stream names).
const REMEMBERED_IDS = 160_000;

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
  /** The ids for ANY and STREAM_EXISTS, only in memory. Each id belongs to the first stream that had it. */
  readonly #remembered = new Map<string, StoredEvent>();
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
    const base = stream.startsWith('$$') ? stream.slice(2) : stream;
    return this.eventsOf(base).at(-1)?.revision === LAST_REVISION;
  }

  isSoftDeleted(stream: string): boolean {
    return this.metadataOf(stream).truncateBefore === LAST_REVISION;
  }

  metadataOf(stream: string): StreamMetadata {
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
    const current = this.#current(stream);
    const refused = this.#refusal(stream, expected, current);
    if (refused !== undefined) return Promise.resolve(refused);
    const duplicate = this.#duplicate(stream, expected, proposed);
    if (duplicate !== undefined) return this.#outcomeOf(duplicate, current);
    if (!this.#isAt(stream, expected, current)) return Promise.resolve({ outcome: 'wrong-version', current });
    if (proposed.length === 0) {
      return Promise.resolve({ outcome: 'written', revision: current, position: undefined });
    }
    return this.#write(stream, current, proposed);
  }

  /** Soft-deletes a stream: its `$tb` becomes the greatest revision. */
  delete(stream: string, expected: ExpectedVersion): Promise<WriteOutcome> {
    const current = this.#current(stream);
    if (this.isTombstoned(stream)) return Promise.resolve({ outcome: 'deleted' });
    if (current < 0 || (typeof expected === 'number' && expected !== current) || expected === 'no_stream') {
      return Promise.resolve({ outcome: 'wrong-version', current });
    }
    return this.append(metastreamOf(stream), 'any', [metadataEvent(`{"$tb":${LAST_REVISION_TEXT}}`)]);
  }

  /** Closes a stream forever, even a stream that was never written. */
  tombstone(stream: string, expected: ExpectedVersion): Promise<WriteOutcome> {
    const current = this.#current(stream);
    if (this.isTombstoned(stream)) return Promise.resolve({ outcome: 'deleted' });
    if (typeof expected === 'number' && expected !== current) {
      return Promise.resolve({ outcome: 'wrong-version', current });
    }
    const type = '$streamDeleted';
    return this.#enqueue(this.#toEvents(stream, LAST_REVISION - 1, [{ ...metadataEvent('{}'), type }]));
  }

  // A soft-deleted stream also counts as missing, and its revisions continue.
  #isAt(stream: string, expected: ExpectedVersion, current: number): boolean {
    if (typeof expected === 'number') return expected === current;
    return expected !== 'no_stream' || current < 0 || this.isSoftDeleted(stream);
  }

  #refusal(stream: string, expected: ExpectedVersion, current: number): WriteOutcome | undefined {
    if (stream === '') throw new Error('a stream needs a name');
    if (this.isTombstoned(stream)) return { outcome: 'deleted' };
    if (expected !== 'stream_exists') return undefined;
    if (this.isSoftDeleted(stream)) return { outcome: 'deleted' };
    const exists = current >= 0 || this.eventsOf(metastreamOf(stream)).length > 0;
    return exists ? undefined : { outcome: 'wrong-version', current };
  }

  // Returns the last event that a repeated write recorded, or 'partly' if the log has only its first events. ANY and
  // STREAM_EXISTS look up the remembered ids. An exact version compares the stored events after it, so a write that
  // expects the last revision is never a duplicate.
  #duplicate(stream: string, expected: ExpectedVersion, proposed: readonly ProposedEvent[]) {
    const isExact = typeof expected === 'number' || expected === 'no_stream';
    const before = expected === 'no_stream' ? -1 : Number(expected);
    const found = proposed.map(({ id }, index) => {
      const known = isExact ? this.#at(stream, before + 1 + index) : this.#remembered.get(id);
      return known?.stream === stream && known.id === id ? known : undefined;
    });
    if (found[0] === undefined) return undefined;
    const missing = found.indexOf(undefined);
    if (missing < 0) return found.at(-1);
    // After the last revision there is nothing to compare. For an exact version this counts as an overlap, too.
    return 'partly';
  }

  #outcomeOf(duplicate: StoredEvent | 'partly', current: number): Promise<WriteOutcome> {
    if (duplicate === 'partly') return Promise.resolve({ outcome: 'wrong-version', current });
    const { revision, position } = duplicate;
    const isCommitted = this.isAtEvent(position);
    if (isCommitted) return Promise.resolve({ outcome: 'written', revision, position });
    // The server discards the duplicate silently, so the request runs into the prepare and commit timeouts.
    return new Promise((resolve) => setTimeout(resolve, this.#duplicateTimeoutMs, { outcome: 'timeout' }).unref());
  }

  #write(stream: string, current: number, proposed: readonly ProposedEvent[]): Promise<WriteOutcome> {
    if (this.isSoftDeleted(stream)) {
      const meta = metastreamOf(stream);
      void this.#enqueue(this.#toEvents(meta, this.#current(meta), [metadataEvent(`{"$tb":${current + 1}}`)]));
    }
    return this.#enqueue(this.#toEvents(stream, current, proposed));
  }

  #enqueue(events: readonly StoredEvent[]): Promise<WriteOutcome> {
    for (const event of events) this.#remember(event);
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

  #remember(event: StoredEvent): void {
    if (!this.#remembered.has(event.id)) this.#remembered.set(event.id, event);
    if (this.#remembered.size <= REMEMBERED_IDS) return;
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined) this.#remembered.delete(oldest);
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
      const revision = current === LAST_REVISION - 1 ? LAST_REVISION : current + 1 + index;
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
