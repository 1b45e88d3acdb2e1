// Erases a person. The log stays complete, but the person's fields in it can no longer be read.
import { setTimeout as pause } from 'node:timers/promises';
import type { Administrators } from '../commands/administrators.js';
import { type CommandContext, PreconditionFailed } from '../commands/context.js';
import { type CommandHandler, meetsPrecondition, type Outcome } from '../commands/handle-command.js';
import type { Streams } from '../commands/streams.js';
import { type User, userOf } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { StoreUnavailable } from '../infrastructure/errors.js';
import type { Position } from '../infrastructure/facts/facts.js';
import type { AllStores } from '../infrastructure/stores.js';
import type { Progress } from '../projections/progress.js';
import { users } from '../projections/users.js';

export interface Erasable
  extends Pick<AllStores, 'facts' | 'vault' | 'views' | 'outbox' | 'eraseSecrets' | 'noteErasure'> {
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly progress: Progress;
  readonly administrators: Administrators;
  readonly auth: { readonly sessions: { readonly endAllOf: (userId: string) => Promise<void> } };
}

/** The user to erase, the reason, and how long to wait for the read models to drop the person, in milliseconds. */
export interface Erasure {
  readonly userId: string;
  readonly reason: string;
  readonly timeoutMs: number;
}

/** Signals that the erasure is recorded, but a read model or a file may still have the person. A retry completes it. */
export class ErasureUnfinished extends Error {
  constructor(userId: string, options?: ErrorOptions) {
    super(`user ${userId} is erased in the log, but not in every read model and file yet`, options);
    this.name = 'ErasureUnfinished';
  }
}

/**
 * Erases a person. Deletes the person's key and all other records about the person in the vault, and the person's
 * messages in the outbox of this process. Records the erasure and waits until the read models have dropped the person.
 * The upkeep later makes the stores drop the deleted bytes. A retry completes an erasure that was interrupted. Rejects
 * with `user-not-found` or `PreconditionFailed` before it deletes anything, and with `ErasureUnfinished` if the read
 * models do not follow in time, or if another connection keeps a store from emptying its log.
 */
export const eraseUser = (on: Erasable, erasure: Erasure, by: CommandContext): Promise<Outcome<User>> =>
  on.administrators.keepOneInErasure(erasure.userId, () => erased(on, erasure, by));

const erased = async (on: Erasable, erasure: Erasure, by: CommandContext): Promise<Outcome<User>> => {
  const { handle, streams, vault, views, outbox, eraseSecrets, noteErasure, auth } = on;
  const { userId, reason, timeoutMs } = erasure;
  const { state, revision } = await streams.fresh(user, userId);
  userOf(state);
  // Decided only here, before anything is deleted: a later write must not leave the person half erased.
  const { precondition, ...decided } = by;
  if (!meetsPrecondition(precondition, revision)) throw new PreconditionFailed(revision);
  // This comes first: a restore of an older backup must erase the person again, even if this process is killed now.
  await noteErasure(userId);
  // Sessions end before their records are deleted, because this process finds them by their records.
  await auth.sessions.endAllOf(userId);
  await eraseSecrets(userId);
  const outcome = await handle(user, userId, { type: 'EraseUser', data: { reason } }, decided);
  // The codes are deleted now, so no further message can follow.
  await outbox.removeTo(userId);
  const { position } = outcome;
  if (position !== undefined && !(await areErasedInViews(on, position, timeoutMs))) {
    throw new ErasureUnfinished(userId);
  }
  // Erases again: other requests may have stored something about the person in the meantime, and the read models have
  // dropped documents whose bytes the upkeep must forget.
  await eraseSecrets(userId);
  // After a power failure, the read models must not show the person again before they have caught up. No write-ahead
  // log may keep what was removed.
  await Promise.all([vault.flush(), views.flush()]).catch((error: unknown) => {
    throw error instanceof StoreUnavailable ? new ErasureUnfinished(userId, { cause: error }) : error;
  });
  return outcome;
};

const POLL_MS = 50;

/** Waits until every generation of the read model `users` has folded the erasure. Returns false after a timeout. */
const areErasedInViews = async (
  { views, progress }: Pick<Erasable, 'views' | 'progress'>,
  position: Position,
  timeoutMs: number,
): Promise<boolean> => {
  const giveUp = performance.now() + timeoutMs;
  if (!(await progress.reached(users.name, position, timeoutMs))) return false;
  for (;;) {
    const generations = (await views.checkpoints()).filter(({ projection }) => projection === users.name);
    if (generations.every(({ position: reached = '' }) => reached >= position)) return true;
    if (performance.now() >= giveUp) return false;
    await pause(POLL_MS);
  }
};
