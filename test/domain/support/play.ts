// Plays commands on an aggregate, one second apart, and folds events into its state.
import { type EventContext, fold, type Of, type Schemas } from '../../../src/domain/decider.js';
import { DomainError } from '../../../src/domain/errors.js';
import { AGGREGATE_ID, ANONYMOUS, countingIds, deepFreeze, type Sent } from '../../support/specification.js';
import type { Machine } from './machines.js';

export interface Recorded<E extends Schemas> {
  readonly event: Of<E>;
  readonly on: EventContext;
}

/** A command that was played: the state before and after it, and its events. */
export interface Step<S, E extends Schemas> {
  readonly before: S;
  readonly state: S;
  readonly events: readonly Of<E>[];
}

export const on = (step: number): EventContext => ({
  id: AGGREGATE_ID,
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, step)).toISOString(),
});

type Decides<S, E extends Schemas, C extends Schemas> = Pick<
  Machine<S, E, C>['decider'],
  'commands' | 'decide' | 'evolve' | 'initialState' | 'aggregate'
>;

/** Returns the state after events one second apart, frozen. */
export const folded = <S, E extends Schemas, C extends Schemas>(
  decider: Decides<S, E, C>,
  events: readonly Of<E>[],
): S => events.reduce((state, event, step) => deepFreeze(fold(decider, state, event, on(step))), decider.initialState);

/** Returns the decided events, none if the schema or the aggregate refuses. Throws any other error: it is a defect. */
export const decided = <S, E extends Schemas, C extends Schemas>(
  { commands, decide }: Decides<S, E, C>,
  state: S,
  { type, data }: Sent<C>,
  { step = 0, newId = countingIds() } = {},
): readonly Of<E>[] => {
  const command = commands[type]?.safeParse(data);
  if (command?.success !== true) return [];
  try {
    const given = { now: on(step).at, newId, actor: { id: ANONYMOUS, roles: [] } };
    return decide[type](state, command.data as never, given);
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
};

/** Plays drawn commands. */
export const played = <S, E extends Schemas, C extends Schemas>(
  { decider, aim }: Pick<Machine<S, E, C>, 'decider' | 'aim'>,
  drawn: readonly Sent<C>[],
): readonly Step<S, E>[] => {
  const newId = countingIds();
  const steps: Step<S, E>[] = [];
  for (const [step, command] of drawn.entries()) {
    const before = steps.at(-1)?.state ?? decider.initialState;
    const events = decided(decider, before, aim(command, before), { step, newId });
    const after = (state: S, event: Of<E>) => deepFreeze(fold(decider, state, event, on(step)));
    steps.push({ before, state: events.reduce(after, before), events });
  }
  return steps;
};

/** Returns the log of the steps as JSON would hold it. */
export const logOf = <S, E extends Schemas>(steps: readonly Step<S, E>[]): readonly Recorded<E>[] =>
  JSON.parse(JSON.stringify(steps.flatMap(({ events }, step) => events.map((event) => ({ event, on: on(step) })))));
