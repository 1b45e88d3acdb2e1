// Loads and folds streams, caches the folded states and appends events. A command on a cached stream reads nothing.
// Only a conflict, or a rejection that may rest on outdated state, reads the tail.
import { LRUCache } from 'lru-cache';
import { type Foldable, type Of, type Schemas, schemaVersionOf } from '../domain/decider.js';
import { present } from '../domain/fields.js';
import { KeyedQueue } from '../infrastructure/async.js';
import { PersonalFieldsUnreadable, StoreUnavailable } from '../infrastructure/errors.js';
import type { Facts, NewEvent, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { Fault } from '../infrastructure/fault.js';
import { streamName } from '../infrastructure/stream-name.js';
import { TOOL } from '../infrastructure/tool.js';
import type { CommandContext } from './context.js';
import { type Decided, emptyOf, type Loaded, withEvent, withRecorded } from './loaded.js';
import { type IsFolded, OwnWrites } from './own-writes.js';
import { Past } from './past.js';
import { type Walker, Walks } from './walks.js';

type Evented<S, E extends Schemas> = Foldable<S> & { readonly events: E };

/** A cached aggregate. Sizes are the length of JSON, which is a little more than the bytes of heap of a large state. */
interface Cached {
  readonly loaded: Loaded<unknown>;
  readonly size: number;
  /** The size when the state was last measured. `size` adds the events since then. */
  readonly measured: number;
}

/** The maximum size of all cached states together: enough for about 1,400 questionnaires. */
export const cacheBytes = 32 * 1024 * 1024;
// What the entry of a state takes beside the state, which may be small.
const ENTRY_BYTES = 500;
// The maximum difference between the clocks of two servers.
const CLOCK_TOLERANCE_MS = 60_000;
const CLOCK_REPORTED_MS = 3_600_000;

const CLOCK_BEHIND: Fault = {
  code: 'clock-behind',
  detail: `The last event of a stream is later than the clock of this process, so a new event has the time of its stream, and the time of the clock as \`clock\`. This clock is behind, or a clock was ahead: synchronise the clocks. \`${TOOL} verify\` names the streams.`,
};

/** Throws `PersonalFieldsUnreadable` if fields of the aggregate cannot be opened: a new event would record the loss. */
export const mustBeReadable = ({ unreadable }: Loaded<unknown>): void => {
  if (unreadable !== undefined) throw new PersonalFieldsUnreadable(unreadable);
};

export class Streams {
  readonly #facts: Facts;
  readonly #now: () => Date;
  readonly #walks: Walks;
  readonly #past: Past;
  readonly #cache = new LRUCache<string, Cached>({
    maxSize: cacheBytes,
    sizeCalculation: ({ size }) => ENTRY_BYTES + size,
  });
  readonly #turns = new KeyedQueue();
  #behindAt = Number.NEGATIVE_INFINITY;
  /** The last writes of this process, for readers of the read models. */
  readonly ownWrites: OwnWrites;

  /** `isFolded`: whether the read models have folded a write, which is then forgotten. By default, none is forgotten. */
  constructor(facts: Facts, now: () => Date = () => new Date(), walks = new Walks(), isFolded: IsFolded = () => false) {
    this.#facts = facts;
    this.#now = now;
    this.ownWrites = new OwnWrites(isFolded);
    this.#walks = walks;
    this.#past = new Past(facts, walks, (stream, loaded) => this.#remember(stream, loaded, []));
  }

  /**
   * Runs the tasks of one stream one after another, so that writers in this process do not conflict. If a task finds
   * the store unavailable, the tasks that wait behind it reject immediately with the same error. Otherwise each of them
   * would wait for the deadlines of all tasks before it.
   */
  inTurn<T>(stream: string, task: () => Promise<T>): Promise<T> {
    return this.#turns.run(stream, (failure) => {
      if (failure instanceof StoreUnavailable) throw failure;
      return task();
    });
  }

  /** Returns the cached aggregate. Reads the stream if the aggregate is not cached. */
  async load<S>(decider: Foldable<S>, id: string): Promise<Loaded<S>> {
    return this.known(decider, id) ?? this.refresh(decider, id, emptyOf(decider));
  }

  /** Returns the cached aggregate; undefined if it is not cached. Reads nothing. */
  known<S>(decider: Foldable<S>, id: string): Loaded<S> | undefined {
    return this.#cache.get(streamName(decider.aggregate, id))?.loaded as Loaded<S> | undefined;
  }

  /** Returns the aggregate as its stream is now. Reads the stream once. */
  async fresh<S>(decider: Foldable<S>, id: string): Promise<Loaded<S>> {
    const loaded = await this.load(decider, id);
    return loaded.fresh ? loaded : this.refresh(decider, id, loaded);
  }

  /** Returns the aggregate after the events that its stream holds beyond `loaded`. */
  async refresh<S>(decider: Foldable<S>, id: string, loaded: Loaded<S>): Promise<Loaded<S>> {
    const stream = streamName(decider.aggregate, id);
    let next = loaded;
    const events: Decided[] = [];
    const from = loaded.revision + 1;
    // Without `evolve`, no decision depends on events before the last.
    const range = decider.evolve ? { from } : { to: from, limit: 1, backwards: true };
    for await (const event of this.#facts.readStream(stream, range)) {
      next = withRecorded(decider, id, next, event);
      if (loaded.revision >= 0) events.push(event);
    }
    return this.#remember(stream, { ...next, fresh: true }, events);
  }

  /** Returns the aggregate at a time. The revision is -1 if the first event is later. */
  async asOf<S>(decider: Foldable<S>, id: string, instant: string, walker: Walker): Promise<Loaded<S>> {
    const time = Date.parse(instant);
    const known = this.known(decider, id);
    const current = known && (await this.refresh(decider, id, known));
    return current && Date.parse(current.at) <= time ? current : this.#past.at(decider, id, time, walker);
  }

  /** Returns the aggregate right after its event with this revision. */
  async at<S>(decider: Foldable<S>, id: string, revision: number, walker: Walker): Promise<Loaded<S>> {
    const known = this.known(decider, id);
    if (known?.revision === revision) return known;
    let loaded = emptyOf(decider);
    const stream = this.#facts.readStream(streamName(decider.aggregate, id), { to: revision });
    for await (const event of this.#walks.events(walker, stream)) loaded = withRecorded(decider, id, loaded, event);
    return loaded;
  }

  /** Returns the time of the next event of this aggregate: the clock's time, but never before the last event. */
  nowFor({ at }: Loaded<unknown>): string {
    const now = this.#now().toISOString();
    return now < at ? at : now;
  }

  /** Returns the fault `clock-behind` for an hour after this process recorded an event with `clock`. */
  clockFaults(): readonly Fault[] {
    return performance.now() - this.#behindAt < CLOCK_REPORTED_MS ? [CLOCK_BEHIND] : [];
  }

  #clockBehind(at: string): string | undefined {
    const now = this.#now();
    return now.getTime() < Date.parse(at) - CLOCK_TOLERANCE_MS ? now.toISOString() : undefined;
  }

  /** Appends behind `loaded`. Returns the aggregate after that; undefined if another process wrote in between. */
  async append<S>(
    target: { readonly decider: Foldable<S>; readonly id: string; readonly loaded: Loaded<S> },
    events: readonly Decided[],
    at: string,
    context: CommandContext,
  ): Promise<Loaded<S> | undefined> {
    const { decider, id, loaded } = target;
    const stream = streamName(decider.aggregate, id);
    const expected = loaded.revision < 0 ? 'no-stream' : loaded.revision;
    const times = { at, clock: this.#clockBehind(at) };
    const appended = await this.#facts.append(stream, expected, toAppend(decider, events, times, context));
    if (appended.outcome === 'conflict') return undefined;
    if (times.clock !== undefined) this.#behindAt = performance.now();
    this.ownWrites.note(stream, appended.position);
    let next = loaded;
    for (const event of events) next = withEvent(decider, id, next, { ...event, at, position: appended.position });
    const after = { ...next, fresh: false };
    // Most new aggregates get no second command soon, and caching each of them would slow the garbage collector down
    // most. The first command on such an aggregate reads a short stream.
    return loaded.revision < 0 ? after : this.#remember(stream, after, events);
  }

  /** Returns the aggregate right after the events of this command, if an earlier attempt recorded them. */
  async settled<S, E extends Schemas>(decider: Evented<S, E>, id: string, context: CommandContext) {
    const stream = streamName(decider.aggregate, id);
    const first = context.ids.eventId(0);
    let found: RecordedEvent | undefined;
    for await (const event of this.#facts.readStream(stream, { backwards: true })) {
      if (event.id === first) found = event;
      if (found !== undefined || madeAt(event.id) < madeAt(first) - CLOCK_TOLERANCE_MS) break;
    }
    return found && this.#replayed(decider, id, found, context);
  }

  async #replayed<S, E extends Schemas>(
    decider: Evented<S, E>,
    id: string,
    first: RecordedEvent,
    { ids }: CommandContext,
  ) {
    let loaded = emptyOf(decider);
    const events: Of<E>[] = [];
    const from = decider.evolve === undefined ? first.revision : 0;
    for await (const event of this.#facts.readStream(first.stream, { from })) {
      if (event.revision >= first.revision && event.id !== ids.eventId(events.length)) break;
      if (event.revision >= first.revision) events.push(event as Of<E>);
      loaded = withRecorded(decider, id, loaded, event);
    }
    if (loaded.position !== undefined) this.ownWrites.note(first.stream, loaded.position);
    return { ...loaded, fresh: true, events };
  }

  /**
   * Caches an aggregate after these events. Measures its state only if the events have doubled the size since the last
   * measurement, because most events replace something. So the cost of a command does not grow with the state.
   */
  #remember<S>(stream: string, loaded: Loaded<S>, events: readonly Decided[]): Loaded<S> {
    // A state with fields that cannot be opened is read again each time: the person may be erased in the meantime.
    if (loaded.revision < 0 || loaded.unreadable !== undefined) return loaded;
    const { size, measured } = this.#cache.peek(stream) ?? { size: 0, measured: 0 };
    const grown = events.reduce((sum, { data }) => sum + sizeOf(data), size);
    const now = grown < 2 * measured ? { size: grown, measured } : measuredNow(loaded.state);
    this.#cache.set(stream, { loaded: { ...loaded, fresh: false }, ...now });
    return loaded;
  }
}

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

const measuredNow = (state: unknown) => {
  const size = sizeOf(state);
  return { size, measured: size };
};

const toAppend = (
  decider: Pick<Foldable<unknown>, 'upcasters'>,
  events: readonly Decided[],
  times: { readonly at: string; readonly clock: string | undefined },
  context: CommandContext,
): NewEvent[] => {
  const { actor, address, causationId, correlationId, origin, sessionId } = context;
  const { at, clock } = times;
  return events.map(({ type, data }, index) => {
    const schemaVersion = schemaVersionOf(decider, type);
    // In canonical order, so that the leaf of an event without an address is made without sorting.
    const fields = { actor, address, at, causationId, clock, correlationId, origin, schemaVersion, sessionId };
    return { id: context.ids.eventId(index), type, data, metadata: present(fields) };
  });
};

// A UUID v7 starts with 48 bits of epoch milliseconds (RFC 9562, 5.7).
const madeAt = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
