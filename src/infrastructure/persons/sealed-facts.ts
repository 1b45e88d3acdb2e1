// The facts as the rest of the program reads and writes them, over any engine. Personal fields are sealed when they are
// written to the log and opened when they are read. Fields that cannot be opened, and fields that were never sealed,
// read as null. Events of older schema versions read as if they had been recorded in the current version. An event that
// readers must not use unchanged has a flaw.
import type { KeyObject } from 'node:crypto';
import { SpanKind } from '@opentelemetry/api';
import { KeyedQueue } from '../async.js';
import { AppendTooLarge, MAX_APPEND_BYTES, PersonalKeyMissing } from '../errors.js';
import {
  type Append,
  type AppendOutcome,
  type EventMetadata,
  type Expected,
  type Facts,
  type Flaw,
  firstOf,
  type LogPage,
  type LogRange,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type StreamRange,
} from '../facts/facts.js';
import { type UpcasterTable, upcast } from '../facts/upcast.js';
import type { Keyring } from '../keys/keyring.js';
import { PAGE } from '../pages.js';
import { newKey } from '../sealed/aes-gcm.js';
import { aggregateIdOf } from '../stream-name.js';
import { inSpan } from '../tracing.js';
import { Turns } from '../turns.js';
import type { StoreFormat } from '../vault/store-format.js';
import { openedAddress, withSealedAddress } from './address.js';
import {
  digestsIn,
  isPersonal,
  openPayload,
  type SealFault,
  sealPayload,
  separatePersonal,
  withoutPersonal,
} from './payload.js';
import type { FieldPath, Payload, Separated } from './personal-values.js';
import type { SealingWatch } from './watch.js';

interface Sealing {
  readonly keyring: Keyring;
  readonly upcasters: UpcasterTable;
  readonly personal: ReadonlyMap<string, readonly FieldPath[]>;
  /** Reports whether a newer program may have written what this program cannot read. */
  readonly format: Pick<StoreFormat, 'isNewer'>;
  readonly watch: SealingWatch;
  /** Rejects unless log and vault belong together. Absent if a restore appends. */
  readonly judge?: (() => Promise<unknown>) | undefined;
}

/** Keys by person, as the vault returned them; undefined for a person without a key. */
type Keys = Map<string, KeyObject | undefined>;

interface Prepared {
  readonly event: NewEvent;
  readonly parts: Separated | undefined;
}

interface PersonalEvent extends RecordedEvent {
  readonly data: Payload;
}

/**
 * Facts whose personal fields are sealed with a key of the person that the stream belongs to: the id behind the first
 * dash of its name. The key is created with the first event of the stream and never again.
 */
export class SealedFacts implements Facts {
  readonly #facts: Facts;
  readonly #sealing: Sealing;
  readonly #turns = new KeyedQueue();

  constructor(facts: Facts, sealing: Sealing) {
    for (const [type, paths] of sealing.personal) {
      if (paths.some((path) => path.length === 0)) throw new Error(`${type} is personal as a whole: mark its fields`);
    }
    this.#facts = facts;
    this.#sealing = sealing;
  }

  /** Rejects with `PersonalKeyMissing` if personal fields are added to an existing stream whose person has no key. */
  append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome> {
    const attributes = { 'facts.stream': stream, 'facts.events': events.length };
    return inSpan('append', { kind: SpanKind.CLIENT, attributes }, async (span) => {
      await this.#sealing.keyring.admit();
      await this.#sealing.judge?.();
      const appended = await this.#append(stream, expected, events);
      if (appended.outcome === 'written') await this.#sealing.judge?.();
      span.setAttribute('facts.outcome', appended.outcome);
      return appended;
    });
  }

  #append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome> {
    const isOpen = events.every(({ type, metadata }) => !this.#sealing.personal.has(type) && !hasAddress(metadata));
    if (this.#turns.length(stream) === 0 && isOpen) {
      return this.#facts.append(stream, expected, events);
    }
    // Appends to a stream reach the engine in the order of their calls, even if one of them has to wait for its key.
    const ready = this.#turns.run(stream, () => this.#sealed({ stream, expected, events }));
    return ready.then((stored) =>
      stored === undefined ? { outcome: 'conflict' } : this.#facts.append(stream, expected, stored),
    );
  }

  readStream(stream: string, range?: StreamRange): AsyncGenerator<RecordedEvent> {
    return this.#openedOf(this.#facts.readStream(stream, range));
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

  /** Returns the events as the log stores them; undefined if the append can only be a conflict. */
  async #sealed(sent: Append): Promise<readonly NewEvent[] | undefined> {
    const append = { ...sent, events: await this.#withSealedAddresses(sent) };
    const prepared = append.events.map((event) => {
      const paths = this.#sealing.personal.get(event.type);
      return { event, parts: paths && separatePersonal(event.data, paths) };
    });
    if (prepared.every(({ parts }) => parts === undefined)) return append.events;
    const person = aggregateIdOf(append.stream);
    const key = (await this.#sealing.keyring.ofPersons([person])).get(person);
    return key === undefined ? this.#withoutKey(append, prepared) : sealedWith(key, append, prepared);
  }

  async #withSealedAddresses({ stream, expected, events }: Append): Promise<readonly NewEvent[]> {
    const actors = events.flatMap(({ metadata }) => (hasAddress(metadata) ? [metadata.actor.id] : []));
    if (actors.length === 0) return events;
    const keys = await this.#sealing.keyring.ofPersons([...new Set(actors)]);
    return events.map((event, index) => {
      const addressed = {
        ...event,
        stream,
        revision: lastRevision(expected) + 1 + index,
        data: this.#withoutPersonal(event),
      };
      return { ...event, metadata: withSealedAddress(addressed, keys.get(event.metadata.actor.id)) };
    });
  }

  // A key is created for a stream that does not exist yet. If the stream is not at `expected`, these events are already
  // written or will be rejected. They need no key then, because they are never written in this form.
  async #withoutKey(append: Append, prepared: readonly Prepared[]) {
    const { stream, expected } = append;
    const placeholders = sealedWith(newKey(), append, prepared);
    const bytes = placeholders.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0);
    if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes);
    const last = await firstOf(this.#facts.readStream(stream, { backwards: true, limit: 1 }));
    const revision = last?.revision ?? -1;
    if (revision !== lastRevision(expected)) return revision < lastRevision(expected) ? undefined : placeholders;
    const person = aggregateIdOf(stream);
    if (expected !== 'no-stream') throw new PersonalKeyMissing(person);
    return sealedWith(await this.#sealing.keyring.makeOfPerson(person), append, prepared);
  }

  async #opened(page: LogPage): Promise<LogPage> {
    const keys: Keys = new Map();
    await this.#readKeys(keys, new Set(page.events.flatMap((event) => this.#personsOf(event))));
    if (keys.size === 0) return { ...page, events: page.events.map((event) => upcast(event, this.#sealing.upcasters)) };
    const events: RecordedEvent[] = [];
    for await (const event of new Turns().over(page.events)) events.push(await this.#read(keys, event));
    return { ...page, events };
  }

  async *#openedOf(events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
    let keys: Keys = new Map();
    let opened = 0;
    for await (const event of events) {
      const persons = this.#personsOf(event);
      if (persons.length > 0) {
        // Reading a long stream takes time, and its person may be erased in that time.
        if (opened % PAGE.items === 0) keys = new Map();
        opened += 1;
        await this.#readKeys(keys, new Set(persons));
      }
      yield this.#read(keys, event);
    }
  }

  async #readKeys(keys: Keys, persons: ReadonlySet<string>): Promise<void> {
    const unknown = [...persons].filter((person) => !keys.has(person));
    if (unknown.length === 0) return;
    const found = await this.#sealing.keyring.ofPersons(unknown);
    for (const person of unknown) keys.set(person, found.get(person));
  }

  /** Returns the persons whose keys open an event: its subject, and its actor if it records the actor's address. */
  #personsOf(event: RecordedEvent): readonly string[] {
    const { stream, metadata } = event;
    return [
      ...(this.#isPersonal(event) ? [aggregateIdOf(stream)] : []),
      ...(metadata.sealedAddress === undefined ? [] : [metadata.actor.id]),
    ];
  }

  async #read(keys: Keys, event: RecordedEvent): Promise<RecordedEvent> {
    const opened = this.#isPersonal(event) ? await this.#readPayload(keys, event) : event;
    const read = event.metadata.sealedAddress === undefined ? opened : await this.#withAddress(keys, event, opened);
    return upcast(read, this.#sealing.upcasters);
  }

  /** Returns the event that was read with its address, which is null if the key of the actor is gone. */
  async #withAddress(keys: Keys, event: RecordedEvent, read: RecordedEvent): Promise<RecordedEvent> {
    const { sealedAddress: _, ...metadata } = event.metadata;
    const key = keys.get(metadata.actor.id);
    if (key === undefined) this.#sealing.watch.withoutKey(metadata.actor.id);
    const address = key && openedAddress({ ...event, data: this.#withoutPersonal(event) }, key);
    const isAltered = key !== undefined && address === undefined && read.flaw === undefined;
    const flaw = isAltered ? { flaw: await this.#flawOf('damaged', event) } : {};
    return { ...read, ...flaw, metadata: { ...metadata, address: address ?? null } };
  }

  #withoutPersonal({ type, data }: NewEvent): unknown {
    const paths = this.#sealing.personal.get(type);
    return paths === undefined || !isPersonal(data, paths) ? data : withoutPersonal(data, paths);
  }

  /** Returns the event with its personal fields, or with null in their places, and with its flaw. */
  async #readPayload(keys: Keys, event: PersonalEvent): Promise<RecordedEvent> {
    const person = aggregateIdOf(event.stream);
    const key = keys.get(person);
    const paths = this.#sealing.personal.get(event.type) ?? [];
    const digests = digestsIn(event.data);
    const read = digests === undefined ? event : { ...event, digests };
    if (key === undefined) {
      this.#sealing.watch.withoutKey(person);
      return { ...read, data: withoutPersonal(event.data, paths) };
    }
    const opened = openPayload(event.data, key, event, paths);
    if (typeof opened === 'object') return { ...read, data: opened };
    return { ...read, data: withoutPersonal(event.data, paths), flaw: await this.#flawOf(opened, event) };
  }

  // While no newer program has used the stores, an unknown version can only be damage. The stamp is read now, because a
  // newer program may have started after this program.
  async #flawOf(fault: SealFault, event: RecordedEvent): Promise<Flaw> {
    if (fault === 'unknown-version' && (await this.#sealing.format.isNewer())) {
      return { kind: 'too-new', what: 'personal fields in a form of sealing that this version does not know' };
    }
    this.#sealing.watch.tampered(event);
    return { kind: 'unreadable' };
  }

  #isPersonal(event: RecordedEvent): event is PersonalEvent {
    const paths = this.#sealing.personal.get(event.type);
    return paths !== undefined && isPersonal(event.data, paths);
  }
}

const hasAddress = ({ address }: EventMetadata): boolean => typeof address === 'string';

const lastRevision = (expected: Expected): number => (expected === 'no-stream' ? -1 : expected);

// An append is written behind `expected` or not at all, so the revision of each event is known in advance.
const sealedWith = (key: KeyObject, { stream, expected }: Append, prepared: readonly Prepared[]): readonly NewEvent[] =>
  prepared.map(({ event, parts }, index) => {
    const revision = lastRevision(expected) + 1 + index;
    return parts === undefined ? event : { ...event, data: sealPayload(parts, key, { ...event, stream, revision }) };
  });
