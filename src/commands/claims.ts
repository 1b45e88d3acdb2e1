// The claims of one append, taken together: all of them or none.
import { createHmac, type KeyObject } from 'node:crypto';
import { AppendTooLarge } from '../infrastructure/errors.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import {
  type Claim,
  ClaimRecords,
  type HeldClaim,
  type KeyedClaim,
  PENDING_MS,
  type RefusedClaim,
} from './claim-records.js';
import { PreconditionFailed } from './context.js';

// An append that would start later than this after its claims is not tried. The rest of the time must be enough for the
// append and for the difference between the clocks of two servers.
const START_WITHIN_MS = PENDING_MS / 2;

/** Returns the key of the HMACs, the same in every process. Rejects with `StoreUnavailable` while it is unavailable. */
export type KeySource = () => Promise<KeyObject>;

/** Signals that other aggregates have values that a command needs. */
export class ClaimsRefused extends Error {
  constructor(readonly refused: readonly RefusedClaim[]) {
    super(refused.map(({ claim, reason }) => `${claim.kind} ${reason}`).join(', '));
    this.name = 'ClaimsRefused';
  }
}

/** The claims that an append takes, and the claims of the values that it frees. */
export interface Change {
  readonly taken: readonly Claim[];
  readonly freed: readonly Claim[];
}

/** Takes and frees claims in a vault. `key` returns the key of their HMACs, `now` the epoch milliseconds. */
export class Claims {
  readonly #records: ClaimRecords;
  readonly #key: KeySource;
  readonly #now: () => number;

  constructor(vault: Vault, key: KeySource, now: () => number = Date.now) {
    this.#records = new ClaimRecords(vault, now);
    this.#key = key;
    this.#now = now;
  }

  /**
   * Runs an append under claims. Returns undefined if `append` does, because nothing was recorded. Rejects with
   * `ClaimsRefused`, which names every claim of another aggregate, with `StoreUnavailable` if the vault is unavailable
   * before the append, and with the errors of `append`.
   */
  async during<T>({ taken, freed }: Change, append: () => Promise<T | undefined>): Promise<T | undefined> {
    if (taken.length + freed.length === 0) return append();
    const startBy = this.#now() + START_WITHIN_MS;
    // Read before the append: if another command takes one of these claims back after that, the version changes.
    const before = await this.#held(await this.#keyed(freed));
    const held = await this.#takeAll(await this.#keyed(taken));
    const done = this.#now() > startBy ? undefined : await this.#appended(held, append);
    if (done === undefined) await this.#undo(held);
    else await this.#settle(held, before);
    return done;
  }

  /**
   * Returns the owner of a value by its claim, after `holds` confirmed it from the stream; undefined if there is none.
   */
  async ownerOf(claim: Omit<Claim, 'owner' | 'isPerson'>): Promise<string | undefined> {
    const [keyed] = await this.#keyed([{ ...claim, owner: '', isPerson: false }]);
    return keyed && this.#records.ownerOf(keyed);
  }

  /** Returns the claimants of these values, in the same order; undefined if a value has none. Reads no stream. */
  async claimants(values: readonly Pick<Claim, 'kind' | 'value'>[]): Promise<readonly (string | undefined)[]> {
    const secret = await this.#key();
    return this.#records.claimants(values.map((value) => keyOf(secret, value)));
  }

  // Every command takes its claims in the same order. If two commands need the same values, one of them gets the first
  // value and with it the rest.
  async #keyed(claims: readonly Claim[]): Promise<readonly KeyedClaim[]> {
    const secret = await this.#key();
    const keyed = claims.map((claim) => ({ claim, key: keyOf(secret, claim) }));
    return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  async #held(claims: readonly KeyedClaim[]): Promise<readonly HeldClaim[]> {
    const found = await Promise.all(claims.map((keyed) => this.#records.held(keyed)));
    return found.filter((held) => held !== undefined);
  }

  async #takeAll(claims: readonly KeyedClaim[]): Promise<readonly HeldClaim[]> {
    const held: HeldClaim[] = [];
    try {
      for (const [index, keyed] of claims.entries()) {
        const result = await this.#records.take(keyed);
        if ('reason' in result)
          throw new ClaimsRefused([result, ...(await this.#refusedAmong(claims.slice(index + 1)))]);
        held.push(result);
      }
      return held;
    } catch (error) {
      await this.#undo(held);
      throw error;
    }
  }

  async #refusedAmong(claims: readonly KeyedClaim[]): Promise<readonly RefusedClaim[]> {
    const found = await Promise.all(claims.map((keyed) => this.#records.check(keyed)));
    return found.filter((refused) => refused !== undefined);
  }

  async #appended<T>(held: readonly HeldClaim[], append: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      return await append();
    } catch (error) {
      // After any other failure the append may have succeeded, or may still succeed. The claims stay pending.
      if (error instanceof AppendTooLarge || error instanceof PreconditionFailed) await this.#undo(held);
      throw error;
    }
  }

  async #undo(held: readonly HeldClaim[]): Promise<void> {
    for (const claim of held) await this.#records.undo(claim);
  }

  async #settle(held: readonly HeldClaim[], freed: readonly HeldClaim[]): Promise<void> {
    await Promise.all([
      ...freed.map((claim) => this.#records.free(claim)),
      ...held.map((claim) => this.#records.confirm(claim)),
    ]);
  }
}

const keyOf = (secret: KeyObject, { kind, value }: Pick<Claim, 'kind' | 'value'>): string =>
  `${kind}:${createHmac('sha256', secret).update(value).digest('hex')}`;
