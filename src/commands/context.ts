// The context of a command: what accompanies its content.
import { DomainError } from '../domain/errors.js';
import { AppendTooLarge, messageOf, PersonalFieldsUnreadable, PersonalKeyMissing } from '../infrastructure/errors.js';
import type { EventMetadata } from '../infrastructure/facts/facts.js';
import { AnalysisBusy } from './analyses.js';
import type { CommandIds } from './ids.js';

/** The revisions that the caller's copy may have (If-Match). `any` requires only that the aggregate exists. */
export type Precondition = 'any' | readonly number[];

export interface CommandContext
  extends Pick<EventMetadata, 'actor' | 'origin' | 'correlationId' | 'causationId' | 'sessionId' | 'address'> {
  readonly ids: CommandIds;
  readonly precondition?: Precondition;
  /**
   * Checks the actor again after a wait. Rejects with `ActorRefused` if the actor may no longer act. Absent if nobody
   * can take the right to act away.
   */
  readonly checkActor?: () => Promise<void>;
  /** Whether an earlier attempt of the same command may have been interrupted before its response was stored. */
  readonly resumed: boolean;
}

/** Signals that the actor may no longer act, or that a store prevents the check. `cause` says which. */
export class ActorRefused extends Error {
  constructor(cause: unknown) {
    super(`the actor may not act: ${messageOf(cause)}`, { cause });
    this.name = 'ActorRefused';
  }
}

/** Signals that the aggregate is not at a revision that the caller requires. */
export class PreconditionFailed extends Error {
  constructor(readonly revision: number) {
    super('precondition-failed');
    this.name = 'PreconditionFailed';
  }
}

export class TooContended extends Error {
  constructor(stream: string) {
    super(`${stream} was changed by others at every attempt`);
    this.name = 'TooContended';
  }
}

/** Signals that another command is taking the role from an administrator. One such command runs at a time. */
export class AdministratorsLocked extends TooContended {
  constructor() {
    super('the set of administrators');
    this.name = 'AdministratorsLocked';
  }
}

const NOTHING_RECORDED = [
  ActorRefused,
  AnalysisBusy,
  DomainError,
  PreconditionFailed,
  TooContended,
  AppendTooLarge,
  PersonalKeyMissing,
  PersonalFieldsUnreadable,
] as const;

/** Returns whether a command that failed with this error certainly recorded nothing. */
export const recordedNothing = (error: unknown): boolean => NOTHING_RECORDED.some((kind) => error instanceof kind);
