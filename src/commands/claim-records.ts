// A claim in the vault: a record under the HMAC of a unique value. It names its owner, the aggregate that has the
// value. A claim is pending until the append that adds the value is recorded. A command that finds the claim of another
// aggregate checks the stream of that aggregate, unless the claim is pending and fresh. So a claim whose append was
// never recorded can be taken over, and an update of the vault that failed after an append does no harm.
import { StoreUnavailable } from '../infrastructure/errors.js';
import { CLAIM_KIND, type Vault, type VaultEntry, type VaultRecord } from '../infrastructure/vault/vault.js';
import { newUuid } from './ids.js';

/** How long a claim is valid without its append, in milliseconds. */
export const PENDING_MS = 60_000;

/** A value that only one aggregate may have. */
export interface Claim {
  /** The kind of the value, for example `specialty-name`. */
  readonly kind: string;
  /** The value in the form in which values are compared. */
  readonly value: string;
  /** The id of the aggregate that claims the value. */
  readonly owner: string;
  /** Whether the owner is a person. The claims of a person are erased with the person's data. */
  readonly isPerson: boolean;
  /** Returns whether an aggregate has the value now, according to its stream. */
  readonly holds: (owner: string) => Promise<boolean>;
}

/** A claim of another aggregate. `taken`: the aggregate has the value. `reserved`: its append is not decided yet. */
export interface RefusedClaim {
  readonly claim: Claim;
  readonly reason: 'taken' | 'reserved';
}

/** A claim and the key of its record: `<kind>:<hmac of the value>`. */
export interface KeyedClaim {
  readonly claim: Claim;
  readonly key: string;
}

/** A claim that its owner holds, at a version of its record. */
export interface HeldClaim extends KeyedClaim {
  readonly stored: StoredClaim;
  readonly version: number;
  /** What happens to the claim if nothing was recorded. */
  readonly onRollback: 'free' | 'confirm' | 'leave';
}

interface StoredClaim {
  readonly owner: string;
  /** Epoch milliseconds until which the append may come; null once the append is recorded. */
  readonly pendingUntil: number | null;
  /** Identifies one taking of the claim. */
  readonly token: string;
}

/**
 * The relation of a stored claim to the command that needs the claim. `shared`: another command on the aggregate holds
 * the claim.
 */
type ClaimStatus = 'own' | 'shared' | 'abandoned' | RefusedClaim['reason'];

// A claim that the owner had before is confirmed: the stream then shows whether it counts. A shared claim stays
// pending: only the other command knows its outcome.
const ON_ROLLBACK = { own: 'confirm', shared: 'leave', abandoned: 'free' } as const;

/** Reads and changes the records of claims. */
export class ClaimRecords {
  readonly #vault: Vault;
  readonly #now: () => number;

  constructor(vault: Vault, now: () => number) {
    this.#vault = vault;
    this.#now = now;
  }

  /** Takes a claim as pending, or returns why it cannot. Retries if other processes change the claim in between. */
  async take(keyed: KeyedClaim): Promise<HeldClaim | RefusedClaim> {
    for (;;) {
      const result = await this.#tryToTake(keyed);
      if (result !== undefined) return result;
    }
  }

  /** Returns why the claim could not be taken now; undefined if it could. */
  async check(keyed: KeyedClaim): Promise<RefusedClaim | undefined> {
    const found = await this.#get(keyed);
    const status = found && (await this.#status(keyed, found));
    return isHeldByAnother(status) ? { claim: keyed.claim, reason: status } : undefined;
  }

  /** Returns the aggregate that has the value of a claim; undefined if none has it. */
  async ownerOf(keyed: KeyedClaim): Promise<string | undefined> {
    const owner = (await this.#get(keyed))?.value.owner;
    return owner !== undefined && (await keyed.claim.holds(owner)) ? owner : undefined;
  }

  /** Returns the owners of the records under these keys, in the order of the keys; undefined if there is no record. */
  async claimants(keys: readonly string[]): Promise<readonly (string | undefined)[]> {
    const found = await this.#vault.getMany<StoredClaim>(CLAIM_KIND, [...new Set(keys)]);
    const owners = new Map(found.map(({ key, value }) => [key, value.owner]));
    return keys.map((key) => owners.get(key));
  }

  /** Returns the claim as its owner holds it; undefined if the owner does not hold it. */
  async held(keyed: KeyedClaim): Promise<HeldClaim | undefined> {
    const found = await this.#get(keyed);
    if (found?.value.owner !== keyed.claim.owner) return undefined;
    return { ...keyed, stored: found.value, version: found.version, onRollback: 'leave' };
  }

  /**
   * Confirms a claim after its append. Rejects if the confirmation is so late that another aggregate has the value too.
   */
  async confirm(held: HeldClaim): Promise<void> {
    if ((await this.#settle(held)) !== false) return;
    const { claim, key } = held;
    const found = await this.#get(held).catch(ignoreUnavailable);
    if (found === undefined || found.value.owner === claim.owner || !(await claim.holds(claim.owner))) return;
    throw new Error(`${claim.owner} and ${found.value.owner} have the same ${claim.kind}: the claim ${key} ran out`);
  }

  /** Gives up a claim whose value its owner no longer has. */
  async free(held: HeldClaim): Promise<void> {
    // The record expires but is not removed: the vault keeps the version for a day, and the next claim continues from
    // it, so that a late command of this owner does not match the next claim. The record is not pending, so that a
    // process whose clock is behind checks the stream.
    const entry = { ...entryOf(held, { ...held.stored, pendingUntil: null }), expiresAt: this.#now() };
    await this.#vault.replace(entry, held.version).catch(ignoreUnavailable);
  }

  /** Restores a claim under which nothing was recorded. */
  async undo(held: HeldClaim): Promise<void> {
    if (held.onRollback === 'free') await this.free(held);
    if (held.onRollback === 'confirm') await this.#settle(held);
  }

  async #tryToTake(keyed: KeyedClaim): Promise<HeldClaim | RefusedClaim | undefined> {
    const { claim } = keyed;
    const stored = { owner: claim.owner, pendingUntil: this.#now() + PENDING_MS, token: newUuid() };
    const isNew = await this.#vault.insert(entryOf(keyed, stored));
    const found = await this.#get(keyed);
    if (found === undefined) return undefined;
    const held = { ...keyed, stored, version: found.version };
    if (found.value.token === stored.token) return { ...held, onRollback: isNew ? 'free' : 'leave' };
    const status = await this.#status(keyed, found);
    if (isHeldByAnother(status)) return { claim, reason: status };
    const isTaken = await this.#vault.replace(entryOf(keyed, stored), found.version);
    return isTaken ? { ...held, version: found.version + 1, onRollback: ON_ROLLBACK[status] } : undefined;
  }

  async #status(keyed: KeyedClaim, { value: stored, version }: VaultRecord<StoredClaim>): Promise<ClaimStatus> {
    const { owner, holds } = keyed.claim;
    const isFresh = stored.pendingUntil !== null && stored.pendingUntil > this.#now();
    if (stored.owner === owner) return isFresh ? 'shared' : 'own';
    if (isFresh) return 'reserved';
    if (!(await holds(stored.owner))) return 'abandoned';
    await this.#settle({ ...keyed, stored, version });
    return 'taken';
  }

  /**
   * Records that the append succeeded. Returns false if the claim was changed, undefined if the vault is unavailable.
   */
  async #settle({ stored, version, ...keyed }: Omit<HeldClaim, 'onRollback'>): Promise<boolean | undefined> {
    if (stored.pendingUntil === null) return true;
    return this.#vault.replace(entryOf(keyed, { ...stored, pendingUntil: null }), version).catch(ignoreUnavailable);
  }

  #get({ key }: KeyedClaim): Promise<VaultRecord<StoredClaim> | undefined> {
    return this.#vault.get<StoredClaim>({ kind: CLAIM_KIND, key });
  }
}

const isHeldByAnother = (status: ClaimStatus | undefined): status is RefusedClaim['reason'] =>
  status === 'taken' || status === 'reserved';

const entryOf = ({ key, claim }: KeyedClaim, stored: StoredClaim): VaultEntry => ({
  kind: CLAIM_KIND,
  key,
  value: stored,
  ...(claim.isPerson && { subject: stored.owner }),
});

/** Ignores an unavailable vault: the next claimant checks the owner's stream anyway. */
const ignoreUnavailable = (error: unknown): undefined => {
  if (!(error instanceof StoreUnavailable)) throw error;
};
