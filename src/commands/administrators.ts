// Keeps the last enabled administrator: without one, nobody could approve another.
import { DomainError } from '../domain/errors.js';
import { isEnabled, rolesOf, type User, userOf } from '../domain/user/state.js';
import { user, type userCommands } from '../domain/user/user.js';
import { changeRecord, type Vault } from '../infrastructure/vault/vault.js';
import { recordedNothing } from './context.js';
import type { CommandHandler } from './handle-command.js';
import type { Streams } from './streams.js';

/** The users who are losing the role of administrator now: the id of each, and the time until which its mark counts. */
type Leaving = Readonly<Record<string, number>>;

const KEY = { kind: 'administrators', key: 'leaving' };
// Longer than a request may take plus the difference between the clocks of two servers.
const MARK_MS = 60_000;

/** The dependencies of `Administrators`. */
export interface AdministratorDependencies {
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
   * returns whether the task does so, given the state of the user. Rejects with `last-administrator`, and with the
   * errors of `task`.
   */
  async keepOne<T>(userId: string, removesRole: (state: User) => boolean, task: () => Promise<T>): Promise<T> {
    const { state } = await this.#dependencies.streams.fresh(user, userId);
    if (!isAdministrator(state) || !removesRole(state)) return task();
    // The mark comes before the check: if two administrators remove each other at the same time, one of them sees the
    // other's mark.
    await this.#mark(userId, Date.now() + MARK_MS);
    try {
      if (!(await this.#hasAnother(userId))) throw new DomainError('last-administrator', { userId });
      const result = await task();
      await this.#mark(userId, undefined);
      return result;
    } catch (error) {
      // After any other failure the decision may have been recorded, or may still be. The mark stays until it expires.
      if (recordedNothing(error)) await this.#mark(userId, undefined);
      throw error;
    }
  }

  async #hasAnother(userId: string): Promise<boolean> {
    const { vault, streams, candidates } = this.#dependencies;
    const isLeaving = async (id: string) => ((await vault.get<Leaving>(KEY))?.value[id] ?? 0) > Date.now();
    for await (const candidate of candidates()) {
      if (candidate === userId || (await isLeaving(candidate))) continue;
      const { state } = await streams.fresh(user, candidate);
      // Checks the mark before and after reading the stream: a decision that is not in the stream yet has its mark at
      // one of the two times. If mark and decision both fall between the checks, the other process has seen the mark of
      // `userId`.
      if (isAdministrator(state) && !(await isLeaving(candidate))) return true;
    }
    return false;
  }

  #mark(userId: string, until: number | undefined): Promise<void> {
    return changeRecord<Leaving>(this.#dependencies.vault, KEY, (leaving = {}) => {
      const now = Date.now();
      const others = Object.entries(leaving).filter(([id, at]) => id !== userId && at > now);
      return { ...KEY, value: Object.fromEntries(until === undefined ? others : [...others, [userId, until]]) };
    });
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
