// What every aggregate is: events, commands, and two tables that say what they do.
import type { z } from 'zod';
import type { Unique } from './unique.js';

/** Payload schemas by type name, in the order a reader should meet them. */
export type Schemas = Readonly<Record<string, z.ZodType>>;

/** The union that a table of schemas describes: `{ type, data }`, discriminated by `type`. */
export type Of<S extends Schemas> = {
  [T in keyof S & string]: { readonly type: T; readonly data: z.infer<S[T]> };
}[keyof S & string];

/** Where and when an event was recorded. */
export interface Occasion {
  /** The id of the aggregate, the part of the stream's name behind its first dash. */
  readonly id: string;
  /** ISO 8601 instant; never earlier than that of the event before it in the same stream. */
  readonly at: string;
  /** Set if the personal fields of the event could not be read and are null for that reason. */
  readonly isUnreadable?: boolean;
}

/** What a decision may use and must not make itself. */
export interface Circumstances {
  readonly now: string;
  readonly newId: () => string;
  /** Who commands, with the roles that count now; the id is `anonymous` if nobody is known. */
  readonly actor: { readonly id: string; readonly roles: readonly string[] };
}

/** How events of each type fold into a state. Total: no handler throws, whatever came before. */
export type Evolve<State, Events extends Schemas> = {
  readonly [T in keyof Events]: (state: State, data: z.infer<Events[T]>, on: Occasion) => State;
};

/** What commands of each type decide: new events, none where nothing changes, or a thrown `DomainError`. */
export type Decide<State, Events extends Schemas, Commands extends Schemas> = {
  readonly [T in keyof Commands]: (
    state: State,
    data: z.infer<Commands[T]>,
    given: Circumstances,
  ) => readonly Of<Events>[];
};

/**
 * Whether `decide` can have recorded an event of each type on a state, and for this actor. A log with any other event
 * was altered. Looks at no personal field, which may be erased, and at no limit, which may have changed since.
 */
export type Permits<State, Events extends Schemas> = {
  readonly [T in keyof Events]: (state: State, data: z.infer<Events[T]>, actorId: string) => boolean;
};

/** The state of an aggregate before its first event. */
export interface Unknown {
  readonly status: 'unknown';
}

/** The state of an aggregate that has fields. */
export interface Known<Fields, Status extends string = 'active'> {
  readonly status: Status;
  readonly fields: Fields;
}

/**
 * Returns the fold of a state from the fold of its fields. `next` makes the state from the fields after an event. An
 * event that leaves no fields leaves the state as it was.
 */
export const stateOf = <Fields, Events extends Schemas, State extends Known<Fields, string>>(
  evolve: Evolve<Fields | undefined, Events>,
  next: (fields: Fields, state: State | Unknown, event: Of<Events>) => State,
): Evolve<State | Unknown, Events> => {
  const folds = Object.keys(evolve).map((type) => {
    const fold = (state: State | Unknown, data: never, on: Occasion): State | Unknown => {
      const fields = evolve[type]?.('fields' in state ? state.fields : undefined, data, on);
      return fields === undefined ? state : next(fields, state, { type, data } as Of<Events>);
    };
    return [type, fold] as const;
  });
  return Object.fromEntries(folds) as Evolve<State | Unknown, Events>;
};

/** Turns the payload of one schema version into that of the next. Pure and total: an event was recorded for good. */
export type Upcaster<To> = (data: never) => To;

/**
 * The upcasters of the event types that have changed, the upcaster of version 1 first. The last upcaster gives the current
 * shape, which the compiler checks. Each has a golden fixture of the version that it takes (test/domain/golden).
 */
export type Upcasters<Events extends Schemas> = {
  readonly [T in keyof Events]?: readonly [...Upcaster<object>[], Upcaster<z.infer<Events[T]>>];
};

/**
 * An aggregate as three tables: how events fold into state, what commands decide, and which events that can have led to.
 * Each names every type, so a missing case does not compile. `evolve` never throws; `decide` throws nothing but a
 * `DomainError`.
 */
export interface Decider<State, Events extends Schemas, Commands extends Schemas> {
  /** The category of its streams: `<aggregate>-<id>`. */
  readonly aggregate: string;
  readonly events: Events;
  readonly commands: Commands;
  /** How events of older schema versions read now; absent if no event type has changed since its first release. */
  readonly upcasters?: Upcasters<Events>;
  readonly initialState: State;
  readonly evolve: Evolve<State, Events>;
  readonly decide: Decide<State, Events, Commands>;
  readonly permits: Permits<State, Events>;
  /** The values that it alone may have; absent where there are none. */
  readonly unique?: Unique<State>;
}

/** What it takes to fold a stream into a state. Every decider is one. */
export interface Foldable<State> {
  readonly aggregate: string;
  readonly initialState: State;
  readonly evolve: Readonly<Record<string, (state: State, data: never, on: Occasion) => State>>;
  readonly upcasters?: Readonly<Record<string, readonly Upcaster<unknown>[] | undefined>>;
}

/** Returns the upcasters of an event type, the upcaster of version 1 first. */
export const upcastersOf = (
  { upcasters }: Pick<Foldable<unknown>, 'upcasters'>,
  type: string,
): readonly Upcaster<unknown>[] => upcasters?.[type] ?? [];

/** Returns the schema version in which an aggregate records events of a type. */
export const schemaVersionOf = (decider: Pick<Foldable<unknown>, 'upcasters'>, type: string): number =>
  upcastersOf(decider, type).length + 1;

/** The state after one more event; an event of a type that the aggregate does not know changes nothing. */
export const fold = <S>(
  { evolve }: Foldable<S>,
  state: S,
  event: { readonly type: string; readonly data: unknown },
  on: Occasion,
): S => (Object.hasOwn(evolve, event.type) ? (evolve[event.type]?.(state, event.data as never, on) ?? state) : state);
