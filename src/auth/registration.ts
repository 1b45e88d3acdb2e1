// How a user comes to be, with a password to sign in by.
import type { z } from 'zod';
import { type CommandContext, PreconditionFailed, TooContended } from '../commands/context.js';
import type { CommandHandler, Outcome } from '../commands/handle-command.js';
import { DomainError } from '../domain/errors.js';
import { user, type userCommands } from '../domain/user.js';
import type { User } from '../domain/user-state.js';
import { AppendTooLarge } from '../infrastructure/errors.js';
import type { Passwords } from './passwords.js';

/** Who is to be registered, and the password of the sign-in. */
export interface Registration {
  readonly data: z.infer<typeof userCommands.RegisterUser>;
  readonly password: string;
}

/**
 * Registers a user. The password is kept first: a user is then never without one, and one without a user is nobody's.
 * Rejects as `handle` and `Passwords.keep` do.
 */
export const registerUser = async (
  { handle, passwords }: { readonly handle: CommandHandler; readonly passwords: Passwords },
  { data, password }: Registration,
  by: CommandContext,
): Promise<Outcome<User>> => {
  const userId = by.ids.aggregateId();
  await passwords.keep(userId, password);
  try {
    return await handle(user, 'new', { type: 'RegisterUser', data }, by);
  } catch (error) {
    // Of any other failure the outcome is unknown: the user may be there, and then needs the password.
    if (NOTHING_RECORDED.some((kind) => error instanceof kind)) await passwords.forget(userId);
    throw error;
  }
};

const NOTHING_RECORDED = [DomainError, PreconditionFailed, TooContended, AppendTooLarge] as const;
