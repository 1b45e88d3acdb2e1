// The facts with personal fields sealed on their way into the log and opened on their way out, over any engine. Whoever
// reads an event whose fields cannot be opened gets null in their places.
import type { KeyObject } from 'node:crypto';
import { AppendTooLarge, PersonalKeyMissing } from '../errors.js';
import { newKey } from '../sealing/aes-gcm.js';
import type { Keyring } from '../sealing/keyring.js';
import {
  type Divided,
  divided,
  type FieldPath,
  isSealed,
  sealed,
  unsealed,
  withoutSealed,
} from '../sealing/payload.js';
import type { SealingWatch } from '../sealing/watch.js';
import type { AppendOutcome, Expected, Facts, LogPage, LogRange, NewEvent, Position, RecordedEvent } from './facts.js';

/** What sealing goes by. */
export interface Sealing {
  readonly keyring: Keyring;
  /** The personal fields of each type of event that has some. */
  readonly personal: ReadonlyMap<string, readonly FieldPath[]>;
  readonly watch: SealingWatch;
}

interface Append {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly NewEvent[];
}

/** An event, and its payload where personal values were taken out of it. */
interface Prepared {
  readonly event: NewEvent;
  readonly parts: Divided | undefined;
}

/**
 * Facts whose personal fields are sealed with a key of the person that the stream is of: the id behind the first dash of
 * its name. That key is made with the first event of the stream and never again.
 */
export class SealedFacts implements Facts {
  /** Counts what is stored: personal fields take a third more than they have. */
  readonly maxAppendBytes: number;
  readonly #facts: Facts;
  readonly #keyring: Keyring;
  readonly #personal: ReadonlyMap<string, readonly FieldPath[]>;
  readonly #watch: SealingWatch;
  readonly #turns = new Map<string, Promise<void>>();

  constructor(facts: Facts, { keyring, personal, watch }: Sealing) {
    for (const [type, paths] of personal) {
      if (paths.some((path) => path.length === 0)) throw new Error(`${type} is personal as a whole: mark its fields`);
    }
    this.maxAppendBytes = facts.maxAppendBytes;
    this.#facts = facts;
    this.#keyring = keyring;
    this.#personal = personal;
    this.#watch = watch;
  }

  /**
   * As the port says. Rejects with `PersonalKeyMissing` where the stream goes on with personal fields of a person whose
   * key was erased or lost.
   */
  append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome> {
    const before = this.#turns.get(stream);
    if (before === undefined && !events.some(({ type }) => this.#personal.has(type))) {
      return this.#facts.append(stream, expected, events);
    }
    const ready = (before ?? Promise.resolve()).then(() => this.#sealed({ stream, expected, events }));
    const outcome = ready.then((stored) =>
      stored === undefined ? { outcome: 'conflict' as const } : this.#facts.append(stream, expected, stored),
    );
    this.#takeTurn(stream, ready);
    return outcome;
  }

  readStream(stream: string, fromRevision?: number): AsyncGenerator<RecordedEvent> {
    return this.#openedOf(stream, this.#facts.readStream(stream, fromRevision));
  }

  readStreamBackwards(stream: string): AsyncGenerator<RecordedEvent> {
    return this.#openedOf(stream, this.#facts.readStreamBackwards(stream));
  }

  async readLog(range: LogRange, limit: number): Promise<LogPage> {
    return this.#opened(await this.#facts.readLog(range, limit));
  }

  head(): Promise<Position | undefined> {
    return this.#facts.head();
  }

  async *subscribe(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    for await (const page of this.#facts.subscribe(range, signal)) {
      const opened = await this.#opened(page);
      if (signal.aborted) return;
      yield opened;
    }
  }

  close(): Promise<void> {
    return this.#facts.close();
  }

  // Appends to a stream reach the engine in the order of their calls, though one may have to wait for its key.
  #takeTurn(stream: string, ready: Promise<unknown>): void {
    const leave = () => void (this.#turns.get(stream) === turn && this.#turns.delete(stream));
    const turn: Promise<void> = ready.then(leave, leave);
    this.#turns.set(stream, turn);
  }

  /** The events as the log is to hold them; undefined where the append can only be a conflict. */
  async #sealed(append: Append): Promise<readonly NewEvent[] | undefined> {
    const prepared = append.events.map((event) => {
      const paths = this.#personal.get(event.type);
      return { event, parts: paths && divided(event.data, paths) };
    });
    if (prepared.every(({ parts }) => parts === undefined)) return append.events;
    const person = personOf(append.stream);
    const key = (await this.#keyring.ofPersons([person])).get(person);
    return key === undefined ? this.#withoutKey(append, prepared) : sealedWith(key, append.stream, prepared);
  }

  // A key is made for a stream that does not exist yet. Where the stream is not at `expected`, these events are known
  // already or refused, and no key is needed: they are never written as they stand here.
  async #withoutKey({ stream, expected }: Append, prepared: readonly Prepared[]) {
    const disguised = sealedWith(newKey(), stream, prepared);
    const bytes = disguised.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0);
    if (bytes > this.maxAppendBytes) throw new AppendTooLarge(bytes, this.maxAppendBytes);
    const at = expected === 'no-stream' ? -1 : expected;
    const revision = await this.#revisionOf(stream);
    if (revision !== at) return revision < at ? undefined : disguised;
    const person = personOf(stream);
    if (expected !== 'no-stream') throw new PersonalKeyMissing(person);
    return sealedWith(await this.#keyring.makeOfPerson(person), stream, prepared);
  }

  async #revisionOf(stream: string): Promise<number> {
    for await (const { revision } of this.#facts.readStreamBackwards(stream)) return revision;
    return -1;
  }

  async #opened(page: LogPage): Promise<LogPage> {
    const persons = new Set(page.events.filter((event) => this.#isSealed(event)).map(({ stream }) => personOf(stream)));
    if (persons.size === 0) return page;
    const keys = await this.#keyring.ofPersons([...persons]);
    return { ...page, events: page.events.map((event) => this.#openedWith(keys, event)) };
  }

  async *#openedOf(stream: string, events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
    let keys: ReadonlyMap<string, KeyObject> | undefined;
    for await (const event of events) {
      if (this.#isSealed(event)) keys ??= await this.#keyring.ofPersons([personOf(stream)]);
      yield keys === undefined ? event : this.#openedWith(keys, event);
    }
  }

  #openedWith(keys: ReadonlyMap<string, KeyObject>, event: RecordedEvent): RecordedEvent {
    const { data } = event;
    if (!this.#isSealed(event) || !isSealed(data)) return event;
    const person = personOf(event.stream);
    const key = keys.get(person);
    const whole = key && unsealed(data, key, event);
    if (whole !== undefined) return { ...event, data: whole };
    if (key === undefined) this.#watch.withoutKey(person);
    else this.#watch.tampered(event);
    return { ...event, data: withoutSealed(data) };
  }

  #isSealed({ type, data }: RecordedEvent): boolean {
    return this.#personal.has(type) && isSealed(data);
  }
}

const personOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1);

const sealedWith = (key: KeyObject, stream: string, prepared: readonly Prepared[]): readonly NewEvent[] =>
  prepared.map(({ event, parts }) =>
    parts === undefined ? event : { ...event, data: sealed(parts, key, { stream, id: event.id }) },
  );
