// Given-when-then for an aggregate. given(events).when(commands) takes one of three assertions: on the decided events,
// on the state after them, or on the refusal. sending(command) asserts which faults the command's schema finds in a
// request.
import { expect } from 'vitest';
import type { z } from 'zod';
import { type Circumstances, type Decider, fold, type Of, type Schemas } from '../../src/domain/decider.js';
import { DomainError, type DomainErrorCode, type Refusals } from '../../src/domain/errors.js';

/** The time at which the given events were recorded. */
export const EARLIER = '2026-01-05T08:00:00.000Z';
/** The time at which the commands are decided. */
export const NOW = '2026-02-10T09:30:00.000Z';

/** Returns a UUID that ends in `n`, so that ids differ in their last digits. */
export const uuidOf = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** The id of the aggregate under test. */
export const AGGREGATE_ID = uuidOf(0xa99);

/** The id of the actor if nobody is signed in. */
export const ANONYMOUS = 'anonymous';

/** Returns a generator of predictable ids: uuidOf(1), uuidOf(2) and so on. */
export const countingIds = () => {
  let made = 0;
  return (): string => {
    made += 1;
    return uuidOf(made);
  };
};

/** A command as a client sends it, without the fields that have defaults if the client omits them. */
export type Sent<C extends Schemas> = {
  [T in keyof C & string]: { readonly type: T; readonly data: z.input<C[T]> };
}[keyof C & string];

interface Run<State, Events extends Schemas> {
  readonly state: State;
  readonly decided: readonly Of<Events>[];
  readonly refusal: unknown;
}

export const specification = <S, E extends Schemas, C extends Schemas>(decider: Decider<S, E, C>) => ({
  /** Takes the history: events that were recorded EARLIER. */
  given: (...events: readonly Of<E>[]) => ({
    /** Returns the state after these events. */
    state: (): S => allowed(run(decider, events, [], { id: ANONYMOUS, roles: [] })).state,
    /** Decides commands NOW, each on the state after the command before it. */
    when: (...commands: readonly Sent<C>[]) =>
      assertions(decider, run(decider, events, commands, { id: ANONYMOUS, roles: [] })),
    /** Decides commands of a user without roles. */
    whenBy: (id: string, ...commands: readonly Sent<C>[]) =>
      assertions(decider, run(decider, events, commands, { id, roles: [] })),
    /** Decides commands of an administrator. */
    whenByAdministrator: (id: string, ...commands: readonly Sent<C>[]) =>
      assertions(decider, run(decider, events, commands, { id, roles: ['ADMINISTRATOR'] })),
  }),

  /** Parses a request of any shape as a command. */
  sending: (type: keyof C & string, data: unknown) => ({
    /** Expects exactly these faults, such as `/questions/0/position duplicate`, in any order. */
    isRefusedFor: (...fields: readonly string[]): void => {
      const { error } = parsed(decider.commands, type, data);
      expect(error?.issues.map(nameOf).toSorted() ?? 'nothing refused').toEqual(fields.toSorted());
    },
    /** Expects that the request is accepted and that the aggregate gets this command. */
    isParsedAs: (expected: unknown): void => {
      expect(parsed(decider.commands, type, data)).toStrictEqual({ success: true, data: expected });
    },
    isAccepted: (): void => {
      expect(parsed(decider.commands, type, data).error).toBeUndefined();
    },
  }),
});

const assertions = <S, E extends Schemas, C extends Schemas>(decider: Decider<S, E, C>, outcome: Run<S, E>) => ({
  /** Expects exactly these events, each valid under its schema. */
  // biome-ignore lint/suspicious/noThenProperty: this is given, when, then; nothing awaits the object.
  then: (...expected: readonly Of<E>[]): void => {
    const { decided } = allowed(outcome);
    expect(decided).toStrictEqual(expected);
    for (const event of decided) expectRecordable(decider, event);
  },
  /** Checks the state after the commands. */
  thenState: (check: (state: S) => void): void => {
    check(allowed(outcome).state);
  },
  /** Expects that the last command is refused. */
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

/** Expects that parsing an event and converting it to JSON and back leave it unchanged. */
export const expectRecordable = <S, E extends Schemas, C extends Schemas>(
  { events }: Decider<S, E, C>,
  { type, data }: Of<E>,
): void => {
  expect(events[type]?.parse(data)).toStrictEqual(data);
  expect(JSON.parse(JSON.stringify(data))).toStrictEqual(data);
};

const run = <S, E extends Schemas, C extends Schemas>(
  decider: Decider<S, E, C>,
  given: readonly Of<E>[],
  commands: readonly Sent<C>[],
  actor: Circumstances['actor'],
): Run<S, E> => {
  for (const event of given) expectRecordable(decider, event);
  const after = (state: S, events: readonly Of<E>[], at: string) =>
    deepFreeze(events.reduce((before, event) => fold(decider, before, event, { id: AGGREGATE_ID, at }), state));

  const circumstances = { now: NOW, newId: countingIds(), actor };
  let state = after(decider.initialState, given, EARLIER);
  const decided: Of<E>[] = [];
  for (const { type, data } of commands) {
    const command = deepFreeze(decider.commands[type]?.parse(data));
    let events: readonly Of<E>[];
    try {
      events = decider.decide[type](state, command as never, circumstances);
    } catch (refusal) {
      return { state, decided, refusal };
    }
    decided.push(...events);
    state = after(state, events, NOW);
  }
  return { state, decided, refusal: undefined };
};

/** Freezes a value deeply, so that a decision or a fold cannot change it. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
};

const parsed = (commands: Schemas, type: string, data: unknown) => {
  const schema = commands[type];
  if (schema === undefined) throw new Error(`${type} is not a command of this aggregate`);
  return schema.safeParse(data);
};

const nameOf = (issue: z.core.$ZodIssue) => {
  const code: unknown = issue.code === 'custom' ? issue.params?.['code'] : issue.code;
  return `${issue.path.map((step) => `/${String(step)}`).join('')} ${String(code)}`;
};
