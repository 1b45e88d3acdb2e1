// Changes of a user's contact address. The user keeps signing in with the confirmed address until the user redeems a code
// that was sent to the new one.
import type { z } from 'zod';
import type { Claims } from '../commands/claims.js';
import { type CommandContext, recordedNothing } from '../commands/context.js';
import type { CommandHandler, Outcome } from '../commands/handle-command.js';
import type { Streams } from '../commands/streams.js';
import { refuseTaken } from '../commands/uniqueness.js';
import { comparableEmail } from '../domain/comparable.js';
import { signInEmailOf, type User, userOf } from '../domain/user/state.js';
import { uniqueValuesOf, user, type userCommands } from '../domain/user/user.js';
import { type CodeRequest, type Codes, isWithheld, type Language } from './codes/codes.js';
import type { Owed, OwedMessages } from './owed-messages.js';
import type { Passwords } from './passwords/passwords.js';
import { type Registration, registerUser } from './registration.js';
import { unlessAway } from './sessions/ending-handler.js';

/** What changing contacts works with. */
export interface ContactChangeDependencies {
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly claims: Claims;
  readonly passwords: Passwords;
  readonly codes: Codes;
  readonly owed: OwedMessages;
  /** Whether an approved profile must be approved again after its user changed what the approval rests on. */
  readonly isReapprovalRequired: boolean;
}

type Changes = Omit<z.infer<typeof userCommands.ReviseUser>, 'reapproval'>;

/** Who changes a user, and the language of the messages that the user gets. */
interface Requester {
  readonly language: Language;
  readonly by: CommandContext;
}

/** A user after a change, and whether the quota kept a message back. */
export interface Told {
  readonly outcome: Outcome<User>;
  readonly isMessageWithheld: boolean;
}

/**
 * Changes users and tells them. Calls reject as `handle` does, and with `StoreUnavailable` while a store is away. Once the
 * change is recorded, they resolve: messages that cannot be stored then are sent later.
 */
export class ContactChanges {
  readonly #dependencies: ContactChangeDependencies;

  constructor(dependencies: ContactChangeDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Registers a user on behalf of an administrator, who chose the password. Sends the user a code that sets a password of
   * the user's own. Rejects as `registerUser` does.
   */
  register(registration: Omit<Registration, 'isInitial'>, { language, by }: Requester): Promise<Told> {
    const owed = { userId: by.ids.aggregateId(), message: 'account-created', language } as const;
    return this.#telling(owed, () => registerUser(this.#dependencies, { ...registration, isInitial: true }, by));
  }

  /**
   * Revises a user. If the contact address changes, sends a code to the new address and tells the sign-in address. If the
   * contact address becomes the sign-in address again, makes a pending code void. Rejects with `user-taken` if another
   * user signs in with the new address.
   */
  async revise(userId: string, changes: Changes, { language, by }: Requester): Promise<Told> {
    const { handle, streams, isReapprovalRequired } = this.#dependencies;
    const { email } = userOf((await streams.fresh(user, userId)).state);
    await this.#refuseTaken(userId, changes);
    const data = { ...changes, reapproval: isReapprovalRequired };
    const change = () => handle(user, userId, { type: 'ReviseUser', data }, by);
    const isNewContact = changes.email !== undefined && !isSame(email, changes.email);
    if (!isNewContact) return { outcome: await change(), isMessageWithheld: false };
    return this.#telling({ userId, message: 'email-change', language }, change);
  }

  /** Sends every message that a change owes because its request was cut off. */
  sendOverdue(): Promise<void> {
    const { owed, streams } = this.#dependencies;
    return owed.sendOverdue(async (each) => this.#tell(each, (await streams.fresh(user, each.userId)).state));
  }

  async #telling(owed: Owed, change: () => Promise<Outcome<User>>): Promise<Told> {
    const removeNote = await this.#dependencies.owed.note(owed);
    const outcome = await change().catch(async (error: unknown) => {
      // Of any other failure the outcome is unknown: the note stays.
      if (recordedNothing(error)) await removeNote();
      throw error;
    });
    try {
      const isMessageWithheld = await this.#tell(owed, outcome.state);
      await removeNote();
      return { outcome, isMessageWithheld };
    } catch (error) {
      unlessAway(error);
      return { outcome, isMessageWithheld: false };
    }
  }

  // A contact address claims nothing, but it must not be the sign-in address of another user.
  async #refuseTaken(userId: string, { email, document = null }: Changes): Promise<void> {
    if (email !== undefined) await refuseTaken(this.#dependencies, user, uniqueValuesOf({ email, document }), userId);
  }

  /** Sends what a user is owed, as the user is now. Returns whether a quota kept the message with the code back. */
  async #tell({ message, language }: Owed, state: User): Promise<boolean> {
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
