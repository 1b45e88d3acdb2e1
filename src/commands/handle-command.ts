// The only path from a command to events: load, decide, append. Retries on fresh state if another writer was faster.
import { setTimeout as pause } from 'node:timers/promises';
import type { Decider, Of, Schemas } from '../domain/decider.js';
import { DomainError } from '../domain/errors.js';
import { streamName } from '../infrastructure/stream-name.js';
import { inSpan } from '../infrastructure/tracing.js';
import { type CommandContext, type Precondition, PreconditionFailed, TooContended } from './context.js';
import { type Decided, emptyOf, type Loaded } from './loaded.js';
import { mustBeReadable, type Streams } from './streams.js';
import type { AppendGuard } from './uniqueness.js';

/** The result of a command: the aggregate after it, and the recorded events (none if nothing changed). */
export interface Outcome<S, Event = Decided> extends Loaded<S> {
  readonly id: string;
  readonly aggregate: string;
  readonly events: readonly Event[];
}

/** The aggregate that a command addresses: an existing aggregate, or a new one whose id comes from the command. */
export type Target = string | 'new';

export type CommandHandler = <S, E extends Schemas, C extends Schemas>(
  decider: Decider<S, E, C>,
  target: Target,
  command: Of<C>,
  context: CommandContext,
) => Promise<Outcome<S, Of<E>>>;

const ATTEMPTS = 20;

/**
 * Returns the handler of every command. Each append goes through the guard. The handler rejects with a `DomainError` if
 * the rules do not allow the command, with `PreconditionFailed`, `TooContended`, `PersonalFieldsUnreadable` or
 * `EventTooNew`, and with the errors of the facts port.
 */
export const commandHandler =
  (streams: Streams, guard: AppendGuard): CommandHandler =>
  (decider, target, command, context) =>
    inSpan(command.type, { attributes: { 'command.aggregate': decider.aggregate } }, async () => {
      const isNew = target === 'new';
      const id = isNew ? context.ids.aggregateId() : target;
      const outcome = await streams.inTurn(streamName(decider.aggregate, id), async () => {
        const settled = context.resumed ? await streams.settled(decider, id, context) : undefined;
        return settled ?? (await decideWithRetries({ streams, guard, decider, id, isNew, command, context }));
      });
      return { ...outcome, id, aggregate: decider.aggregate };
    });

interface RunningCommand<S, E extends Schemas, C extends Schemas> {
  readonly streams: Streams;
  readonly guard: AppendGuard;
  readonly decider: Decider<S, E, C>;
  readonly id: string;
  readonly isNew: boolean;
  readonly command: Of<C>;
  readonly context: CommandContext;
}

const decideWithRetries = async <S, E extends Schemas, C extends Schemas>(running: RunningCommand<S, E, C>) => {
  const { streams, decider, id, isNew } = running;
  let loaded = isNew ? emptyOf(decider) : await streams.load(decider, id);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const done = await tryToAppend(running, loaded);
    if (done !== undefined) return done;
    if (attempt > 1) await pause(Math.random() * 5 * attempt);
    loaded = await streams.refresh(decider, id, loaded);
  }
  throw new TooContended(streamName(decider.aggregate, id));
};

/** Decides on the loaded state and appends. Returns undefined if the state was outdated and must be loaded again. */
const tryToAppend = async <S, E extends Schemas, C extends Schemas>(
  running: RunningCommand<S, E, C>,
  loaded: Loaded<S>,
) => {
  const { streams, guard, decider, id, context } = running;
  mustBeReadable(loaded);
  const at = streams.nowFor(loaded);
  const { events, refusal } = decide(running, loaded, at);
  if (events.length > 0) {
    const append = async () => {
      if (refusal !== undefined) throw refusal;
      return streams.append({ decider, id, loaded }, events, at, context);
    };
    const isStale = refusal !== undefined;
    const attempt = { decider, id, loaded, events, at, isStale, context };
    const after = await guard(attempt, append).catch(rethrowIfFresh(loaded));
    return after && { ...after, events };
  }
  if (!loaded.fresh) return undefined;
  if (refusal !== undefined) throw refusal;
  return { ...loaded, events };
};

/** Throws a rejection, unless it may rest on outdated state. */
const rethrowIfFresh =
  ({ fresh }: Loaded<unknown>) =>
  (error: unknown): undefined => {
    if (fresh || !(error instanceof DomainError || error instanceof PreconditionFailed)) throw error;
  };

const decide = <S, E extends Schemas, C extends Schemas>(
  { decider, command, context }: RunningCommand<S, E, C>,
  { state, revision }: Loaded<S>,
  now: string,
): { readonly events: readonly Of<E>[]; readonly refusal?: Error } => {
  try {
    const given = { now, newId: context.ids.newIds(), actor: context.actor };
    const events = decider.decide[command.type](state, command.data as never, given);
    return meetsPrecondition(context.precondition, revision)
      ? { events }
      : { events, refusal: new PreconditionFailed(revision) };
  } catch (error) {
    if (error instanceof DomainError) return { events: [], refusal: error };
    throw error;
  }
};

export const meetsPrecondition = (precondition: Precondition | undefined, revision: number) =>
  precondition === undefined || (precondition === 'any' ? revision >= 0 : precondition.includes(revision));
