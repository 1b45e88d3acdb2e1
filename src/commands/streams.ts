// Streams as aggregates: loads and folds them, keeps what it folded, appends to them. A command on a cached stream
// reads nothing; only a conflict (or a refusal, which may rest on old state) reads the tail.
import { LRUCache } from 'lru-cache';
import { type Foldable, fold } from '../domain/decider.js';
import { StoreUnavailable } from '../infrastructure/errors.js';
import type { Facts, NewEvent, Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import type { CommandContext } from './context.js';

/** An aggregate as it was folded. */
export interface Loaded<S> {
  readonly state: S;
  /** The revision of the last event folded in; -1 for a stream that does not exist. */
  readonly revision: number;
  /** When the last event was recorded. */
  readonly at: string;
  /** The position of the last event folded in; undefined where nothing is recorded. */
  readonly position: Position | undefined;
  /** Roughly the bytes that its events hold. */
  readonly weight: number;
  /** Whether the stream's tail was read for it just now. */
  readonly fresh: boolean;
}

/** An event that was decided, or found in the stream. */
export interface Decided {
  readonly type: string;
  readonly data: unknown;
}

const CACHE_WEIGHT = 128 * 1024 * 1024;
// By how much the clocks of two servers may differ.
const CLOCK_TOLERANCE_MS = 60_000;

/** The name of an aggregate's stream. */
export const streamName = (aggregate: string, id: string): string => `${aggregate}-${id}`;

/** The aggregate id in a stream's name. */
export const idOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1);

export class Streams {
  readonly #facts: Facts;
  readonly #now: () => Date;
  readonly #cache = new LRUCache<string, Loaded<unknown>>({
    maxSize: CACHE_WEIGHT,
    sizeCalculation: ({ weight }) => weight + 1,
  });
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #ownWrites = new LRUCache<string, Position>({ max: 100_000 });

  constructor(facts: Facts, now: () => Date = () => new Date()) {
    this.#facts = facts;
    this.#now = now;
  }

  /**
   * Runs tasks of one stream one after the other, so that writers in this process do not run into each other. Those that
   * wait behind one which finds the store unavailable reject as it does, at once: else each would wait for the deadlines
   * of all before it.
   */
  inTurn<T>(stream: string, task: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(stream);
    const unlessUnavailable = (error: unknown) => {
      if (error instanceof StoreUnavailable) throw error;
      return task();
    };
    const mine = before === undefined ? task() : before.then(task, unlessUnavailable);
    this.#turns.set(stream, mine);
    const leave = () => void (this.#turns.get(stream) === mine && this.#turns.delete(stream));
    mine.then(leave, leave);
    return mine;
  }

  /** The state before the first event. */
  empty<S>({ initialState }: Foldable<S>): Loaded<S> {
    return { state: initialState, revision: -1, at: '', position: undefined, weight: 0, fresh: false };
  }

  /** The aggregate as it is cached, else as its stream is. */
  async load<S>(decider: Foldable<S>, id: string): Promise<Loaded<S>> {
    const known = this.#cache.get(streamName(decider.aggregate, id)) as Loaded<S> | undefined;
    return known ?? this.refresh(decider, id, this.empty(decider));
  }

  /** The aggregate as its stream is now, read once. */
  async fresh<S>(decider: Foldable<S>, id: string): Promise<Loaded<S>> {
    const loaded = await this.load(decider, id);
    return loaded.fresh ? loaded : this.refresh(decider, id, loaded);
  }

  /** The aggregate after the events that its stream holds beyond `loaded`. */
  async refresh<S>(decider: Foldable<S>, id: string, loaded: Loaded<S>): Promise<Loaded<S>> {
    let next = loaded;
    for await (const event of this.#facts.readStream(streamName(decider.aggregate, id), loaded.revision + 1)) {
      next = folded(decider, id, next, event);
    }
    return this.#remember(decider, id, { ...next, fresh: true });
  }

  /** The aggregate as it was at an instant, folded from its first event; revision -1 if that was later. */
  async asOf<S>(decider: Foldable<S>, id: string, instant: string): Promise<Loaded<S>> {
    // Compared as numbers: as text, an instant of the year 10000 (+010000-…) would stand before all others.
    const until = Date.parse(instant);
    let then = this.empty(decider);
    for await (const event of this.#facts.readStream(streamName(decider.aggregate, id))) {
      if (Date.parse(event.metadata.at) > until) break;
      then = folded(decider, id, then, event);
    }
    return { ...then, fresh: true };
  }

  /** The instant of the next event of this aggregate: the clock's, but never before the last event. */
  nowFor({ at }: Loaded<unknown>): string {
    const now = this.#now().toISOString();
    return now < at ? at : now;
  }

  /** Appends behind `loaded` and gives the aggregate after it; undefined where others wrote in between. */
  async append<S>(
    target: { readonly decider: Foldable<S>; readonly id: string; readonly loaded: Loaded<S> },
    events: readonly Decided[],
    at: string,
    context: CommandContext,
  ): Promise<Loaded<S> | undefined> {
    const { decider, id, loaded } = target;
    const stream = streamName(decider.aggregate, id);
    const expected = loaded.revision < 0 ? 'no-stream' : loaded.revision;
    const appended = await this.#facts.append(stream, expected, toAppend(events, at, context));
    if (appended.outcome === 'conflict') return undefined;
    this.#ownWrites.set(stream, appended.position);
    let next = loaded;
    for (const event of events) next = advanced(decider, id, next, { ...event, at, position: appended.position });
    return this.#remember(decider, id, { ...next, fresh: false });
  }

  /** The aggregate right after the events of this command, where an attempt before this one recorded them. */
  async settled<S>(decider: Foldable<S>, id: string, context: CommandContext) {
    const stream = streamName(decider.aggregate, id);
    const first = context.ids.eventId(0);
    let found: RecordedEvent | undefined;
    for await (const event of this.#facts.readStreamBackwards(stream)) {
      if (event.id === first) found = event;
      if (found !== undefined || madeAt(event.id) < madeAt(first) - CLOCK_TOLERANCE_MS) break;
    }
    return found && this.#replayed(decider, id, found, context);
  }

  /** The position of this process's last write to a stream, until it is told that the views have it. */
  ownWrite(stream: string): Position | undefined {
    return this.#ownWrites.get(stream);
  }

  /** Tells that the views have caught up with an own write. */
  ownWriteSeen(stream: string, position: Position): void {
    if (this.#ownWrites.get(stream) === position) this.#ownWrites.delete(stream);
  }

  async #replayed<S>(decider: Foldable<S>, id: string, first: RecordedEvent, { ids }: CommandContext) {
    let loaded = this.empty(decider);
    const events: Decided[] = [];
    for await (const event of this.#facts.readStream(first.stream)) {
      if (event.revision >= first.revision && event.id !== ids.eventId(events.length)) break;
      if (event.revision >= first.revision) events.push(event);
      loaded = folded(decider, id, loaded, event);
    }
    if (loaded.position !== undefined) this.#ownWrites.set(first.stream, loaded.position);
    return { ...loaded, fresh: true, events };
  }

  #remember<S>(decider: Foldable<S>, id: string, loaded: Loaded<S>): Loaded<S> {
    if (loaded.revision >= 0) this.#cache.set(streamName(decider.aggregate, id), { ...loaded, fresh: false });
    return loaded;
  }
}

const toAppend = (events: readonly Decided[], at: string, context: CommandContext): NewEvent[] => {
  const { actor, origin, correlationId, causationId } = context;
  const sentFrom = origin === undefined ? {} : { origin };
  const metadata = { at, actor, ...sentFrom, correlationId, causationId, schemaVersion: 1 };
  return events.map(({ type, data }, index) => ({ id: context.ids.eventId(index), type, data, metadata }));
};

const folded = <S>(decider: Foldable<S>, id: string, loaded: Loaded<S>, event: RecordedEvent): Loaded<S> =>
  advanced(decider, id, loaded, { ...event, at: event.metadata.at });

const advanced = <S>(
  decider: Foldable<S>,
  id: string,
  loaded: Loaded<S>,
  event: Decided & { readonly at: string; readonly position: Position },
): Loaded<S> => ({
  state: fold(decider, loaded.state, event, { id, at: event.at }),
  revision: loaded.revision + 1,
  at: event.at,
  position: event.position,
  weight: loaded.weight + weigh(event.data),
  fresh: loaded.fresh,
});

// A UUID v7 begins with 48 bits of epoch milliseconds (RFC 9562, 5.7).
const madeAt = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const weigh = (value: unknown): number => {
  if (typeof value === 'string') return value.length + 16;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, member) => sum + weigh(member), 32);
};
