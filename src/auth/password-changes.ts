// Changes the password of a user who knows the current password or has a code from an e-mail. Compare-and-set replaces
// the password, so the user has exactly one at every moment. All sessions end before the replacement, so that none
// survives if the process stops in between. They end again after it, because new sessions may have started. Then the
// event is appended.
import type { CommandContext } from '../commands/context.js';
import { mustBeReadable } from '../commands/streams.js';
import { comparableEmail } from '../domain/comparable.js';
import { DomainError } from '../domain/errors.js';
import { isEnabled, rolesOf, signInEmailOf } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { ignoreUnavailable } from '../infrastructure/errors.js';
import type { CodeRequester, IssuedCode } from './codes/codes.js';
import type { AuthParts } from './parts.js';
import { easyPassword, isOfEmail } from './passwords/rules.js';
import { Refused } from './refused.js';
import { signInUser } from './registration.js';

/** A change of a password. `address` is the IP address of the client. */
interface Change {
  readonly newPassword: string;
  readonly address: string;
}

/**
 * Changes passwords. Calls reject with `Refused`, `TooManyPasswords`, and `StoreUnavailable` while a store is
 * unavailable.
 */
export class PasswordChanges {
  readonly #parts: AuthParts;

  constructor(parts: AuthParts) {
    this.#parts = parts;
  }

  /**
   * Changes the password of a user who knows it. Rejects with `current-password-refused` if the current password is
   * wrong, which delays further attempts as a failed sign-in does. Rejects with `fields-refused` if the new password is
   * made of the user's e-mail address.
   */
  async change(change: Change & { userId: string; currentPassword: string }, by: CommandContext): Promise<void> {
    const { streams, passwords, failures, sessions } = this.#parts;
    const { userId, currentPassword, newPassword, address } = change;
    const loaded = await streams.fresh(user, userId);
    // If the event cannot be appended, the password must not change either: every change needs a record.
    mustBeReadable(loaded);
    const { state } = loaded;
    if (!isEnabled(state)) throw new Refused('user-disabled');
    const email = comparableEmail(signInEmailOf(state.fields) ?? '');
    if (isOfEmail(newPassword, email)) {
      throw new DomainError('fields-refused', { errors: [{ path: ['newPassword'], ...easyPassword }] });
    }
    const isChanged = await failures.attempt({ email, address }, async () => {
      const before = async () => {
        await by.checkActor?.();
        await this.#voidInvitation(email);
        await sessions.endAllOf(userId);
      };
      for (;;) {
        const current = await passwords.match(userId, currentPassword);
        if (current === undefined) return undefined;
        // If another request was faster, its password is now the current one.
        if (await passwords.replace(userId, newPassword, current.version, before)) return true;
      }
    });
    if (!isChanged) throw new Refused('current-password-refused');
    await this.#settle(userId, 'change', by);
  }

  /** Sends a code that resets the password. The response is the same if no user has this e-mail address. */
  async sendResetCode(email: string, requester: CodeRequester): Promise<IssuedCode> {
    const owner = comparableEmail(email);
    const { userId, loaded } = await signInUser(this.#parts, owner);
    const { state } = loaded;
    const contact = isEnabled(state) ? signInEmailOf(state.fields) : null;
    const to = userId === undefined || contact === null ? undefined : { userId, contact };
    return this.#parts.codes.issue({ purpose: 'password-reset', owner, to, channel: 'EMAIL', ...requester });
  }

  async reset(change: Change & { email: string; code: string }, by: CommandContext): Promise<void> {
    const { passwords, failures, sessions, codes } = this.#parts;
    const { email, code, newPassword, address } = change;
    const owner = comparableEmail(email);
    const { userId, loaded } = await signInUser(this.#parts, owner);
    const { state } = loaded;
    // Redeeming uses up the code, so check first whether anything prevents the change.
    passwords.refuseWhenFull();
    mustBeReadable(loaded);
    const redeemed = await codes.redeem(owner, code, ['password-reset', 'account-created'], { address });
    // The code proves this e-mail address, which must still belong to the user.
    if (!isEnabled(state) || redeemed.userId !== userId) throw new Refused('code-refused');
    await this.#voidInvitation(owner);
    await sessions.endAllOf(userId);
    while (!(await passwords.replace(userId, newPassword, await passwords.versionOf(userId))));
    await this.#settle(userId, 'reset', by);
    await failures.forgive({ email: owner, address });
  }

  /** Voids the code of a new account, which must not set the password again. */
  #voidInvitation(owner: string): Promise<void> {
    return this.#parts.codes.cancel(owner, 'account-created');
  }

  /** Ends the sessions that started with the old password, and records the change. */
  async #settle(id: string, way: 'change' | 'reset', { precondition: _, ...by }: CommandContext) {
    const { handle, sessions, passwords, streams } = this.#parts;
    try {
      // Ends the sessions directly, in case the event cannot be appended. If the vault is unavailable, the event ends
      // them.
      await sessions.endAllOf(id).catch(ignoreUnavailable);
      const command = { type: 'ChangePassword', data: { by: way } } as const;
      const { state } = await streams.fresh(user, id);
      await handle(user, id, command, { ...by, actor: { id, roles: rolesOf(state) } });
    } catch (error) {
      // The user was erased in the meantime. Their password must be erased, too.
      if (error instanceof DomainError) await passwords.forget(id);
      throw error;
    }
  }
}
