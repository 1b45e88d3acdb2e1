// Given-when-then for an aggregate: given(events).when(commands) and one of three assertions, on the events decided,
// on the state after them, or on the refusal; and sending(command), on the faults that the command's schema finds in a request.
import { expect } from 'vitest';
import type { z } from 'zod';
import { type Decider, type DecisionContext, fold, type Of, type Schemas } from '../../src/domain/decider.js';
import { DomainError, type DomainErrorCode, type Refusals } from '../../src/domain/errors.js';

/** When everything given was recorded. */
export const EARLIER = '2026-01-05T08:00:00.000Z';
/** When the commands are decided. */
export const NOW = '2026-02-10T09:30:00.000Z';

/** A UUID that ends in `n`, so that ids differ in their last digits. */
export const uuidOf = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** The id of the aggregate under test. */
export const AGGREGATE_ID = uuidOf(0xa99);

/** Who commands where nobody is known. */
export const ANONYMOUS = 'anonymous';

/** What stands for the server's ids: uuidOf(1), uuidOf(2) and so on. */
export const countingIds = () => {
  let made = 0;
  return (): string => {
    made += 1;
    return uuidOf(made);
  };
};

/** A command as it is sent: what has a default may be left out. */
export type Sent<C extends Schemas> = {
  [T in keyof C & string]: { readonly type: T; readonly data: z.input<C[T]> };
}[keyof C & string];

interface Run<State, Events extends Schemas> {
  readonly state: State;
  readonly decided: readonly Of<Events>[];
  readonly refusal: unknown;
}

export const specification = <S, E extends Schemas, C extends Schemas>(decider: Decider<S, E, C>) => ({
  /** The history: events that were recorded EARLIER. */
  given: (...events: readonly Of<E>[]) => ({
    /** Commands that are decided NOW, each on the state that the one before it left. */
    when: (...commands: readonly Sent<C>[]) =>
      assertions(decider, run(decider, events, commands, { id: ANONYMOUS, roles: [] })),
    /** The same, commanded by this user, who has no role. */
    whenBy: (id: string, ...commands: readonly Sent<C>[]) =>
      assertions(decider, run(decider, events, commands, { id, roles: [] })),
    /** The same, commanded by this user, who is an administrator. */
    whenByAdministrator: (id: string, ...commands: readonly Sent<C>[]) =>
      assertions(decider, run(decider, events, commands, { id, roles: ['ADMINISTRATOR'] })),
  }),

  /** A request of any shape, before the aggregate sees it. */
  sending: (type: keyof C & string, data: unknown) => ({
    /** Every field that is refused, as `/questions/0/position duplicate`, in any order. */
    isRefusedFor: (...fields: readonly string[]): void => {
      const { error } = parsed(decider.commands, type, data);
      expect(error?.issues.map(nameOf).toSorted() ?? 'nothing refused').toEqual(fields.toSorted());
    },
    /** The request is accepted and this is what the aggregate is handed. */
    isTakenAs: (expected: unknown): void => {
      expect(parsed(decider.commands, type, data)).toStrictEqual({ success: true, data: expected });
    },
    isTaken: (): void => {
      expect(parsed(decider.commands, type, data).error).toBeUndefined();
    },
  }),
});

const assertions = <S, E extends Schemas, C extends Schemas>(decider: Decider<S, E, C>, outcome: Run<S, E>) => ({
  /** These events and no others are decided, and each is what its schema says. */
  // biome-ignore lint/suspicious/noThenProperty: given, when, then; nothing awaits it.
  then: (...expected: readonly Of<E>[]): void => {
    const { decided } = allowed(outcome);
    expect(decided).toStrictEqual(expected);
    for (const event of decided) expectRecordable(decider, event);
  },
  /** The commands leave a state for which `check` holds. */
  thenState: (check: (state: S) => void): void => {
    check(allowed(outcome).state);
  },
  /** The last command is refused. */
  thenRefuses: <Code extends DomainErrorCode>(code: Code, details?: Refusals[Code]): void => {
    expect(outcome.refusal).toBeInstanceOf(DomainError);
    expect(outcome.refusal).toMatchObject({ code, ...(details !== undefined && { details }) });
    if (details !== undefined) expect((outcome.refusal as DomainError).details).toStrictEqual(details);
  },
});

const allowed = <R extends { readonly refusal: unknown }>(outcome: R): R => {
  if (outcome.refusal !== undefined) throw outcome.refusal;
  return outcome;
};

/** The event survives its schema and its way through JSON unchanged. */
export const expectRecordable = <S, E extends Schemas, C extends Schemas>(
  { events }: Decider<S, E, C>,
  { type, data }: Of<E>,
): void => {
  expect(events[type]?.parse(data)).toStrictEqual(data);
  expect(JSON.parse(JSON.stringify(data))).toStrictEqual(data);
};

/** The events may follow the state, one after the other: the check of the log finds nothing wrong with them. */
export const expectPermitted = <S, E extends Schemas, C extends Schemas>(
  decider: Decider<S, E, C>,
  state: S,
  events: readonly Of<E>[],
  actorId: string,
): void => {
  let before = state;
  for (const event of events) {
    const isPermitted = decider.permits[event.type]?.(before, event.data as never, actorId);
    expect([event.type, isPermitted]).toEqual([event.type, true]);
    before = fold(decider, before, event, { id: AGGREGATE_ID, at: NOW });
  }
};

const run = <S, E extends Schemas, C extends Schemas>(
  decider: Decider<S, E, C>,
  given: readonly Of<E>[],
  commands: readonly Sent<C>[],
  actor: DecisionContext['actor'],
): Run<S, E> => {
  for (const event of given) expectRecordable(decider, event);
  const after = (state: S, events: readonly Of<E>[], at: string) =>
    frozen(events.reduce((before, event) => fold(decider, before, event, { id: AGGREGATE_ID, at }), state));

  const circumstances = { now: NOW, newId: countingIds(), actor };
  let state = after(decider.initialState, given, EARLIER);
  const decided: Of<E>[] = [];
  for (const { type, data } of commands) {
    const command = frozen(decider.commands[type]?.parse(data));
    let events: readonly Of<E>[];
    try {
      events = decider.decide[type](state, command as never, circumstances);
    } catch (refusal) {
      return { state, decided, refusal };
    }
    decided.push(...events);
    expectPermitted(decider, state, events, actor.id);
    state = after(state, events, NOW);
  }
  return { state, decided, refusal: undefined };
};

/** Nothing that a decision or a fold is handed may be changed by it. */
export const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
};

const parsed = (commands: Schemas, type: string, data: unknown) => {
  const schema = commands[type];
  if (schema === undefined) throw new Error(`${type} is no command of this aggregate`);
  return schema.safeParse(data);
};

const nameOf = (issue: z.core.$ZodIssue) => {
  const code: unknown = issue.code === 'custom' ? issue.params?.['code'] : issue.code;
  return `${issue.path.map((step) => `/${String(step)}`).join('')} ${String(code)}`;
};
