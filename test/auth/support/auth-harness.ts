// Helpers for the tests of authentication: a vault, fixed keys, and a clock that a test moves.
import { createSecretKey } from 'node:crypto';
import { hash, type Options } from '@node-rs/argon2';
import { passwordCost } from '../../../src/auth/passwords/passwords.js';
import { Claims } from '../../../src/commands/claims.js';
import { commandHandler } from '../../../src/commands/handle-command.js';
import { Streams } from '../../../src/commands/streams.js';
import { uniquenessGuard } from '../../../src/commands/uniqueness.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import type { Facts } from '../../../src/infrastructure/facts/facts.js';
import { encrypt } from '../../../src/infrastructure/sealed/aes-gcm.js';
import type { Vault } from '../../../src/infrastructure/vault/vault.js';
import { MemoryFacts } from '../../support/memory-facts.js';

/** Returns a function that resolves to a fixed key, like `serviceKey`. */
export const aKey = (name = 'a test') => {
  const key = createSecretKey(Buffer.alloc(32, name));
  return async () => key;
};

/** Stores a password whose hash has another cost than `passwordCost`, as a version of the program with that cost did. */
export const keepAtCost = async (
  vault: Vault,
  userId: string,
  password: string,
  { initial, ...cost }: Options & { readonly initial?: 'unused' },
) => {
  const stored = JSON.stringify({ hash: await hash(password, { ...passwordCost, ...cost }), initial });
  const sealed = encrypt(await aKey('passwords')(), stored, JSON.stringify(['password', userId])).toString('base64');
  await vault.remove({ kind: 'password', key: userId });
  await vault.insert({ kind: 'password', key: userId, value: { sealed }, subject: userId });
};

/** Returns the numbers from 0 up to, but not including, `count`. */
export const times = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** Returns the same store, and adds the name of every call to `calls`, with what `note` says about its arguments. */
export const recordingCalls = <T extends object>(
  store: T,
  calls: string[],
  note: (given: readonly unknown[]) => string = () => '',
): T =>
  new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: readonly unknown[]) => {
        calls.push(`${String(name)}${note(given)}`);
        return member.apply(target, given);
      };
    },
  });

/** A clock that stands still until a test moves it. It starts now, because the vault itself uses the system clock. */
export class Clock {
  #at = Date.now();
  readonly now = (): number => this.#at;

  /** Advances the clock by this many milliseconds. */
  pass(ms: number): void {
    this.#at += ms;
  }
}

/** Returns a store, and a switch that makes every call of the store fail as if its engine were unavailable. */
export const switchable = <T extends object>(store: T) => {
  const state = { isUnavailable: false };
  const through = new Proxy(store, {
    get: (target, name) => {
      if (state.isUnavailable) return () => Promise.reject(new StoreUnavailable('the store', 'it is unavailable'));
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { store: through, setUnavailable: (isUnavailable: boolean) => void Object.assign(state, { isUnavailable }) };
};

/** Returns the parts of a process that handles commands on new facts and on a vault. */
export const openCommands = (vault: Vault, watched: (facts: Facts) => Facts = (facts) => facts) => {
  const facts = new MemoryFacts();
  const streams = new Streams(watched(facts));
  const claims = new Claims(vault, aKey('claims'));
  const handle = commandHandler(streams, uniquenessGuard(streams, claims));
  return { facts, vault, streams, claims, handle, serviceKey: (name: string) => aKey(name)() };
};
