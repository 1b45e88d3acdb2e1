// Keeps the last enabled administrator: without one, nobody could approve another.
import { DomainError } from '../domain/errors.js';
import { isEnabled, rolesOf, type User } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { VaultLock } from '../infrastructure/vault/lock.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { AdministratorsLocked, recordedNothing } from './context.js';
import type { Streams } from './streams.js';
import { type AppendGuard, stateAfter } from './uniqueness.js';

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
   * Runs a task that takes the role from an administrator, if another enabled administrator remains. Reads the streams
   * after taking the lock, so that no other such task can make the check outdated. Rejects with `last-administrator`,
   * with `AdministratorsLocked` while another such task runs, and with the errors of `task`.
   */
  async keepOne<T>(userId: string, task: () => Promise<T>): Promise<T> {
    const lock = await VaultLock.taken(this.#dependencies.vault, 'administrators');
    if (lock === undefined) throw new AdministratorsLocked();
    const releaseIf = (isOver: (error: unknown) => boolean) => async (error: unknown) => {
      if (isOver(error)) await lock.release();
      throw error;
    };
    await this.refuseLast(userId).catch(releaseIf(() => true));
    // After any other failure the decision may have been recorded, or may still be. The lock stays until it expires.
    const result = await task().catch(releaseIf(recordedNothing));
    await lock.release();
    return result;
  }

  /**
   * Runs an erasure as `keepOne` does if the user has an administrator profile in any status, because somebody may
   * approve it meanwhile. An erasure deletes before it records, so the check at its append would be too late.
   */
  async keepOneInErasure<T>(userId: string, erase: () => Promise<T>): Promise<T> {
    const { state } = await this.#dependencies.streams.fresh(user, userId);
    const profiles = state.status === 'active' ? state.fields.profiles : [];
    return profiles.some(({ type }) => type === 'ADMINISTRATOR') ? this.keepOne(userId, erase) : erase();
  }

  /** Rejects with `last-administrator` if no enabled administrator would remain. */
  async refuseLast(userId: string): Promise<void> {
    const { state } = await this.#dependencies.streams.fresh(user, userId);
    if (isAdministrator(state) && !(await this.exists({ besides: userId }))) {
      throw new DomainError('last-administrator', { userId });
    }
  }

  /** Returns whether there is an enabled administrator besides a user. */
  async exists({ besides }: { readonly besides?: string } = {}): Promise<boolean> {
    const { streams, candidates } = this.#dependencies;
    for await (const candidate of candidates()) {
      if (candidate === besides) continue;
      const { state } = await streams.fresh(user, candidate);
      if (isAdministrator(state)) return true;
    }
    return false;
  }
}

const isAdministrator = (state: User): boolean => isEnabled(state) && rolesOf(state).includes('ADMINISTRATOR');

/**
 * Returns a guard that works as `guard` does, but rejects an append that would leave no enabled administrator. It
 * compares the states before and after the events, and the append succeeds only on the state before, so no command can
 * take the role without the check. An erasure has made the check already.
 */
export const lastAdministratorGuard =
  (guard: AppendGuard, administrators: Administrators): AppendGuard =>
  (attempt, append) => {
    const guarded = () => guard(attempt, append);
    const { decider, id, loaded, isStale } = attempt;
    if (decider.aggregate !== user.aggregate) return guarded();
    const userIn = (state: unknown) => state as User;
    const after = userIn(stateAfter(attempt));
    const takesRole = isAdministrator(userIn(loaded.state)) && !isAdministrator(after) && after.status !== 'erased';
    if (!takesRole) return guarded();
    return isStale ? administrators.refuseLast(id).then(guarded) : administrators.keepOne(id, guarded);
  };
