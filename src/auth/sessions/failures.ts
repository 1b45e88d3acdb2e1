// Slows down attackers who guess passwords. Failures are counted per account and address, per address, and per account.
// An attacker cannot lock out a user: a correct password from an address without failures always succeeds, regardless
// of failures from other addresses. Every count expires an hour after its last failure.
import { createHmac } from 'node:crypto';
import { KeyedQueue } from '../../infrastructure/async.js';
import type { AllStores } from '../../infrastructure/stores.js';
import { changeRecord, type Vault, type VaultRecord } from '../../infrastructure/vault/vault.js';
import { Waits } from '../../infrastructure/waits.js';
import { Refused } from '../refused.js';

/** The source and the target of an attempt: the IP address, and the comparable e-mail address, known or unknown. */
interface SignInAttempt {
  readonly email: string;
  readonly address: string;
}

/**
 * The number of failures without a delay. `pair`: for one account from one address. `pairOfHotAccount`: the same, once
 * the account has `hotAccount` failures from all addresses. `address`: for one address on all accounts.
 */
export const freeFailures = { pair: 5, pairOfHotAccount: 1, hotAccount: 20, address: 100 } as const;

const SECOND_MS = 1_000;
const MAX_DELAY_MS = 900 * SECOND_MS;
const RETENTION_MS = 3_600 * SECOND_MS;
const MAX_WAITING = 20;
const KIND = 'sign-in-failures';

interface Failures {
  readonly count: number;
  readonly lastAt: number;
}

type Keys = Readonly<Record<'pair' | 'address' | 'account', string>>;

/** The failures in a vault. Calls reject with `StoreUnavailable` while the vault is unavailable. */
export class SignInFailures {
  readonly #vault: Vault;
  readonly #serviceKey: AllStores['serviceKey'];
  readonly #now: () => number;
  readonly #attempts = new KeyedQueue();
  readonly #waits = new Waits();

  /** `now` returns epoch milliseconds. */
  constructor(vault: Vault, serviceKey: AllStores['serviceKey'], now: () => number = Date.now) {
    this.#vault = vault;
    this.#serviceKey = serviceKey;
    this.#now = now;
  }

  /**
   * Makes an attempt and counts a failure, for which `signIn` returns undefined. Attempts on one account from one
   * address run one after another, so that each sees the count of the previous attempt. Rejects with
   * `too-many-failures`, without an attempt, if the caller must wait.
   */
  async attempt<T>(attempt: SignInAttempt, signIn: () => Promise<T | undefined>): Promise<T | undefined> {
    const keys = await this.#keysOf(attempt);
    if (this.#attempts.length(keys.pair) >= MAX_WAITING) throw new Refused('too-many-failures', 1);
    return this.#attempts.run(keys.pair, async () => {
      const hasFailed = await this.#mayTry(keys);
      const made = await signIn();
      if (made === undefined) await Promise.all(Object.values(keys).map((key) => this.#count(key)));
      else if (hasFailed) await this.#vault.remove({ kind: KIND, key: keys.pair });
      return made;
    });
  }

  /** Forgets the failures on an account from an address. Called if the user has proved ownership of the account. */
  async forgive(attempt: SignInAttempt): Promise<void> {
    await this.#vault.remove({ kind: KIND, key: (await this.#keysOf(attempt)).pair });
  }

  /** Returns whether the pair has failed before. Rejects with `too-many-failures` if the caller must wait. */
  async #mayTry({ pair, address, account }: Keys): Promise<boolean> {
    const records = await this.#vault.getMany<Failures>(KIND, [pair, address, account]);
    const recordOf = (key: string) => records.find((record) => record.key === key);
    const isHot = (recordOf(account)?.value.count ?? 0) >= freeFailures.hotAccount;
    const waits = [
      this.#waitOf(recordOf(pair), isHot ? freeFailures.pairOfHotAccount : freeFailures.pair),
      this.#waitOf(recordOf(address), freeFailures.address),
    ];
    const longest = Math.max(...waits);
    if (longest > 0) throw new Refused('too-many-failures', Math.ceil(longest / SECOND_MS));
    return recordOf(pair) !== undefined;
  }

  // One second after the first failure that has a delay, and twice as long after each further failure.
  #waitOf(record: VaultRecord<Failures> | undefined, freeOfDelay: number): number {
    if (record === undefined || record.value.count < freeOfDelay) return 0;
    const { count, lastAt } = record.value;
    const delay = Math.min(SECOND_MS * 2 ** (count - freeOfDelay), MAX_DELAY_MS);
    return this.#waits.left(`${record.key} ${delay} ${lastAt}`, lastAt + delay, delay, this.#now());
  }

  #count(key: string): Promise<void> {
    return changeRecord<Failures>(this.#vault, { kind: KIND, key }, (failures) => {
      const lastAt = this.#now();
      const value: Failures = { count: (failures?.count ?? 0) + 1, lastAt };
      return { kind: KIND, key, value, expiresAt: lastAt + RETENTION_MS };
    });
  }

  // HMACs replace addresses in the vault.
  async #keysOf({ email, address }: SignInAttempt): Promise<Keys> {
    const secret = await this.#serviceKey(KIND);
    const hmac = (...parts: readonly string[]) =>
      createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex');
    return {
      pair: `pair:${hmac(email, address)}`,
      address: `address:${hmac(address)}`,
      account: `account:${hmac(email)}`,
    };
  }
}
