// An aggregate as it is after the events of its stream that were folded so far.
import { type Foldable, fold } from '../domain/decider.js';
import type { EventPlace } from '../infrastructure/errors.js';
import { interpretable, type Position, type RecordedEvent } from '../infrastructure/facts/facts.js';

export interface Loaded<S> {
  readonly state: S;
  /** The revision of the last folded event; -1 if the stream does not exist. */
  readonly revision: number;
  /** When the last event was recorded. */
  readonly at: string;
  /** The position of the last folded event; undefined if nothing is recorded. */
  readonly position: Position | undefined;
  /** Whether the tail of the stream was just read. */
  readonly fresh: boolean;
  /** The first event with personal fields that cannot be opened. The state has null in their places. */
  readonly unreadable: EventPlace | undefined;
}

/** An event from a decision, or from the stream. */
export interface Decided {
  readonly type: string;
  readonly data: unknown;
}

const NOTHING_FOLDED = { revision: -1, at: '', position: undefined, fresh: false, unreadable: undefined };

export const emptyOf = <S>({ initialState }: Foldable<S>): Loaded<S> => ({ state: initialState, ...NOTHING_FOLDED });

export const withRecorded = <S>(
  decider: Foldable<S>,
  id: string,
  loaded: Loaded<S>,
  event: RecordedEvent,
): Loaded<S> => ({
  ...withEvent(decider, id, loaded, { ...interpretable(event), at: event.metadata.at }),
  revision: event.revision,
  unreadable: loaded.unreadable ?? (event.flaw?.kind === 'unreadable' ? event : undefined),
});

/** Returns the aggregate after an event that was just appended. */
export const withEvent = <S>(
  decider: Foldable<S>,
  id: string,
  loaded: Loaded<S>,
  event: Decided & { readonly at: string; readonly position: Position },
): Loaded<S> => ({
  ...loaded,
  state: fold(decider, loaded.state, event, { id, at: event.at }),
  revision: loaded.revision + 1,
  at: event.at,
  position: event.position,
});
