// What comes with a command beside its content.
import { DomainError } from '../domain/errors.js';
import { AppendTooLarge } from '../infrastructure/errors.js';
import type { EventMetadata } from '../infrastructure/facts/facts.js';
import type { CommandIds } from './ids.js';

/** The revisions that the caller's copy may have (If-Match); `any` asks only that the aggregate exists. */
export type Precondition = 'any' | readonly number[];

/** Who commands, from where, on behalf of which request. */
export interface CommandContext
  extends Pick<EventMetadata, 'actor' | 'origin' | 'correlationId' | 'causationId' | 'sessionId' | 'address'> {
  readonly ids: CommandIds;
  readonly precondition?: Precondition;
  /** Whether an attempt of the same command may have been cut off before its answer was stored. */
  readonly resumed: boolean;
}

/** The aggregate is not at a revision that the caller asked for. */
export class PreconditionFailed extends Error {
  constructor(readonly revision: number) {
    super('precondition-failed');
    this.name = 'PreconditionFailed';
  }
}

/** Other writers were faster at every attempt. */
export class TooContended extends Error {
  constructor(stream: string) {
    super(`${stream} was changed by others at every attempt`);
    this.name = 'TooContended';
  }
}

const NOTHING_RECORDED = [DomainError, PreconditionFailed, TooContended, AppendTooLarge] as const;

/** Returns whether a command that failed with this error certainly recorded nothing. */
export const recordedNothing = (error: unknown): boolean => NOTHING_RECORDED.some((kind) => error instanceof kind);
