// The one-time codes in a vault. Who is unknown gets a record, and a job that sends nothing, like everybody else: neither
// an answer nor the work behind it tells one from the other.
import { type KeyObject, randomUUID } from 'node:crypto';
import type { Vault } from '../infrastructure/vault/vault.js';
import type { Work } from '../infrastructure/work/work.js';
import {
  CODE_KIND,
  CodeSecrets,
  changeRecord,
  entryOfCodes,
  isLive,
  type KeptCode,
  noCodes,
  type OwnersCodes,
} from './code-records.js';
import type { CodeRequest, Codes, IssuedCode, Purpose, RedeemedCode } from './codes.js';
import { deliveryOf } from './deliveries.js';
import { Refused } from './refused.js';

/**
 * How long a code is good for, how often it may be tried, after what time another one is sent, and how many are made
 * within a window for one owner, and for one address; in milliseconds. So an owner's codes can be guessed at 25 times in
 * an hour.
 */
export const codeLimits = {
  lifeMs: 600_000,
  tries: 5,
  resendMs: 60_000,
  windowMs: 3_600_000,
  ofOwner: 5,
  ofAddress: 30,
} as const;

const ADDRESS_KIND = 'code-address';

interface Means {
  readonly vault: Vault;
  readonly work: Work;
  /** Gives the key that codes follow from. */
  readonly key: () => Promise<KeyObject>;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** A code that is to be placed with its owner's, and where. */
interface Draft {
  readonly key: string;
  readonly person: string | null;
  readonly purpose: Purpose;
  readonly code: KeptCode;
}

/** The codes, each of which is sent by a job of the work store. */
export class VaultCodes implements Codes {
  readonly #vault: Vault;
  readonly #work: Work;
  readonly #key: () => Promise<KeyObject>;
  readonly #now: () => number;

  constructor({ vault, work, key, now = Date.now }: Means) {
    this.#vault = vault;
    this.#work = work;
    this.#key = key;
    this.#now = now;
  }

  async issue(request: CodeRequest): Promise<IssuedCode> {
    const secrets = await this.#secrets();
    const draft = this.#draft(request, secrets);
    const found = await this.#vault.get<OwnersCodes>({ kind: CODE_KIND, key: draft.key });
    const standing = standingFor(draft, found?.value);
    if (standing !== undefined) return answerOf(standing);
    const from = secrets.keyOf('address', request.address);
    const { issuedAt } = draft.code;
    await this.#count(from, issuedAt);
    try {
      const placed = await this.#place(draft);
      if (placed.id === draft.code.id) await this.#work.enqueue(deliveryOf(draft.key, placed.id, request.language));
      else await this.#uncount(from, issuedAt);
      return answerOf(placed);
    } catch (error) {
      // Nothing is sent: the next request need not wait. If the job was stored after all, it finds its code gone.
      await this.#withdraw(draft);
      await this.#uncount(from, issuedAt);
      throw error;
    }
  }

  async redeem(owner: string, code: string, purposes: readonly Purpose[]): Promise<RedeemedCode> {
    const secrets = await this.#secrets();
    const key = secrets.keyOf('owner', owner);
    for (;;) {
      const found = await this.#vault.get<OwnersCodes>({ kind: CODE_KIND, key });
      const { tried, redeemed } = this.#tried(found?.value ?? noCodes, { secrets, code, purposes });
      // Also where there is nothing to change: the work is the same.
      const isMine = await this.#vault.replace(entryOfCodes(key, tried, found?.expiresAt), found?.version ?? 0);
      if (found !== undefined && !isMine) continue;
      if (redeemed === undefined) throw new Refused('code-refused');
      return redeemed;
    }
  }

  async #secrets(): Promise<CodeSecrets> {
    return new CodeSecrets(await this.#key());
  }

  #draft({ purpose, owner, to, channel, confirms }: CodeRequest, secrets: CodeSecrets): Draft {
    const [id, now] = [randomUUID(), this.#now()];
    const sealed = secrets.seal(id, { to: to ?? null, confirms });
    const mark = secrets.keyOf('confirms', JSON.stringify(confirms ?? null));
    const code = { id, channel, confirms: mark, issuedAt: now, expiresAt: now + codeLimits.lifeMs, tries: 0, sealed };
    return { key: secrets.keyOf('owner', owner), person: to?.userId ?? null, purpose, code };
  }

  /** Places a code with its owner's; gives the one that is there where another request was first. */
  async #place(draft: Draft): Promise<KeptCode> {
    const { key, code } = draft;
    let placed = code;
    await changeRecord<OwnersCodes>(this.#vault, { kind: CODE_KIND, key }, (record) => {
      const standing = standingFor(draft, record);
      placed = standing ?? code;
      const expiresAt = code.issuedAt + codeLimits.windowMs;
      return standing === undefined ? entryOfCodes(key, withCode(draft, record), expiresAt) : undefined;
    });
    return placed;
  }

  /** Takes a code away that could not be sent. */
  #withdraw({ key, purpose, code: { id, issuedAt } }: Draft): Promise<void> {
    return changeRecord<OwnersCodes>(this.#vault, { kind: CODE_KIND, key }, (record) => {
      const placed = record?.codes[purpose];
      if (record === undefined || placed?.id !== id) return undefined;
      const { [purpose]: _, ...codes } = record.codes;
      // One that was tried counts: else, while nothing can be sent, there would be tries without end.
      const issued = placed.tries > 0 ? record.issued : without(record.issued, issuedAt);
      return entryOfCodes(key, { ...record, issued, codes }, issuedAt + codeLimits.windowMs);
    });
  }

  #count(key: string, at: number): Promise<void> {
    return changeRecord<readonly number[]>(this.#vault, { kind: ADDRESS_KIND, key }, (requests) => {
      const recent = recentOf(requests ?? [], at, codeLimits.ofAddress);
      return { kind: ADDRESS_KIND, key, value: [...recent, at], expiresAt: at + codeLimits.windowMs };
    });
  }

  #uncount(key: string, at: number): Promise<void> {
    return changeRecord<readonly number[]>(this.#vault, { kind: ADDRESS_KIND, key }, (requests = []) => {
      if (!requests.includes(at)) return undefined;
      return { kind: ADDRESS_KIND, key, value: without(requests, at), expiresAt: at + codeLimits.windowMs };
    });
  }

  /** The record after a try, and what it redeemed. */
  #tried(record: OwnersCodes, { secrets, code, purposes }: Try): Tried {
    const now = this.#now();
    const live = purposes.flatMap((purpose) => {
      const kept = record.codes[purpose];
      return isLive(kept, now) ? [{ purpose, kept }] : [];
    });
    // All are compared, whichever is the one.
    const right = live.filter(({ purpose, kept }) => secrets.isCodeOf(purpose, kept.id, code));
    for (const { purpose, kept } of right) {
      const { to, confirms } = secrets.open(kept);
      if (to === null) continue;
      const codes = { ...record.codes, [purpose]: { ...kept, sealed: null } };
      return { tried: { ...record, codes }, redeemed: { purpose, userId: to.userId, confirms } };
    }
    const counted = live.map(({ purpose, kept }) => [purpose, withWrongTry(kept)] as const);
    return { tried: { ...record, codes: { ...record.codes, ...Object.fromEntries(counted) } }, redeemed: undefined };
  }
}

interface Try {
  readonly secrets: CodeSecrets;
  readonly code: string;
  readonly purposes: readonly Purpose[];
}

interface Tried {
  readonly tried: OwnersCodes;
  readonly redeemed: RedeemedCode | undefined;
}

/** The code that is sent already, where another one may not be sent yet. Throws the refusal where there were too many. */
const standingFor = ({ purpose, code }: Draft, { codes, issued } = noCodes): KeptCode | undefined => {
  const last = codes[purpose];
  // One that confirms another thing, a phone that was mistyped, is of no use to who asks now.
  const isSame = last?.confirms === code.confirms;
  if (last !== undefined && isSame && last.issuedAt + codeLimits.resendMs > code.issuedAt) return last;
  recentOf(issued, code.issuedAt, codeLimits.ofOwner);
  return undefined;
};

const withCode = ({ person, purpose, code }: Draft, record = noCodes): OwnersCodes => {
  // What names one user now may have named another: a record is erased with one, so it holds codes of one.
  const isAnothers = person !== null && record.person !== null && record.person !== person;
  return {
    person: person ?? record.person,
    issued: [...recentOf(record.issued, code.issuedAt, codeLimits.ofOwner), code.issuedAt],
    codes: { ...(isAnothers ? {} : record.codes), [purpose]: code },
  };
};

/** Those within the window. Throws the refusal where they are `most` already. */
const recentOf = (instants: readonly number[], now: number, most: number): readonly number[] => {
  const recent = instants.filter((at) => at > now - codeLimits.windowMs);
  const [first] = recent;
  if (first !== undefined && recent.length >= most) {
    throw new Refused('too-many-codes', Math.ceil((first + codeLimits.windowMs - now) / 1_000));
  }
  return recent;
};

/** Without one instant like it. */
const without = (instants: readonly number[], at: number): readonly number[] =>
  instants.toSpliced(instants.indexOf(at), 1);

const withWrongTry = (code: KeptCode): KeptCode => {
  const tries = code.tries + 1;
  return { ...code, tries, sealed: tries < codeLimits.tries ? code.sealed : null };
};

const answerOf = ({ channel, issuedAt, expiresAt }: KeptCode): IssuedCode => ({
  channel,
  expiresAt,
  resendAfter: issuedAt + codeLimits.resendMs,
});
