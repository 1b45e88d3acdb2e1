// A claim in the vault: a record under the HMAC of a unique value that names its owner, the aggregate that has the value.
// It is pending until the append that brings the value has come. Who meets the claim of another asks that one's stream,
// unless the claim is pending and fresh; so a claim whose append never came is taken over, and what could not be told to
// the vault after an append does no harm.
import { StoreUnavailable } from '../infrastructure/errors.js';
import { CLAIM_KIND, type Vault, type VaultEntry, type VaultRecord } from '../infrastructure/vault/vault.js';
import { newUuid } from './uuid.js';

/** How long a claim stands without its append, in milliseconds. */
export const PENDING_MS = 60_000;

/** A value that one aggregate alone may have. */
export interface Claim {
  /** What the value is, for example `specialty-name`. */
  readonly what: string;
  /** The value in the form in which it is compared. */
  readonly value: string;
  /** The id of the aggregate that is to have it. */
  readonly owner: string;
  /** Whether the owner is a person, with whose data the claim is erased. */
  readonly isPerson: boolean;
  /** Whether an aggregate has the value now, by its stream. */
  readonly holds: (owner: string) => Promise<boolean>;
}

/** A claim that is another's: `taken` for as long as that one has the value, `reserved` until its append is decided. */
export interface RefusedClaim {
  readonly claim: Claim;
  readonly by: 'taken' | 'reserved';
}

/** A claim and the key of its record: `<what>:<hmac of the value>`. */
export interface KeyedClaim {
  readonly claim: Claim;
  readonly key: string;
}

/** A claim that is its owner's, at a version of its record. */
export interface HeldClaim extends KeyedClaim {
  readonly kept: StoredClaim;
  readonly version: number;
  /** What happens to the claim if nothing was recorded. */
  readonly ifNothing: 'free' | 'confirm' | 'leave';
}

interface StoredClaim {
  readonly owner: string;
  /** Epoch milliseconds until which the append may come; null once it has. */
  readonly pendingUntil: number | null;
  /** Names one taking. */
  readonly token: string;
}

/** What the claim that is there is to who asks: `own`, or `shared` with another command on the same aggregate. */
type ClaimStanding = 'own' | 'shared' | 'abandoned' | RefusedClaim['by'];

// What was its owner's before is confirmed: then the stream says whether it counts. A claim that is shared stays
// pending: what comes of it only the other command knows.
const IF_NOTHING = { own: 'confirm', shared: 'leave', abandoned: 'free' } as const;

/** The records of claims. */
export class ClaimRecords {
  readonly #vault: Vault;
  readonly #now: () => number;

  constructor(vault: Vault, now: () => number) {
    this.#vault = vault;
    this.#now = now;
  }

  /** Takes a pending claim, or returns why it cannot. Retries if other processes change the claim in between. */
  async take(keyed: KeyedClaim): Promise<HeldClaim | RefusedClaim> {
    for (;;) {
      const result = await this.#tryToTake(keyed);
      if (result !== undefined) return result;
    }
  }

  /** What taking it would be refused with, if anything. */
  async look(keyed: KeyedClaim): Promise<RefusedClaim | undefined> {
    const found = await this.#get(keyed);
    const standing = found && (await this.#standing(keyed, found));
    return isAnothers(standing) ? { claim: keyed.claim, by: standing } : undefined;
  }

  /** Who has the value of a claim. */
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
    return { ...keyed, kept: found.value, version: found.version, ifNothing: 'leave' };
  }

  /** Confirms a claim after its append. Rejects where that came so late that another has the value by now, too. */
  async confirm(held: HeldClaim): Promise<void> {
    if ((await this.#settle(held)) !== false) return;
    const { claim, key } = held;
    const found = await this.#get(held).catch(unlessAway);
    if (found === undefined || found.value.owner === claim.owner || !(await claim.holds(claim.owner))) return;
    throw new Error(`${claim.owner} and ${found.value.owner} have the same ${claim.what}: the claim ${key} ran out`);
  }

  /** Gives up a claim whose value its owner no longer has. */
  async free(held: HeldClaim): Promise<void> {
    // Expired and not removed: the vault keeps the version for a day, and the next claim goes on from it, so that a late
    // command of this owner does not fit that claim. Not pending: a process whose clock is behind asks the stream.
    const entry = { ...entryOf(held, { ...held.kept, pendingUntil: null }), expiresAt: this.#now() };
    await this.#vault.replace(entry, held.version).catch(unlessAway);
  }

  /** Puts a claim back where nothing was recorded under it. */
  async undo(held: HeldClaim): Promise<void> {
    if (held.ifNothing === 'free') await this.free(held);
    if (held.ifNothing === 'confirm') await this.#settle(held);
  }

  async #tryToTake(keyed: KeyedClaim): Promise<HeldClaim | RefusedClaim | undefined> {
    const { claim } = keyed;
    const kept = { owner: claim.owner, pendingUntil: this.#now() + PENDING_MS, token: newUuid() };
    const isNew = await this.#vault.insert(entryOf(keyed, kept));
    const found = await this.#get(keyed);
    if (found === undefined) return undefined;
    const held = { ...keyed, kept, version: found.version };
    if (found.value.token === kept.token) return { ...held, ifNothing: isNew ? 'free' : 'leave' };
    const standing = await this.#standing(keyed, found);
    if (isAnothers(standing)) return { claim, by: standing };
    const isTaken = await this.#vault.replace(entryOf(keyed, kept), found.version);
    return isTaken ? { ...held, version: found.version + 1, ifNothing: IF_NOTHING[standing] } : undefined;
  }

  async #standing(keyed: KeyedClaim, { value: kept, version }: VaultRecord<StoredClaim>): Promise<ClaimStanding> {
    const { owner, holds } = keyed.claim;
    const isFresh = kept.pendingUntil !== null && kept.pendingUntil > this.#now();
    if (kept.owner === owner) return isFresh ? 'shared' : 'own';
    if (isFresh) return 'reserved';
    if (!(await holds(kept.owner))) return 'abandoned';
    await this.#settle({ ...keyed, kept, version });
    return 'taken';
  }

  /** Notes that the append succeeded. Returns false if the claim was changed, undefined if the vault is unavailable. */
  async #settle({ kept, version, ...keyed }: Omit<HeldClaim, 'ifNothing'>): Promise<boolean | undefined> {
    if (kept.pendingUntil === null) return true;
    return this.#vault.replace(entryOf(keyed, { ...kept, pendingUntil: null }), version).catch(unlessAway);
  }

  #get({ key }: KeyedClaim): Promise<VaultRecord<StoredClaim> | undefined> {
    return this.#vault.get<StoredClaim>({ kind: CLAIM_KIND, key });
  }
}

const isAnothers = (standing: ClaimStanding | undefined): standing is RefusedClaim['by'] =>
  standing === 'taken' || standing === 'reserved';

const entryOf = ({ key, claim }: KeyedClaim, kept: StoredClaim): VaultEntry => ({
  kind: CLAIM_KIND,
  key,
  value: kept,
  ...(claim.isPerson && { subject: kept.owner }),
});

/** Ignores an unavailable vault: the next claimant checks the owner's stream anyway. */
const unlessAway = (error: unknown): undefined => {
  if (!(error instanceof StoreUnavailable)) throw error;
};
