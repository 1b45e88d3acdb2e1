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
}

/** What a decision may use and must not make itself. */
export interface Circumstances {
  readonly now: string;
  readonly newId: () => string;
  /** The user who commands; `anonymous` where nobody is known. */
  readonly actorId: string;
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
 * An aggregate as two tables: how events fold into state, what commands decide. Both name every type,
 * so a missing case does not compile. `evolve` never throws; `decide` throws nothing but a `DomainError`.
 */
export interface Decider<State, Events extends Schemas, Commands extends Schemas> {
  /** The category of its streams: `<aggregate>-<id>`. */
  readonly aggregate: string;
  readonly events: Events;
  readonly commands: Commands;
  readonly initialState: State;
  readonly evolve: Evolve<State, Events>;
  readonly decide: Decide<State, Events, Commands>;
  /** The values that it alone may have; absent where there are none. */
  readonly unique?: Unique<State>;
}

/** What it takes to fold a stream into a state. Every decider is one. */
export interface Foldable<State> {
  readonly aggregate: string;
  readonly initialState: State;
  readonly evolve: Readonly<Record<string, (state: State, data: never, on: Occasion) => State>>;
}

/** The state after one more event; an event of a type that the aggregate does not know changes nothing. */
export const fold = <S>(
  { evolve }: Foldable<S>,
  state: S,
  event: { readonly type: string; readonly data: unknown },
  on: Occasion,
): S => (Object.hasOwn(evolve, event.type) ? (evolve[event.type]?.(state, event.data as never, on) ?? state) : state);
