// Erasing a person: the log stays whole, and nobody can read the person's fields in it any more.
import { setTimeout as pause } from 'node:timers/promises';
import type { CommandContext } from '../commands/context.js';
import { PreconditionFailed } from '../commands/context.js';
import { met, type Outcome } from '../commands/handle-command.js';
import { user } from '../domain/user.js';
import { type User, userOf } from '../domain/user-state.js';
import type { Position } from '../infrastructure/facts/facts.js';
import { users } from '../projections/users.js';
import { forgetAnswers } from './idempotency.js';
import { Problem } from './problems.js';
import type { Service } from './service.js';

type Means = Pick<Service, 'handle' | 'streams' | 'vault' | 'views' | 'progress' | 'eraseSecrets'>;

/** Whom to erase, why, and how long to wait for the read models to let go of the person, in milliseconds. */
export interface Erasure {
  readonly userId: string;
  readonly reason: string;
  readonly patienceMs: number;
}

/**
 * Deletes the key of a person's fields and all else that the vault holds of them, records that they were erased, waits
 * until the read models have let go of them, and has the stores forget the bytes. Erasing again completes what was cut
 * off before. Rejects with `user-not-found`, `PreconditionFailed`, and the problem `erasure-unfinished` where the read
 * models do not let go in time: then it is recorded, and is to be asked for again.
 */
export const eraseUser = async (means: Means, erasure: Erasure, by: CommandContext): Promise<Outcome<User>> => {
  const { handle, streams, vault, eraseSecrets } = means;
  const { userId, reason, patienceMs } = erasure;
  const { state, revision } = await streams.fresh(user, userId);
  userOf(state);
  if (!met(by.precondition, revision)) throw new PreconditionFailed(revision);
  await eraseSecrets(userId);
  const outcome = await handle(user, userId, { type: 'EraseUser', data: { reason } }, by);
  await forgetAnswers(vault, userId);
  const { position } = outcome;
  if (position !== undefined && !(await haveLetGo(means, position, patienceMs))) {
    throw new Problem('erasure-unfinished', { headers: { 'Retry-After': '5' } });
  }
  // Once more, for what others wrote of the person meanwhile, and for the bytes that the read models have let go.
  await forgetAnswers(vault, userId);
  await eraseSecrets(userId);
  return outcome;
};

const LOOK_EVERY_MS = 50;

/** Waits until the read models have folded the erasure, one that is being built beside the live one, too. */
const haveLetGo = async ({ views, progress }: Means, position: Position, patienceMs: number): Promise<boolean> => {
  const giveUp = Date.now() + patienceMs;
  if (!(await progress.reached(users.name, position, patienceMs))) return false;
  const isHeld = async () => {
    const generations = (await views.checkpoints()).filter(({ projection }) => projection === users.name);
    return generations.some(({ position: reached = '' }) => reached < position);
  };
  for (let held = await isHeld(); held; held = await isHeld()) {
    if (Date.now() >= giveUp) return false;
    await pause(LOOK_EVERY_MS);
  }
  return true;
};
