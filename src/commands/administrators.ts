// Keeps the last enabled administrator: without one, nobody could approve another.
import { DomainError } from '../domain/errors.js';
import { isEnabled, rolesOf, type User, userOf } from '../domain/user/state.js';
import { user, type userCommands } from '../domain/user/user.js';
import { VaultLock } from '../infrastructure/vault/lock.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { AdministratorsLocked, recordedNothing } from './context.js';
import type { CommandHandler } from './handle-command.js';
import type { Streams } from './streams.js';

interface AdministratorDependencies {
  readonly vault: Vault;
  readonly streams: Streams;
  /**
   * Returns the ids of users who may be enabled administrators, in no order. The streams decide which of them are. A
   * missing id can only cause a false rejection.
   */
  readonly candidates: () => AsyncIterable<string>;
}

/** The administrators of the service. Calls reject with `StoreUnavailable` while a store is unavailable. */
export class Administrators {
  readonly #dependencies: AdministratorDependencies;

  constructor(dependencies: AdministratorDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Runs a task that takes the role from an administrator, if another enabled administrator remains. `removesRole`
   * returns whether the task does so, given the state of the user. Rejects with `last-administrator`, with
   * `AdministratorsLocked` while another such task runs, and with the errors of `task`.
   */
  async keepOne<T>(userId: string, removesRole: (state: User) => boolean, task: () => Promise<T>): Promise<T> {
    const { vault, streams } = this.#dependencies;
    const { state } = await streams.fresh(user, userId);
    if (!isAdministrator(state) || !removesRole(state)) return task();
    const lock = await VaultLock.taken(vault, 'administrators');
    if (lock === undefined) throw new AdministratorsLocked();
    try {
      if (!(await this.#hasAnother(userId))) throw new DomainError('last-administrator', { userId });
      const result = await task();
      await lock.release();
      return result;
    } catch (error) {
      // After any other failure the decision may have been recorded, or may still be. The lock stays until it expires.
      if (recordedNothing(error)) await lock.release();
      throw error;
    }
  }

  async #hasAnother(userId: string): Promise<boolean> {
    const { streams, candidates } = this.#dependencies;
    for await (const candidate of candidates()) {
      if (candidate === userId) continue;
      const { state } = await streams.fresh(user, candidate);
      if (isAdministrator(state)) return true;
    }
    return false;
  }
}

const isAdministrator = (state: User): boolean => isEnabled(state) && rolesOf(state).includes('ADMINISTRATOR');

/** Whether a command takes the role from an administrator, given the state of the user before it, by command. */
const REMOVES_ROLE: { readonly [T in keyof typeof userCommands]?: (data: never, state: User) => boolean } = {
  RejectProfile: ({ profileId }: { readonly profileId: string }, state) =>
    !userOf(state).profiles.some(({ id, type, enabled }) => id !== profileId && enabled && type === 'ADMINISTRATOR'),
  ReviseUser: ({ enabled }: { readonly enabled?: boolean }) => enabled === false,
};

/** Returns a handler that works as `handle` does, but rejects commands that would leave no enabled administrator. */
export const withLastAdministratorCheck =
  (handle: CommandHandler, administrators: Administrators): CommandHandler =>
  (decider, target, command, context) => {
    const removesRole =
      decider.aggregate === user.aggregate ? REMOVES_ROLE[command.type as keyof typeof userCommands] : undefined;
    const task = () => handle(decider, target, command, context);
    if (removesRole === undefined) return task();
    return administrators.keepOne(target, (state) => removesRole(command.data as never, state), task);
  };
