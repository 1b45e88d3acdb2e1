// The limits on one-time codes. The requests of an owner are counted in the owner's record, those from an address and
// for a contact in records of their own.
import { changeRecord, type Vault } from '../../infrastructure/vault/vault.js';
import { Waits } from '../../infrastructure/waits.js';
import { Refused } from '../refused.js';
import type { Purpose } from './texts.js';

/**
 * The limits on codes, in milliseconds: the lifetime of a code that the user requests and that of an invitation, how
 * long a code waits for a server that accepts its message, the number of attempts from an address and from all
 * addresses, the time before another code is sent, and the number of codes within a window for an owner, a contact and
 * an address. An attacker therefore has 25 guesses per owner and hour from one address, and 250 from many.
 */
export const codeLimits = {
  lifeMs: 600_000,
  invitationLifeMs: 259_200_000,
  waitMs: 3_600_000,
  tries: 5,
  triesOfAll: 50,
  resendMs: 60_000,
  windowMs: 3_600_000,
  ofOwner: 5,
  ofContact: 5,
  ofAddress: 30,
} as const;

/** Returns the lifetime of a code in milliseconds. A user may read about a new account days later. */
export const lifeMsOf = (purpose: Purpose): number =>
  purpose === 'account-created' ? codeLimits.invitationLifeMs : codeLimits.lifeMs;

/** Returns how long a code is valid while no server has accepted its message, in milliseconds. */
export const waitMsOf = (purpose: Purpose): number => Math.max(codeLimits.waitMs, lifeMsOf(purpose));

export interface Counter {
  readonly kind: 'code-address' | 'code-contact';
  readonly key: string;
}

const maxOf = { 'code-address': codeLimits.ofAddress, 'code-contact': codeLimits.ofContact } as const;

export class Quotas {
  readonly #vault: Vault;
  readonly #factor: number;
  readonly #waits = new Waits();

  /** `factor` multiplies the number of requests allowed within a window. */
  constructor(vault: Vault, factor: number) {
    this.#vault = vault;
    this.#factor = factor;
  }

  /**
   * Returns the timestamps within the window; none if there is no limit. Throws `too-many-codes` at the limit. `key`
   * names the record that counts.
   */
  recentOf(key: string, instants: readonly number[], now: number, max: number): readonly number[] {
    const limit = Math.max(1, Math.round(max * this.#factor));
    if (limit === Number.POSITIVE_INFINITY) return [];
    const { windowMs } = codeLimits;
    const waits = instants.map((at) => ({ at, left: this.#waits.left(`${key} ${at}`, at + windowMs, windowMs, now) }));
    const recent = waits.filter(({ left }) => left > 0);
    if (recent.length >= limit) {
      throw new Refused('too-many-codes', Math.ceil(Math.min(...recent.map(({ left }) => left)) / 1_000));
    }
    return recent.map(({ at }) => at);
  }

  /** Counts a request. Rejects with `too-many-codes` if one of the counters is at its limit, and counts nothing. */
  async count(counters: readonly Counter[], at: number): Promise<void> {
    for (const [index, counter] of counters.entries()) {
      const counted = this.#change(counter, at, (requests) => [
        ...this.recentOf(counter.key, requests, at, maxOf[counter.kind]),
        at,
      ]);
      await counted.catch(async (error: unknown) => {
        await this.uncount(counters.slice(0, index), at);
        throw error;
      });
    }
  }

  async uncount(counters: readonly Counter[], at: number): Promise<void> {
    const without = (requests: readonly number[]) =>
      requests.includes(at) ? requests.toSpliced(requests.indexOf(at), 1) : undefined;
    await Promise.all(counters.map((counter) => this.#change(counter, at, without)));
  }

  #change(
    counter: Counter,
    at: number,
    change: (requests: readonly number[]) => readonly number[] | undefined,
  ): Promise<void> {
    return changeRecord<readonly number[]>(this.#vault, counter, (requests = []) => {
      const value = change(requests);
      return value && { ...counter, value, expiresAt: at + codeLimits.windowMs };
    });
  }
}
