// Registers users who sign in with an e-mail address and a password.
import { z } from 'zod';
import { type CommandContext, recordedNothing } from '../commands/context.js';
import type { CommandHandler, Outcome } from '../commands/handle-command.js';
import type { User } from '../domain/user/state.js';
import { user, userCommands } from '../domain/user/user.js';
import type { Passwords } from './passwords/passwords.js';
import { newPassword, notOfItsEmail } from './passwords/rules.js';

/** What a user signs in with. */
export const emailAndPassword = { email: userCommands.ReviseUser.shape.email.unwrap(), password: newPassword };

/** The fields alone, checked together. */
export const EmailAndPassword = z.object(emailAndPassword).superRefine(...notOfItsEmail('password'));

/** Who is to be registered, and the password of the sign-in. */
export interface Registration {
  readonly data: z.infer<typeof userCommands.RegisterUser>;
  readonly password: string;
  /** Whether somebody else chose the password; absent: the user did. */
  readonly isInitial?: boolean;
}

/**
 * Registers a user. The password is kept first: a user is then never without one, and one without a user is nobody's.
 * Rejects as `handle` and `Passwords.keep` do.
 */
export const registerUser = async (
  { handle, passwords }: { readonly handle: CommandHandler; readonly passwords: Passwords },
  { data, password, isInitial }: Registration,
  by: CommandContext,
): Promise<Outcome<User>> => {
  const userId = by.ids.aggregateId();
  await passwords.keep(userId, password, { isInitial });
  try {
    return await handle(user, 'new', { type: 'RegisterUser', data }, by);
  } catch (error) {
    // Of any other failure the outcome is unknown: the user may be there, and then needs the password.
    if (recordedNothing(error)) await passwords.forget(userId);
    throw error;
  }
};
