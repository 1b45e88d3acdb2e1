// Commands whose form is analysed before they are recorded. The analysis takes turns of the event loop and a decision takes
// none, so the analysis comes first, and the command is recorded only at the revision that was analysed.
import type { Of } from '../domain/decider.js';
import { DomainError } from '../domain/errors.js';
import { protocol } from '../domain/protocol/decide.js';
import type { Protocol } from '../domain/protocol/fold.js';
import type { protocolCommands, protocolEvents } from '../domain/protocol/schemas.js';
import type { ScoredForm } from '../domain/scoring/answers.js';
import type { Analysis } from '../domain/scoring/schemas.js';
import { streamName } from '../infrastructure/stream-name.js';
import type { Analyses } from './analyses.js';
import { type CommandContext, PreconditionFailed, TooContended } from './context.js';
import { type CommandHandler, meetsPrecondition, type Outcome, type Target } from './handle-command.js';
import { emptyOf, type Loaded } from './loaded.js';
import type { Streams } from './streams.js';

const ATTEMPTS = 5;

type Command = Of<typeof protocolCommands>;

export interface Check {
  /** Returns the form that the command would record or publish. */
  readonly formIn: (state: Protocol) => ScoredForm;
  readonly refusal: 'form-faulty' | 'questionnaire-faulty';
  /** Whether a form whose totals are undecided is accepted. A publication records that. */
  readonly acceptsUndecided: boolean;
  readonly caller: string;
}

export type CheckedHandler = (
  target: Target,
  command: Command,
  check: Check,
  context: CommandContext,
) => Promise<Outcome<Protocol, Of<typeof protocolEvents>>>;

interface Parts {
  readonly streams: Streams;
  readonly handle: CommandHandler;
  readonly analyses: Analyses;
}

interface Running {
  readonly target: Target;
  readonly command: Command;
  readonly check: Check;
  readonly context: CommandContext;
}

/**
 * Returns the handler of commands whose form is analysed. It rejects with the refusal of the check if the analysis finds
 * an error, or undecided totals that it does not accept, with `AnalysisBusy`, with `TooContended` if the protocol changed
 * during every attempt, and like the handler of all commands.
 */
export const checkedHandler =
  (parts: Parts): CheckedHandler =>
  async (target, command, check, context) => {
    if (await isRecorded(parts.streams, target, context)) return parts.handle(protocol, target, command, context);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const outcome = await tryToRecord(parts, { target, command, check, context });
      if (outcome !== undefined) return outcome;
    }
    throw new TooContended(streamName(protocol.aggregate, target));
  };

/** Returns whether an attempt that was interrupted has recorded the command. The handler then returns its outcome. */
const isRecorded = async (streams: Streams, target: Target, context: CommandContext): Promise<boolean> => {
  if (!context.resumed) return false;
  const id = target === 'new' ? context.ids.aggregateId() : target;
  return (await streams.settled(protocol, id, context)) !== undefined;
};

/** Returns undefined if the protocol has changed since it was loaded, and the client names no revision. */
const tryToRecord = async ({ streams, handle, analyses }: Parts, { target, command, check, context }: Running) => {
  const { precondition } = context;
  const loaded = target === 'new' ? emptyOf(protocol) : await streams.fresh(protocol, target);
  const isMet = meetsPrecondition(precondition, loaded.revision);
  let checked = command;
  if (isMet && needsAnalysis(decided(loaded, command, context), check)) {
    const analysis = await analyses.of(check.formIn(loaded.state), check.caller);
    await context.checkActor?.();
    checked = commandAfter(analysis, command, check);
  }
  const mayChange = isMet && (precondition === undefined || precondition === 'any');
  const pinned = { ...context, precondition: isMet ? [loaded.revision] : [] };
  return handle(protocol, target, checked, pinned).catch((error: unknown) => {
    if (!(mayChange && error instanceof PreconditionFailed)) throw error;
    return undefined;
  });
};

/** Returns how many events the command would record; undefined if it is refused. */
const decided = ({ state }: Loaded<Protocol>, { type, data }: Command, { ids, actor }: CommandContext) => {
  const given = { now: '', newId: ids.newIds(), actor };
  try {
    return protocol.decide[type](state, data as never, given).length;
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
};

/** A form that is published already stays published. A strict request asks about its form even if nothing changes. */
const needsAnalysis = (events: number | undefined, { refusal }: Check): boolean =>
  events !== undefined && (events > 0 || refusal === 'questionnaire-faulty');

/** Returns the command to handle. Throws the refusal with what stands against it. */
const commandAfter = ({ findings, undecided }: Analysis, command: Command, check: Check): Command => {
  const { acceptsUndecided, refusal } = check;
  const against = findings.filter(
    ({ severity, code }) => severity === 'error' || (code === 'totals-undecided' && !acceptsUndecided),
  );
  if (against.length > 0) throw new DomainError(refusal, { findings: against });
  return undecided && command.type === 'PublishForm'
    ? { ...command, data: { ...command.data, undecided: true } }
    : command;
};
