// What the tests of signing in share: a vault, keys that do not change, and a clock that a test moves.
import { createSecretKey } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { temporaryDirectory } from '../support/directory.js';

/** A vault of the test's own, and another process's view of it. */
export const openVaults = () => {
  const directory = temporaryDirectory();
  const open = () => {
    const vault = new SqliteVault(directory);
    onTestFinished(() => vault.close());
    return vault;
  };
  return { vault: open(), file: join(directory, 'vault.sqlite'), open };
};

/** A key as `serviceKey` gives it. */
export const aKey = (name = 'a test') => {
  const key = createSecretKey(Buffer.alloc(32, name));
  return async () => key;
};

/** A clock that stands still until it is moved. It starts now: the vault itself goes by the time of day. */
export class Clock {
  #at = Date.now();
  readonly now = (): number => this.#at;

  /** Moves it on by so many milliseconds. */
  pass(ms: number): void {
    this.#at += ms;
  }
}

/** A store, and a switch that makes every call to it fail as if its engine were away. */
export const switchable = <T extends object>(store: T) => {
  const state = { isAway: false };
  const through = new Proxy(store, {
    get: (target, name) => {
      if (state.isAway) return () => Promise.reject(new StoreUnavailable('the store', 'it is unavailable'));
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { store: through, away: (isAway: boolean) => void Object.assign(state, { isAway }) };
};
