// Slows down whoever guesses passwords. Failures are counted by account and address together, by address, and by account.
// Nobody can lock somebody else out: from an address without failures a right password always passes, however many
// failed on the account from elsewhere, and every count is forgiven an hour after its last failure.
import { createHmac, type KeyObject } from 'node:crypto';
import { KeyedQueue } from '../../infrastructure/async.js';
import { changeRecord, type Vault, type VaultRecord } from '../../infrastructure/vault/vault.js';
import { Refused } from '../refused.js';

/** Where an attempt comes from and at whom it aims: the e-mail address as it is compared, known or not. */
export interface SignInAttempt {
  readonly email: string;
  readonly address: string;
}

/**
 * So many failures are free of delay: of one account from one address, the same once the account has failed `hotAccount`
 * times from anywhere, and of an address on whatever accounts.
 */
export const free = { pair: 5, pairOfHotAccount: 1, hotAccount: 20, address: 100 } as const;

const SECOND_MS = 1_000;
const LONGEST_MS = 900 * SECOND_MS;
const KEPT_MS = 3_600 * SECOND_MS;
const MOST_WAITING = 20;
const KIND = 'sign-in-failures';

interface Failures {
  readonly count: number;
  readonly lastAt: number;
}

interface Keys {
  readonly pair: string;
  readonly address: string;
  readonly account: string;
}

/** The failures in a vault; calls reject with `StoreUnavailable` while it cannot answer. */
export class SignInFailures {
  readonly #vault: Vault;
  readonly #secret: () => Promise<KeyObject>;
  readonly #now: () => number;
  readonly #attempts = new KeyedQueue();

  /** `secret` gives the key of the HMACs that addresses are known by; `now` epoch milliseconds. */
  constructor(vault: Vault, secret: () => Promise<KeyObject>, now: () => number = Date.now) {
    this.#vault = vault;
    this.#secret = secret;
    this.#now = now;
  }

  /**
   * Makes an attempt, which gives undefined where it failed. Attempts at one account from one address take turns, so that
   * none passes before the one before it is counted. Rejects with `too-many-failures` before the attempt is made.
   */
  async attempt<T>(who: SignInAttempt, make: () => Promise<T | undefined>): Promise<T | undefined> {
    const keys = keysOf(await this.#secret(), who);
    if (this.#attempts.length(keys.pair) >= MOST_WAITING) throw new Refused('too-many-failures', 1);
    return this.#attempts.run(keys.pair, async () => {
      const hasFailed = await this.#mayTry(keys);
      const made = await make();
      if (made === undefined) await Promise.all(Object.values(keys).map((key) => this.#count(key)));
      else if (hasFailed) await this.#vault.remove({ kind: KIND, key: keys.pair });
      return made;
    });
  }

  /** Forgives what failed on an account from an address, where it was proved otherwise whose account it is. */
  async forgive(who: SignInAttempt): Promise<void> {
    await this.#vault.remove({ kind: KIND, key: keysOf(await this.#secret(), who).pair });
  }

  /** Whether the pair has failed before; rejects where it has to wait. */
  async #mayTry({ pair, address, account }: Keys): Promise<boolean> {
    const records = await this.#vault.getMany<Failures>(KIND, [pair, address, account]);
    const of = (key: string) => records.find((record) => record.key === key);
    const isHot = (of(account)?.value.count ?? 0) >= free.hotAccount;
    const waits = [
      this.#waitOf(of(pair), isHot ? free.pairOfHotAccount : free.pair),
      this.#waitOf(of(address), free.address),
    ];
    const longest = Math.max(...waits);
    if (longest > 0) throw new Refused('too-many-failures', Math.ceil(longest / SECOND_MS));
    return of(pair) !== undefined;
  }

  // A second after the first failure that is not free, and twice as long after each that follows.
  #waitOf(record: VaultRecord<Failures> | undefined, freeOfDelay: number): number {
    const { count, lastAt } = record?.value ?? { count: 0, lastAt: 0 };
    if (count < freeOfDelay) return 0;
    return lastAt + Math.min(SECOND_MS * 2 ** (count - freeOfDelay), LONGEST_MS) - this.#now();
  }

  #count(key: string): Promise<void> {
    return changeRecord<Failures>(this.#vault, { kind: KIND, key }, (failures) => {
      const lastAt = this.#now();
      const value: Failures = { count: (failures?.count ?? 0) + 1, lastAt };
      return { kind: KIND, key, value, expiresAt: lastAt + KEPT_MS };
    });
  }
}

const keysOf = (secret: KeyObject, { email, address }: SignInAttempt): Keys => {
  const hmac = (...of: readonly string[]) => createHmac('sha256', secret).update(JSON.stringify(of)).digest('hex');
  return {
    pair: `pair:${hmac(email, address)}`,
    address: `address:${hmac(address)}`,
    account: `account:${hmac(email)}`,
  };
};
