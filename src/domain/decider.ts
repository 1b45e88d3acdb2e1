// An aggregate: its events, its commands, and a table for each thing that depends on their types.
import type { z } from 'zod';
import type { Unique } from './unique.js';

/** Payload schemas by type name, in the order in which a reader should meet them. */
export type Schemas = Readonly<Record<string, z.ZodType>>;

/** The union that a table of schemas describes: `{ type, data }`, discriminated by `type`. */
export type Of<S extends Schemas> = {
  [T in keyof S & string]: { readonly type: T; readonly data: z.infer<S[T]> };
}[keyof S & string];

export interface EventContext {
  /** The id of the aggregate: the part of the stream name after the first dash. */
  readonly id: string;
  /** An ISO 8601 timestamp, never earlier than the timestamp of the preceding event in the stream. */
  readonly at: string;
  /** True if the personal fields of the event could not be decrypted and are null for that reason. */
  readonly isUnreadable?: boolean;
}

/** The values that a decision needs but must not create itself. */
export interface Circumstances {
  readonly now: string;
  readonly newId: () => string;
  /** The caller and the caller's current roles; the id of an unknown caller is `anonymous`. */
  readonly actor: { readonly id: string; readonly roles: readonly string[] };
}

/** Folds events of each type into a state. The functions are total: none throws, in any state. */
export type Evolve<State, Events extends Schemas> = {
  readonly [T in keyof Events]: (state: State, data: z.infer<Events[T]>, on: EventContext) => State;
};

/** Returns new events, or none if nothing changes. Throws `DomainError` if a rule forbids the command. */
export type Decide<State, Events extends Schemas, Commands extends Schemas> = {
  readonly [T in keyof Commands]: (
    state: State,
    data: z.infer<Commands[T]>,
    given: Circumstances,
  ) => readonly Of<Events>[];
};

type Fold<State> = (state: State, data: never, on: EventContext) => State;

/** Derives a fold from another fold of the same events, type by type. */
export const derived = <From, Events extends Schemas, State>(
  evolve: Evolve<From, Events>,
  derive: (fold: Fold<From>, type: string) => Fold<State>,
): Evolve<State, Events> =>
  Object.fromEntries(Object.entries(evolve).map(([type, fold]) => [type, derive(fold, type)])) as Evolve<State, Events>;

/** The state of an aggregate before its first event. */
export interface Unknown {
  readonly status: 'unknown';
}

export interface Known<Fields, Status extends string = 'active'> {
  readonly status: Status;
  readonly fields: Fields;
}

/**
 * Derives the fold of a state from the fold of its fields. `next` makes the new state from the new fields. If an event
 * yields no fields, the state stays the same.
 */
export const stateOf = <Fields, Events extends Schemas, State extends Known<Fields, string>>(
  evolve: Evolve<Fields | undefined, Events>,
  next: (fields: Fields, state: State | Unknown, event: Of<Events>) => State,
): Evolve<State | Unknown, Events> =>
  derived(evolve, (fold, type) => (state: State | Unknown, data, on) => {
    const fields = fold('fields' in state ? state.fields : undefined, data, on);
    return fields === undefined ? state : next(fields, state, { type, data } as Of<Events>);
  });

/** Turns the payload of one schema version into that of the next. Pure and total: recorded events never change. */
export type Upcaster<To> = (data: never) => To;

/**
 * The upcasters of the event types that have changed, starting with the upcaster of version 1. The compiler checks that
 * the last upcaster returns the current shape. Each upcaster has a golden fixture of its input (test/domain/golden).
 */
export type Upcasters<Events extends Schemas> = {
  readonly [T in keyof Events]?: readonly [...Upcaster<object>[], Upcaster<z.infer<Events[T]>>];
};

/**
 * Describes an aggregate as two tables: `evolve` folds events into state, and `decide` turns commands into events. Each
 * table names every type, so a missing case does not compile. `evolve` never throws; `decide` throws only
 * `DomainError`.
 */
export interface Decider<State, Events extends Schemas, Commands extends Schemas> {
  /** The category of the aggregate's streams, which are named `<aggregate>-<id>`. */
  readonly aggregate: string;
  readonly events: Events;
  readonly commands: Commands;
  /** The upcasters of older schema versions; absent if no event type has changed since its first release. */
  readonly upcasters?: Upcasters<Events>;
  readonly initialState: State;
  /** Undefined if no decision depends on earlier events. A command then reads only the last event of its stream. */
  readonly evolve: Evolve<State, Events> | undefined;
  readonly decide: Decide<State, Events, Commands>;
  /** The values that no other aggregate may have; absent if there are none. */
  readonly unique?: Unique<State>;
}

export interface Foldable<State> {
  readonly aggregate: string;
  readonly initialState: State;
  readonly evolve: Readonly<Record<string, Fold<State>>> | undefined;
  readonly upcasters?: Readonly<Record<string, readonly Upcaster<unknown>[] | undefined>>;
}

export const upcastersOf = (
  { upcasters }: Pick<Foldable<unknown>, 'upcasters'>,
  type: string,
): readonly Upcaster<unknown>[] => upcasters?.[type] ?? [];

export const schemaVersionOf = (decider: Pick<Foldable<unknown>, 'upcasters'>, type: string): number =>
  upcastersOf(decider, type).length + 1;

/** Returns the state after one more event. An event of an unknown type changes nothing. */
export const fold = <S>(
  { evolve = {} }: Foldable<S>,
  state: S,
  event: { readonly type: string; readonly data: unknown },
  on: EventContext,
): S => {
  const evolveBy = Object.hasOwn(evolve, event.type) ? evolve[event.type] : undefined;
  return evolveBy === undefined ? state : evolveBy(state, event.data as never, on);
};
