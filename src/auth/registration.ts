// Users who sign in with an e-mail address and a password: their registration and their lookup.
import { z } from 'zod';
import { type CommandContext, recordedNothing } from '../commands/context.js';
import type { Outcome } from '../commands/handle-command.js';
import { newUuid } from '../commands/ids.js';
import type { Loaded } from '../commands/loaded.js';
import { ownerOf } from '../commands/uniqueness.js';
import type { User } from '../domain/user/state.js';
import { user, userCommands } from '../domain/user/user.js';
import type { AuthParts } from './parts.js';
import { newPassword, notOfItsEmail } from './passwords/rules.js';

export const emailAndPassword = { email: userCommands.ReviseUser.shape.email.unwrap(), password: newPassword };

export const EmailAndPassword = z.object(emailAndPassword).superRefine(...notOfItsEmail('password'));

export interface Registration {
  readonly data: z.infer<typeof userCommands.RegisterUser>;
  readonly password: string;
  /** Whether an administrator chose the password. Default: false. */
  readonly isInitial?: boolean;
}

/**
 * Registers a user. Stores the password first, so that a user is never without one; a password without a user is
 * harmless. Rejects as `handle` and `Passwords.keep` do.
 */
export const registerUser = async (
  { handle, passwords }: Pick<AuthParts, 'handle' | 'passwords'>,
  { data, password, isInitial }: Registration,
  by: CommandContext,
): Promise<Outcome<User>> => {
  const userId = by.ids.aggregateId();
  await passwords.keep(userId, password, { isInitial });
  try {
    return await handle(user, 'new', { type: 'RegisterUser', data }, by);
  } catch (error) {
    // After any other error, the user may have been registered and may need the password.
    if (recordedNothing(error)) await passwords.forget(userId);
    throw error;
  }
};

/** Returns the user who signs in with a comparable e-mail address. For an unknown address, the id is undefined. */
export const signInUser = async (
  parts: Pick<AuthParts, 'streams' | 'claims'>,
  email: string,
): Promise<{ readonly userId: string | undefined; readonly loaded: Loaded<User> }> => {
  const userId = await ownerOf(parts, user, { kind: 'user-email', value: email });
  // Reads a stream even for an unknown e-mail address, so that timing reveals nothing.
  return { userId, loaded: await parts.streams.load(user, userId ?? newUuid()) };
};
