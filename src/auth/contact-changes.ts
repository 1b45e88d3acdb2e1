// Changes of a user's contact address. The user keeps signing in with the confirmed address until the user redeems a code
// that was sent to the new one.
import type { z } from 'zod';
import type { Claims } from '../commands/claims.js';
import type { CommandContext } from '../commands/context.js';
import type { CommandHandler, Outcome } from '../commands/handle-command.js';
import type { Streams } from '../commands/streams.js';
import { refuseTaken } from '../commands/uniqueness.js';
import { comparableEmail } from '../domain/comparable.js';
import { signInEmailOf, type User, type UserFields, userOf } from '../domain/user/state.js';
import { uniqueValuesOf, user, type userCommands } from '../domain/user/user.js';
import { type Codes, isWithheld, type Language } from './codes/codes.js';

/** What changing contacts works with. */
export interface ContactChangeDependencies {
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly claims: Claims;
  readonly codes: Codes;
  /** Whether an approved profile must be approved again after its user changed what the approval rests on. */
  readonly isReapprovalRequired: boolean;
}

type Changes = Omit<z.infer<typeof userCommands.ReviseUser>, 'reapproval'>;

/** A user after a change, and whether the quota kept a message back. */
export interface Told {
  readonly outcome: Outcome<User>;
  readonly isMessageWithheld: boolean;
}

/** Changes users and tells them. Calls reject as `handle` does, and with `StoreUnavailable` while a store is away. */
export class ContactChanges {
  readonly #dependencies: ContactChangeDependencies;

  constructor(dependencies: ContactChangeDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Revises a user. If the contact address changes, sends a code to the new address and tells the sign-in address. If the
   * contact address becomes the sign-in address again, makes a pending code void. Rejects with `user-taken` if another
   * user signs in with the new address.
   */
  async revise(
    userId: string,
    changes: Changes,
    { language, by }: { readonly language: Language; readonly by: CommandContext },
  ): Promise<Told> {
    const { handle, streams, isReapprovalRequired } = this.#dependencies;
    const before = userOf((await streams.fresh(user, userId)).state);
    await this.#refuseTaken(userId, changes);
    const outcome = await handle(
      user,
      userId,
      { type: 'ReviseUser', data: { ...changes, reapproval: isReapprovalRequired } },
      by,
    );
    const isMessageWithheld = await this.#tell(before, userOf(outcome.state), language);
    return { outcome, isMessageWithheld };
  }

  /** Tells a user that an administrator created the account, with a code that sets a password of the user's own. */
  async tellCreated({ state }: Outcome<User>, language: Language): Promise<boolean> {
    const fields = userOf(state);
    const email = signInEmailOf(fields);
    if (email === null) return false;
    const to = { userId: fields.id, contact: email };
    const request = { purpose: 'account-created', owner: comparableEmail(email), to } as const;
    return isWithheld(this.#dependencies.codes.issue({ ...request, channel: 'EMAIL', language }));
  }

  // A contact address claims nothing, but it must not be the sign-in address of another user.
  async #refuseTaken(userId: string, { email, document = null }: Changes): Promise<void> {
    if (email !== undefined) await refuseTaken(this.#dependencies, user, uniqueValuesOf({ email, document }), userId);
  }

  async #tell(before: UserFields, after: UserFields, language: Language): Promise<boolean> {
    const { codes } = this.#dependencies;
    const { id, email } = after;
    const signInEmail = signInEmailOf(after);
    if (email === null || signInEmail === null || isSame(before.email, email)) return false;
    if (isSame(email, signInEmail)) {
      await codes.cancel(id, 'email-change');
      return false;
    }
    const message = { channel: 'EMAIL', language } as const;
    const withheld = await isWithheld(
      codes.issue({
        ...message,
        purpose: 'email-change',
        owner: id,
        to: { userId: id, contact: email },
        contactSent: comparableEmail(email),
        confirms: { email },
      }),
    );
    const old = { userId: id, contact: signInEmail };
    await isWithheld(codes.issue({ ...message, purpose: 'email-changed', owner: `${id} email-changed`, to: old }));
    return withheld;
  }
}

const isSame = (one: string | null, other: string): boolean => comparableEmail(one ?? '') === comparableEmail(other);
