// Another password for a user: by the one before it, or by a code that was sent to the user's e-mail. The new one is kept
// by compare-and-set over the one before it, so there is one at every moment. All sessions end before that, so that none
// goes on where the process stops in between, and again after it, with those that began meanwhile; then it is recorded.
import type { Claims } from '../../commands/claims.js';
import type { CommandContext } from '../../commands/context.js';
import type { CommandHandler } from '../../commands/handle-command.js';
import { type Loaded, mustBeReadable, type Streams } from '../../commands/streams.js';
import { ownerOf } from '../../commands/uniqueness.js';
import { newUuid } from '../../commands/uuid.js';
import { comparableEmail } from '../../domain/comparable.js';
import { DomainError } from '../../domain/errors.js';
import { isEnabled, type RegisteredUser, rolesOf, signInEmailOf, type User } from '../../domain/user/state.js';
import { user } from '../../domain/user/user.js';
import type { Codes, IssuedCode } from '../codes/codes.js';
import { Refused } from '../refused.js';
import { unlessAway } from '../sessions/ending-handler.js';
import type { SignInFailures } from '../sessions/failures.js';
import type { Sessions } from '../sessions/sessions.js';
import type { CodeRequester } from '../sign-up.js';
import type { Passwords } from './passwords.js';
import { easyPassword, isOfEmail } from './rules.js';

/** What changing passwords takes. */
export interface PasswordChangeDependencies {
  /** Ends the sessions with what ends them. */
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly claims: Claims;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly failures: SignInFailures;
  readonly codes: Codes;
}

/** A change by who knows the password. */
export interface Change {
  readonly userId: string;
  readonly currentPassword: string;
  readonly newPassword: string;
  /** Where the request comes from. */
  readonly address: string;
}

/** A change by who has the code. */
export interface Reset {
  readonly email: string;
  readonly code: string;
  readonly newPassword: string;
  /** Where the request comes from. */
  readonly address: string;
}

/** Changes passwords. Calls reject with `Refused`, `TooManyPasswords`, and with `StoreUnavailable` while a store is away. */
export class PasswordChanges {
  readonly #dependencies: PasswordChangeDependencies;

  constructor(dependencies: PasswordChangeDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Changes the password of who knows it. A wrong one is `current-password-refused`, and slows down as at a sign-in. Rejects
   * with the refusal `fields-refused` where the new one is easily guessed of this user.
   */
  async change({ userId, currentPassword, newPassword, address }: Change, by: CommandContext): Promise<void> {
    const { passwords, failures, sessions } = this.#dependencies;
    const loaded = await this.#dependencies.streams.fresh(user, userId);
    // A password that is changed before its event is refused would be a change without a record.
    mustBeReadable(loaded);
    const { state } = loaded;
    if (!isEnabled(state)) throw new Refused('user-disabled');
    const email = comparableEmail(signInEmailOf(state.fields) ?? '');
    if (isOfEmail(newPassword, email)) {
      throw new DomainError('fields-refused', { errors: [{ path: ['newPassword'], ...easyPassword }] });
    }
    const isChanged = await failures.attempt({ email, address }, async () => {
      const version = await passwords.match(userId, currentPassword);
      if (version === undefined) return undefined;
      await sessions.endAllOf(userId);
      // Of two at once, the other's is the current one now.
      return (await passwords.replace(userId, newPassword, version)) ? true : undefined;
    });
    if (!isChanged) throw new Refused('current-password-refused');
    await this.#settle(state, 'change', by);
  }

  /** Has a code sent by e-mail that resets the password; the answer is the same where nobody has this e-mail. */
  async sendResetCode(email: string, requester: CodeRequester): Promise<IssuedCode> {
    const { codes } = this.#dependencies;
    const owner = comparableEmail(email);
    const { userId, loaded } = await this.#userOf(owner);
    const { state } = loaded;
    const contact = isEnabled(state) ? signInEmailOf(state.fields) : null;
    const to = userId === undefined || contact === null ? undefined : { userId, contact };
    return codes.issue({ purpose: 'password-reset', owner, to, channel: 'EMAIL', ...requester });
  }

  /** Redeems such a code. */
  async reset({ email, code, newPassword, address }: Reset, by: CommandContext): Promise<void> {
    const { passwords, failures, sessions, codes } = this.#dependencies;
    const owner = comparableEmail(email);
    const { userId, loaded } = await this.#userOf(owner);
    const { state } = loaded;
    // A code that is redeemed is spent: what may be in the way is looked at before.
    passwords.refuseWhenFull();
    mustBeReadable(loaded);
    const redeemed = await codes.redeem(owner, code, ['password-reset', 'account-created']);
    // It proves this e-mail, which must be the user's still.
    if (!isEnabled(state) || redeemed.userId !== userId) throw new Refused('code-refused');
    await sessions.endAllOf(userId);
    while (!(await passwords.replace(userId, newPassword, await passwords.versionOf(userId))));
    await this.#settle(state, 'reset', by);
    await failures.forgive({ email: owner, address });
  }

  /** Ends what began under the password before, and records the change. */
  async #settle(state: RegisteredUser, how: 'change' | 'reset', { precondition: _, ...by }: CommandContext) {
    const { handle, sessions, passwords } = this.#dependencies;
    const { id } = state.fields;
    const command = { type: 'ChangePassword', data: { by: how } } as const;
    try {
      // Also by themselves: they end where nothing can be recorded, too. Where the vault is away, what is recorded ends them.
      await sessions.endAllOf(id).catch(unlessAway);
      await handle(user, id, command, { ...by, actor: { id, roles: rolesOf(state) } });
    } catch (error) {
      // The person was erased meanwhile, and so are their secrets.
      if (error instanceof DomainError) await passwords.forget(id);
      throw error;
    }
  }

  /** Who signs in by an e-mail. */
  async #userOf(email: string): Promise<{ readonly userId: string | undefined; readonly loaded: Loaded<User> }> {
    const userId = await ownerOf(this.#dependencies, user, { what: 'user-email', value: email });
    // The stream of somebody is read on the way; so one is read for nobody, too.
    return { userId, loaded: await this.#dependencies.streams.load(user, userId ?? newUuid()) };
  }
}
