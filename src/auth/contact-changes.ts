// Changes of a user's contact address. The user keeps signing in with the confirmed address until they redeem a code
// that was sent to the new address.
import type { z } from 'zod';
import { type CommandContext, recordedNothing } from '../commands/context.js';
import type { Outcome } from '../commands/handle-command.js';
import { refuseTaken } from '../commands/uniqueness.js';
import { comparableEmail } from '../domain/comparable.js';
import { signInEmailOf, type User, userOf } from '../domain/user/state.js';
import { uniqueValuesOf, user, type userCommands } from '../domain/user/user.js';
import { ignoreUnavailable } from '../infrastructure/errors.js';
import type { Language } from './codes/texts.js';
import type { Notice } from './codes/waiting-messages.js';
import type { AuthParts, AuthSettings } from './parts.js';
import { type Registration, registerUser } from './registration.js';

type ContactChangeParts = Omit<AuthParts, 'sessions' | 'failures'>;
type Changes = Omit<z.infer<typeof userCommands.ReviseUser>, 'reapproval'>;

interface Requester {
  readonly language: Language;
  readonly by: CommandContext;
}

export interface ChangedUser {
  readonly outcome: Outcome<User>;
  readonly isMessageWithheld: boolean;
}

/**
 * Changes users and notifies them. Calls reject as `handle` does, and with `StoreUnavailable` while a store is
 * unavailable. Once the change is recorded, calls resolve: messages that cannot be stored at that time are sent later.
 */
export class ContactChanges {
  readonly #parts: ContactChangeParts;
  readonly #isReapprovalRequired: boolean;

  constructor(parts: ContactChangeParts, { isReapprovalRequired = false }: AuthSettings) {
    this.#parts = parts;
    this.#isReapprovalRequired = isReapprovalRequired;
  }

  /**
   * Registers a user for an administrator, who chose the password. Sends the user a code to set a new password. Rejects
   * as `registerUser` does.
   */
  register(registration: Omit<Registration, 'isInitial'>, { language, by }: Requester): Promise<ChangedUser> {
    const notice = { userId: by.ids.aggregateId(), purpose: 'account-created', language } as const;
    return this.#notifying(notice, () => registerUser(this.#parts, { ...registration, isInitial: true }, by));
  }

  /**
   * Revises a user. If the contact address changes, sends a code to the new address and informs the sign-in address. If
   * the contact address becomes the sign-in address again, voids a pending code. Rejects with `user-taken` if another
   * user signs in with the new address.
   */
  async revise(userId: string, changes: Changes, { language, by }: Requester): Promise<ChangedUser> {
    const { handle, streams } = this.#parts;
    const { email } = userOf((await streams.fresh(user, userId)).state);
    // A contact address is not claimed, but it must not be the sign-in address of another user.
    const values = uniqueValuesOf({ email: changes.email ?? null, document: changes.document ?? null });
    if (changes.email !== undefined) await refuseTaken(this.#parts, user, values, userId);
    const data = { ...changes, reapproval: this.#isReapprovalRequired };
    const change = () => handle(user, userId, { type: 'ReviseUser', data }, by);
    const isNewContact = changes.email !== undefined && !isSame(email, changes.email);
    if (!isNewContact) return { outcome: await change(), isMessageWithheld: false };
    return this.#notifying({ userId, purpose: 'email-change', language }, change);
  }

  async #notifying(notice: Notice, change: () => Promise<Outcome<User>>): Promise<ChangedUser> {
    const removeNotice = await this.#parts.codes.keepNotice(notice);
    const outcome = await change().catch(async (error: unknown) => {
      // After any other error, the change may have been recorded. The notice must stay.
      if (recordedNothing(error)) await removeNotice();
      throw error;
    });
    try {
      const isMessageWithheld = await this.notify(notice, outcome.state);
      await removeNotice();
      return { outcome, isMessageWithheld };
    } catch (error) {
      ignoreUnavailable(error);
      return { outcome, isMessageWithheld: false };
    }
  }

  /**
   * Issues the codes of a notice for the user's current contacts. Returns whether a quota withheld the first. `known` is
   * the user, if the caller has just read or changed it.
   */
  async notify({ purpose, userId, language }: Notice, known?: User): Promise<boolean> {
    const { codes, streams } = this.#parts;
    const state = known ?? (await streams.fresh(user, userId)).state;
    if (state.status !== 'active') return false;
    const { email, auth } = state.fields;
    const signInEmail = signInEmailOf({ auth });
    if (email === null || signInEmail === null) return false;
    const toSignIn = { channel: 'EMAIL', language, to: { userId, contact: signInEmail } } as const;
    if (purpose === 'account-created') {
      return codes.issueUnlessWithheld({ ...toSignIn, purpose, owner: comparableEmail(signInEmail) });
    }
    if (isSame(email, signInEmail)) {
      await codes.cancel(userId, purpose);
      return false;
    }
    const to = { userId, contact: email };
    const request = { ...toSignIn, to, contactSent: comparableEmail(email), confirms: { email } };
    const isWithheld = await codes.issueUnlessWithheld({ ...request, purpose, owner: userId });
    await codes.issueUnlessWithheld({ ...toSignIn, purpose: 'email-changed', owner: `${userId} email-changed` });
    return isWithheld;
  }
}

const isSame = (one: string | null, other: string): boolean => comparableEmail(one ?? '') === comparableEmail(other);
