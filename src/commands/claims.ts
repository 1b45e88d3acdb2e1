// Claims of unique values. A claim is a record in the vault under the HMAC of a value. It names its owner, the aggregate
// that has the value or is about to record it. The stream of the owner is the truth: a command that finds the claim of
// another aggregate reads that stream. If the stream lacks the value and the claim is older than a minute, its append
// was never recorded or the value was given up, and the command takes the claim over.
import { createHmac, type KeyObject } from 'node:crypto';
import type { Unique, UniqueValue } from '../domain/unique.js';
import { ignoreUnavailable } from '../infrastructure/errors.js';
import { CLAIM_KIND, type Vault, type VaultEntry, type VaultRecord } from '../infrastructure/vault/vault.js';
import { Waits } from '../infrastructure/waits.js';
import { recordedNothing } from './context.js';

/** How long a claim is reserved for its append, in milliseconds. */
export const PENDING_MS = 60_000;

// An append that would start later than this after its claims is not tried. The rest of the time must be enough for the
// append and for the difference between the clocks of two servers.
const START_WITHIN_MS = PENDING_MS / 2;

export interface Claim extends UniqueValue, Pick<Unique<unknown>, 'isPerson'> {
  readonly owner: string;
  /** Returns whether an aggregate has the value now, according to its stream. */
  readonly holds: (owner: string) => Promise<boolean>;
}

export interface Change {
  readonly taken: readonly Claim[];
  readonly freed: readonly Claim[];
}

/** A claim of another aggregate. `taken`: the aggregate has the value. `reserved`: its append is not decided yet. */
export interface RefusedClaim {
  readonly claim: Claim;
  readonly reason: 'taken' | 'reserved';
}

/** Signals that other aggregates have values that a command needs. */
export class ClaimsRefused extends Error {
  constructor(readonly refused: readonly RefusedClaim[]) {
    super(refused.map(({ claim, reason }) => `${claim.kind} ${reason}`).join(', '));
    this.name = 'ClaimsRefused';
  }
}

/** A claim and the key of its record: `<kind>:<hmac of the value>`. */
interface KeyedClaim extends Claim {
  readonly key: string;
}

interface HeldClaim {
  readonly claim: KeyedClaim;
  readonly version: number;
  /** Whether the owner did not hold the claim before. */
  readonly isNew: boolean;
}

interface StoredClaim {
  readonly owner: string;
  /** When the claim was taken, in epoch milliseconds. */
  readonly at: number;
}

/** `key` returns the key of the HMACs, the same in every process, and `now` the epoch milliseconds. */
export class Claims {
  readonly #vault: Vault;
  readonly #key: () => Promise<KeyObject>;
  readonly #now: () => number;
  readonly #waits = new Waits();

  constructor(vault: Vault, key: () => Promise<KeyObject>, now: () => number = Date.now) {
    this.#vault = vault;
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
    const [start, startBy] = [performance.now(), this.#now() + START_WITHIN_MS];
    // Read before the append: if another command takes one of these claims back after that, the version changes.
    const before = await this.#held(await this.#keyed(freed));
    const held = await this.#takeAll(await this.#keyed(taken));
    // By both clocks: others may read the age of the claims from a clock that was set meanwhile, in either direction.
    const isLate = this.#now() > startBy || performance.now() - start > START_WITHIN_MS;
    const done = isLate ? undefined : await this.#appended(held, append);
    if (done === undefined) await this.#undo(held);
    else await Promise.all(before.map((claim) => this.#free(claim)));
    return done;
  }

  /** Returns the owner of a value after `holds` confirmed it from the stream; undefined if there is none. */
  async ownerOf(claim: Pick<Claim, 'kind' | 'value' | 'holds'>): Promise<string | undefined> {
    const owner = (await this.#get(keyOf(await this.#key(), claim)))?.value.owner;
    return owner !== undefined && (await claim.holds(owner)) ? owner : undefined;
  }

  /** Returns the claimants of these values, in the same order; undefined if a value has none. Reads no stream. */
  async claimants(values: readonly Pick<Claim, 'kind' | 'value'>[]): Promise<readonly (string | undefined)[]> {
    const secret = await this.#key();
    const keys = values.map((value) => keyOf(secret, value));
    const found = await this.#vault.getMany<StoredClaim>(CLAIM_KIND, [...new Set(keys)]);
    const owners = new Map(found.map(({ key, value }) => [key, value.owner]));
    return keys.map((key) => owners.get(key));
  }

  // Every command takes its claims in the same order. If two commands need the same values, one of them gets the first
  // value and with it the rest.
  async #keyed(claims: readonly Claim[]): Promise<readonly KeyedClaim[]> {
    const secret = await this.#key();
    const keyed = claims.map((claim) => ({ ...claim, key: keyOf(secret, claim) }));
    return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Returns these claims as their owner holds them, without the claims that the owner does not hold. */
  async #held(claims: readonly KeyedClaim[]): Promise<readonly HeldClaim[]> {
    const found = await Promise.all(claims.map(({ key }) => this.#get(key)));
    return claims.flatMap((claim, index) => {
      const record = found[index];
      return record?.value.owner === claim.owner ? [{ claim, version: record.version, isNew: false }] : [];
    });
  }

  async #takeAll(claims: readonly KeyedClaim[]): Promise<readonly HeldClaim[]> {
    const held: HeldClaim[] = [];
    try {
      for (const [index, claim] of claims.entries()) {
        const result = await this.#take(claim);
        if ('reason' in result) {
          throw new ClaimsRefused([result, ...(await this.#refusedAmong(claims.slice(index + 1)))]);
        }
        held.push(result);
      }
      return held;
    } catch (error) {
      await this.#undo(held);
      throw error;
    }
  }

  /** Takes a claim, or returns why it cannot. Retries if other processes change the claim in between. */
  async #take(claim: KeyedClaim): Promise<HeldClaim | RefusedClaim> {
    for (;;) {
      const result = await this.#tryToTake(claim);
      if (result !== undefined) return result;
    }
  }

  async #tryToTake(claim: KeyedClaim): Promise<HeldClaim | RefusedClaim | undefined> {
    const version = await this.#vault.insert(entryOf(claim, this.#now()));
    if (version !== undefined) return { claim, version, isNew: true };
    const found = await this.#get(claim.key);
    if (found === undefined) return undefined;
    const refused = await this.#refusalOf(claim, found.value);
    if (refused !== undefined) return refused;
    const isTaken = await this.#vault.replace(entryOf(claim, this.#now()), found.version);
    return isTaken ? { claim, version: found.version + 1, isNew: found.value.owner !== claim.owner } : undefined;
  }

  async #refusedAmong(claims: readonly KeyedClaim[]): Promise<readonly RefusedClaim[]> {
    const refusals = claims.map(async (claim) => {
      const found = await this.#get(claim.key);
      return found && this.#refusalOf(claim, found.value);
    });
    return (await Promise.all(refusals)).filter((refused) => refused !== undefined);
  }

  /** Returns why the owner of a stored claim keeps it; undefined if a command may take it. */
  async #refusalOf(claim: KeyedClaim, { owner, at }: StoredClaim): Promise<RefusedClaim | undefined> {
    if (owner === claim.owner) return undefined;
    // The age is measured before the stream is read: an append may still be recorded after that read.
    const isReserved = this.#waits.left(`${claim.key} ${owner} ${at}`, at + PENDING_MS, PENDING_MS, this.#now()) > 0;
    if (await claim.holds(owner)) return { claim, reason: 'taken' };
    return isReserved ? { claim, reason: 'reserved' } : undefined;
  }

  async #appended<T>(held: readonly HeldClaim[], append: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      return await append();
    } catch (error) {
      // After any other failure the append may have succeeded, or may still succeed. The claims stay reserved.
      if (recordedNothing(error)) await this.#undo(held);
      throw error;
    }
  }

  // The owner of a claim that is not new may have the value, or another command of the owner may be about to record it.
  async #undo(held: readonly HeldClaim[]): Promise<void> {
    for (const each of held) if (each.isNew) await this.#free(each);
  }

  // The record expires but is not removed: the vault keeps the version for a day, and the next claim continues from it,
  // so that a late command of this owner does not match the next claim. The time is the earliest, so that a process
  // whose clock is behind does not see the claim as reserved.
  async #free({ claim, version }: HeldClaim): Promise<void> {
    // While the vault is unavailable, the claim stays: the next claimant checks the owner's stream anyway.
    await this.#vault.replace({ ...entryOf(claim, 0), expiresAt: this.#now() }, version).catch(ignoreUnavailable);
  }

  #get(key: string): Promise<VaultRecord<StoredClaim> | undefined> {
    return this.#vault.get<StoredClaim>({ kind: CLAIM_KIND, key });
  }
}

const keyOf = (secret: KeyObject, { kind, value }: Pick<Claim, 'kind' | 'value'>): string =>
  `${kind}:${createHmac('sha256', secret).update(value).digest('hex')}`;

const entryOf = ({ key, owner, isPerson }: KeyedClaim, at: number): VaultEntry => ({
  kind: CLAIM_KIND,
  key,
  value: { owner, at },
  ...(isPerson && { subject: owner }),
});
