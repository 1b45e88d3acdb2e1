// The one way in which a command becomes events: load, decide, append; again on fresh state when another was faster.
import { setTimeout as pause } from 'node:timers/promises';
import type { Decider, Of, Schemas } from '../domain/decider.js';
import { DomainError } from '../domain/errors.js';
import { type CommandContext, type Precondition, PreconditionFailed, TooContended } from './context.js';
import { type Decided, type Loaded, type Streams, streamName } from './streams.js';
import type { Guard } from './uniqueness.js';

/** What became of a command: the aggregate after it, and the events that it recorded (none where nothing changed). */
export interface Outcome<S> extends Loaded<S> {
  readonly id: string;
  readonly events: readonly Decided[];
}

/** The aggregate that a command is for: one that exists, or a new one under an id of the command's. */
export type Target = string | 'new';

export type CommandHandler = <S, E extends Schemas, C extends Schemas>(
  decider: Decider<S, E, C>,
  target: Target,
  command: Of<C>,
  context: CommandContext,
) => Promise<Outcome<S>>;

const ATTEMPTS = 20;

/**
 * Makes the command handler; every append goes through the guard. It rejects with a `DomainError` (the rules do not allow it), `PreconditionFailed`,
 * `TooContended`, and what the facts port rejects with.
 */
export const commandHandler =
  (streams: Streams, guard: Guard): CommandHandler =>
  async (decider, target, command, context) => {
    const id = target === 'new' ? context.ids.aggregateId() : target;
    const outcome = await streams.inTurn(streamName(decider.aggregate, id), async () => {
      const before = context.resumed ? await streams.settled(decider, id, context) : undefined;
      const aim = { decider, id, isNew: target === 'new' };
      return before ?? (await untilAppended({ streams, guard }, aim, command, context));
    });
    return { ...outcome, id };
  };

interface Means {
  readonly streams: Streams;
  readonly guard: Guard;
}

const untilAppended = async <S, E extends Schemas, C extends Schemas>(
  means: Means,
  { decider, id, isNew }: { readonly decider: Decider<S, E, C>; readonly id: string; readonly isNew: boolean },
  command: Of<C>,
  context: CommandContext,
) => {
  const { streams } = means;
  let loaded = isNew ? streams.empty(decider) : await streams.load(decider, id);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const done = await attemptOn(means, { decider, id, loaded }, command, context);
    if (done !== undefined) return done;
    if (attempt > 1) await pause(Math.random() * 5 * attempt);
    loaded = await streams.refresh(decider, id, loaded);
  }
  throw new TooContended(streamName(decider.aggregate, id));
};

/** Decides on what is loaded and appends; undefined where that was old, so that it must be loaded again. */
const attemptOn = async <S, E extends Schemas, C extends Schemas>(
  { streams, guard }: Means,
  target: { readonly decider: Decider<S, E, C>; readonly id: string; readonly loaded: Loaded<S> },
  command: Of<C>,
  context: CommandContext,
) => {
  const { decider, loaded } = target;
  const at = streams.nowFor(loaded);
  const { events, refusal } = judge(decider, command, loaded, { at, context });
  if (events.length > 0) {
    const append = async () => {
      if (refusal !== undefined) throw refusal;
      return streams.append(target, events, at, context);
    };
    const after = await guard({ ...target, events, at }, append).catch(unlessStale(loaded));
    return after && { ...after, events };
  }
  if (!loaded.fresh) return undefined;
  if (refusal !== undefined) throw refusal;
  return { ...loaded, events };
};

/** A refusal that may rest on old state is none yet. */
const unlessStale =
  ({ fresh }: Loaded<unknown>) =>
  (error: unknown): undefined => {
    if (fresh || !(error instanceof DomainError || error instanceof PreconditionFailed)) throw error;
  };

interface Verdict {
  readonly events: readonly Decided[];
  readonly refusal?: Error;
}

const judge = <S, E extends Schemas, C extends Schemas>(
  { decide }: Decider<S, E, C>,
  { type, data }: Of<C>,
  { state, revision }: Loaded<S>,
  { at, context }: { at: string; context: CommandContext },
): Verdict => {
  try {
    const events = decide[type](state, data as never, {
      now: at,
      newId: context.ids.newIds(),
      actorId: context.actor.id,
    });
    return met(context.precondition, revision) ? { events } : { events, refusal: new PreconditionFailed(revision) };
  } catch (error) {
    if (error instanceof DomainError) return { events: [], refusal: error };
    throw error;
  }
};

/** Whether an aggregate at this revision is one that the caller asked for. */
export const met = (precondition: Precondition | undefined, revision: number) =>
  precondition === undefined || (precondition === 'any' ? revision >= 0 : precondition.includes(revision));
