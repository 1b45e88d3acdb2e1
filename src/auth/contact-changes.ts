// Changes of a user's contact address. The user keeps signing in with the confirmed address until they redeem a code
// that was sent to the new address.

import type { z } from 'zod';
import type { Claims } from '../commands/claims.js';
import { type CommandContext, recordedNothing } from '../commands/context.js';
import type { CommandHandler, Outcome } from '../commands/handle-command.js';
import type { Streams } from '../commands/streams.js';
import { refuseTaken } from '../commands/uniqueness.js';
import { comparableEmail } from '../domain/comparable.js';
import { signInEmailOf, type User, userOf } from '../domain/user/state.js';
import { uniqueValuesOf, user, type userCommands } from '../domain/user/user.js';
import { ignoreUnavailable } from '../infrastructure/errors.js';
import { type CodeRequest, type Codes, isWithheld, type Language } from './codes/codes.js';
import type { Owed, OwedMessages } from './owed-messages.js';
import type { Passwords } from './passwords/passwords.js';
import { type Registration, registerUser } from './registration.js';

/** The dependencies of contact changes. */
export interface ContactChangeDependencies {
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly claims: Claims;
  readonly passwords: Passwords;
  readonly codes: Codes;
  readonly owed: OwedMessages;
  /** Whether an approved profile needs a new approval after its user changes a field that the approval depends on. */
  readonly isReapprovalRequired: boolean;
}

type Changes = Omit<z.infer<typeof userCommands.ReviseUser>, 'reapproval'>;

/** The caller who changes a user, and the language of the messages to the user. */
interface Requester {
  readonly language: Language;
  readonly by: CommandContext;
}

/** A changed user, and whether a quota withheld a message. */
export interface ChangedUser {
  readonly outcome: Outcome<User>;
  readonly isMessageWithheld: boolean;
}

/**
 * Changes users and notifies them. Calls reject as `handle` does, and with `StoreUnavailable` while a store is
 * unavailable. Once the change is recorded, calls resolve: messages that cannot be stored at that time are sent later.
 */
export class ContactChanges {
  readonly #dependencies: ContactChangeDependencies;

  constructor(dependencies: ContactChangeDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Registers a user for an administrator, who chose the password. Sends the user a code to set a new password. Rejects
   * as `registerUser` does.
   */
  register(registration: Omit<Registration, 'isInitial'>, { language, by }: Requester): Promise<ChangedUser> {
    const owed = { userId: by.ids.aggregateId(), message: 'account-created', language } as const;
    return this.#notifying(owed, () => registerUser(this.#dependencies, { ...registration, isInitial: true }, by));
  }

  /**
   * Revises a user. If the contact address changes, sends a code to the new address and informs the sign-in address. If
   * the contact address becomes the sign-in address again, voids a pending code. Rejects with `user-taken` if another
   * user signs in with the new address.
   */
  async revise(userId: string, changes: Changes, { language, by }: Requester): Promise<ChangedUser> {
    const { handle, streams, isReapprovalRequired } = this.#dependencies;
    const { email } = userOf((await streams.fresh(user, userId)).state);
    await this.#refuseTaken(userId, changes);
    const data = { ...changes, reapproval: isReapprovalRequired };
    const change = () => handle(user, userId, { type: 'ReviseUser', data }, by);
    const isNewContact = changes.email !== undefined && !isSame(email, changes.email);
    if (!isNewContact) return { outcome: await change(), isMessageWithheld: false };
    return this.#notifying({ userId, message: 'email-change', language }, change);
  }

  /** Sends the messages of all changes whose requests were cut off. */
  sendOverdue(): Promise<void> {
    const { owed, streams } = this.#dependencies;
    return owed.sendOverdue(async (each) => this.#notify(each, (await streams.fresh(user, each.userId)).state));
  }

  async #notifying(owed: Owed, change: () => Promise<Outcome<User>>): Promise<ChangedUser> {
    const removeNote = await this.#dependencies.owed.note(owed);
    const outcome = await change().catch(async (error: unknown) => {
      // After any other error, the change may have been recorded. The note must stay.
      if (recordedNothing(error)) await removeNote();
      throw error;
    });
    try {
      const isMessageWithheld = await this.#notify(owed, outcome.state);
      await removeNote();
      return { outcome, isMessageWithheld };
    } catch (error) {
      ignoreUnavailable(error);
      return { outcome, isMessageWithheld: false };
    }
  }

  // A contact address is not claimed, but it must not be the sign-in address of another user.
  async #refuseTaken(userId: string, { email, document = null }: Changes): Promise<void> {
    if (email !== undefined) await refuseTaken(this.#dependencies, user, uniqueValuesOf({ email, document }), userId);
  }

  /**
   * Sends the owed messages to the user's current contacts. Returns whether a quota withheld the message with the code.
   */
  async #notify({ message, language }: Owed, state: User): Promise<boolean> {
    if (state.status !== 'active') return false;
    const { id, email, auth } = state.fields;
    const signInEmail = signInEmailOf({ auth });
    if (email === null || signInEmail === null) return false;
    const toSignIn = { channel: 'EMAIL', language, to: { userId: id, contact: signInEmail } } as const;
    if (message === 'account-created') {
      return this.#issue({ ...toSignIn, purpose: 'account-created', owner: comparableEmail(signInEmail) });
    }
    if (isSame(email, signInEmail)) {
      await this.#dependencies.codes.cancel(id, 'email-change');
      return false;
    }
    const to = { userId: id, contact: email };
    const request = { ...toSignIn, to, contactSent: comparableEmail(email), confirms: { email } };
    const isWithheld = await this.#issue({ ...request, purpose: 'email-change', owner: id });
    await this.#issue({ ...toSignIn, purpose: 'email-changed', owner: `${id} email-changed` });
    return isWithheld;
  }

  #issue(request: CodeRequest): Promise<boolean> {
    return isWithheld(this.#dependencies.codes.issue(request));
  }
}

const isSame = (one: string | null, other: string): boolean => comparableEmail(one ?? '') === comparableEmail(other);
