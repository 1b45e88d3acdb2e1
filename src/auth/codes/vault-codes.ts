// One-time codes in a vault. An unknown owner also gets a record, and a job that sends nothing. Neither the response
// nor the work behind it reveals whether the owner is known.
import { type KeyObject, randomUUID } from 'node:crypto';
import { changeRecord, type Vault } from '../../infrastructure/vault/vault.js';
import { Refused } from '../refused.js';
import {
  CODE_KIND,
  CodeSecrets,
  entryOfCodes,
  isLive,
  noCodes,
  type OwnersCodes,
  type StoredCode,
} from './code-records.js';
import type { Attempt, CodeRequest, Codes, IssuedCode, Purpose, RedeemedCode } from './codes.js';
import { entryOfUnsent, removeUnsent } from './unsent-codes.js';

/**
 * The limits on codes, in milliseconds: the lifetime of a code, the number of attempts from an address and from all
 * addresses, the time before another code is sent, and the number of codes within a window for an owner, a contact and
 * an address. An attacker therefore has 25 guesses per owner and hour from one address, and 250 from many.
 */
export const codeLimits = {
  lifeMs: 600_000,
  tries: 5,
  triesOfAll: 50,
  resendMs: 60_000,
  windowMs: 3_600_000,
  ofOwner: 5,
  ofContact: 5,
  ofAddress: 30,
} as const;

/** The records that count requests by something other than their owner. */
const counters = {
  address: { kind: 'code-address', max: codeLimits.ofAddress },
  contact: { kind: 'code-contact', max: codeLimits.ofContact },
} as const;

/** A request to count for an address or a contact. */
interface Counted {
  readonly by: keyof typeof counters;
  readonly key: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface VaultCodesOptions {
  readonly vault: Vault;
  /** Returns the key from which codes are derived. */
  readonly key: () => Promise<KeyObject>;
  /** Called when a message waits for the relay. */
  readonly onUnsent: () => void;
  /** Multiplies the number of codes allowed within a window; undefined: no limit. Default: 1. */
  readonly factor?: number | undefined;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** A new code and its place in the owner's record. */
interface Draft {
  readonly key: string;
  readonly person: string | null;
  readonly purpose: Purpose;
  readonly code: StoredCode;
}

/** Codes in a vault. The relay (relay.ts) turns each code into a job that sends it. */
export class VaultCodes implements Codes {
  readonly #vault: Vault;
  readonly #key: () => Promise<KeyObject>;
  readonly #onUnsent: () => void;
  readonly #factor: number;
  readonly #now: () => number;

  constructor({ vault, key, onUnsent, now = Date.now, ...options }: VaultCodesOptions) {
    this.#vault = vault;
    this.#key = key;
    this.#onUnsent = onUnsent;
    this.#factor = 'factor' in options ? (options.factor ?? Number.POSITIVE_INFINITY) : 1;
    this.#now = now;
  }

  async issue(request: CodeRequest): Promise<IssuedCode> {
    const secrets = await this.#secrets();
    const draft = this.#draft(request, secrets);
    const found = await this.#vault.get<OwnersCodes>({ kind: CODE_KIND, key: draft.key });
    const current = this.#currentFor(draft, found?.value);
    if (current !== undefined) return issuedCodeOf(current);
    const { id, issuedAt } = draft.code;
    const counted = countedBy(request, secrets, issuedAt);
    await this.#countAll(counted);
    const unsent = { record: draft.key, language: request.language, issuedAt };
    // Stored before the code, so that no code exists without its message.
    await this.#vault.insert(entryOfUnsent(id, unsent, draft.person));
    const placed = await this.#place(draft);
    if (placed.id !== id) {
      await Promise.all([removeUnsent(this.#vault, id), ...counted.map((each) => this.#uncount(each))]);
    }
    this.#onUnsent();
    return issuedCodeOf(placed);
  }

  async redeem(
    owner: string,
    code: string,
    purposes: readonly Purpose[],
    { address = '', accept = async () => {} }: Attempt = {},
  ): Promise<RedeemedCode> {
    const secrets = await this.#secrets();
    const key = secrets.keyOf('owner', owner);
    const attempt = { secrets, code, purposes, by: secrets.keyOf('address', address) };
    for (;;) {
      const found = await this.#vault.get<OwnersCodes>({ kind: CODE_KIND, key });
      const { tried, redeemed } = this.#tried(found?.value ?? noCodes, attempt);
      if (redeemed !== undefined) await accept(redeemed);
      // Writes even if there is no record or nothing changed: the work must not reveal whether the owner is known.
      const isStored = await this.#vault.replace(entryOfCodes(key, tried, found?.expiresAt), found?.version ?? 0);
      if (found === undefined || isStored) return mustBeRedeemed(redeemed);
    }
  }

  async cancel(owner: string, purpose: Purpose): Promise<void> {
    const key = (await this.#secrets()).keyOf('owner', owner);
    await changeRecord<OwnersCodes>(this.#vault, { kind: CODE_KIND, key }, (record, expiresAt) => {
      if (record?.codes[purpose] === undefined) return undefined;
      const { [purpose]: _, ...codes } = record.codes;
      return entryOfCodes(key, { ...record, codes }, expiresAt);
    });
  }

  async #secrets(): Promise<CodeSecrets> {
    return new CodeSecrets(await this.#key());
  }

  #draft({ purpose, owner, to, channel, confirms }: CodeRequest, secrets: CodeSecrets): Draft {
    const id = randomUUID();
    const now = this.#now();
    const sealed = secrets.seal(id, { to: to ?? null, confirms });
    const mark = secrets.keyOf('confirms', JSON.stringify(confirms ?? null));
    const code = { id, channel, confirms: mark, issuedAt: now, expiresAt: now + codeLimits.lifeMs, tries: 0, sealed };
    return { key: secrets.keyOf('owner', owner), person: to?.userId ?? null, purpose, code };
  }

  /** Stores a code in its owner's record. Returns the current code if another request stored one first. */
  async #place(draft: Draft): Promise<StoredCode> {
    const { key, code } = draft;
    let placed = code;
    await changeRecord<OwnersCodes>(this.#vault, { kind: CODE_KIND, key }, (record) => {
      const current = this.#currentFor(draft, record);
      placed = current ?? code;
      const expiresAt = code.issuedAt + codeLimits.windowMs;
      return current === undefined ? entryOfCodes(key, this.#withCode(draft, record), expiresAt) : undefined;
    });
    return placed;
  }

  // If a count is rejected, the earlier counts are taken back.
  async #countAll(counted: readonly Counted[]): Promise<void> {
    for (const [index, each] of counted.entries()) {
      await this.#count(each).catch(async (error: unknown) => {
        await Promise.all(counted.slice(0, index).map((before) => this.#uncount(before)));
        throw error;
      });
    }
  }

  #count({ by, key, at }: Counted): Promise<void> {
    const { kind, max } = counters[by];
    return changeRecord<readonly number[]>(this.#vault, { kind, key }, (requests) => {
      const recent = this.#recentOf(requests ?? [], at, max);
      return { kind, key, value: [...recent, at], expiresAt: at + codeLimits.windowMs };
    });
  }

  #uncount({ by, key, at }: Counted): Promise<void> {
    const { kind } = counters[by];
    return changeRecord<readonly number[]>(this.#vault, { kind, key }, (requests = []) => {
      if (!requests.includes(at)) return undefined;
      return { kind, key, value: without(requests, at), expiresAt: at + codeLimits.windowMs };
    });
  }

  /** Returns the current code if another code may not be sent yet. Throws `too-many-codes` at the limit. */
  #currentFor({ purpose, code }: Draft, { codes, issued } = noCodes): StoredCode | undefined {
    const last = codes[purpose];
    // A code that confirms another value, for example a mistyped phone, no longer helps the caller.
    const isSame = last?.confirms === code.confirms;
    if (last !== undefined && isSame && last.issuedAt + codeLimits.resendMs > code.issuedAt) return last;
    this.#recentOf(issued, code.issuedAt, codeLimits.ofOwner);
    return undefined;
  }

  #withCode({ person, purpose, code }: Draft, record = noCodes): OwnersCodes {
    // The same e-mail may have named another user before. A record is erased with its user, so it holds codes of only
    // one.
    const isOfAnotherUser = person !== null && record.person !== null && record.person !== person;
    return {
      person: person ?? record.person,
      issued: [...this.#recentOf(record.issued, code.issuedAt, codeLimits.ofOwner), code.issuedAt],
      codes: { ...(isOfAnotherUser ? {} : record.codes), [purpose]: code },
    };
  }

  /** Returns the timestamps within the window; none if there is no limit. Throws `too-many-codes` at the limit. */
  #recentOf(instants: readonly number[], now: number, max: number): readonly number[] {
    const limit = Math.max(1, Math.round(max * this.#factor));
    if (limit === Number.POSITIVE_INFINITY) return [];
    const recent = instants.filter((at) => at > now - codeLimits.windowMs);
    const [first] = recent;
    if (first !== undefined && recent.length >= limit) {
      throw new Refused('too-many-codes', Math.ceil((first + codeLimits.windowMs - now) / 1_000));
    }
    return recent;
  }

  /** Returns the record after an attempt, and the redeemed code if the attempt succeeded. */
  #tried(record: OwnersCodes, { secrets, code, purposes, by }: Try): Tried {
    const now = this.#now();
    const live = purposes.flatMap((purpose) => {
      const kept = record.codes[purpose];
      return isLive(kept, now) && triesIn(kept, by) < codeLimits.tries ? [{ purpose, kept }] : [];
    });
    // Compares all codes, so that the time does not reveal which one matched.
    const right = live.filter(({ purpose, kept }) => secrets.isCodeOf(purpose, kept.id, code));
    for (const { purpose, kept } of right) {
      const { to, confirms } = secrets.open(kept);
      if (to === null) continue;
      const codes = { ...record.codes, [purpose]: { ...kept, sealed: null } };
      return { tried: { ...record, codes }, redeemed: { purpose, userId: to.userId, confirms } };
    }
    const counted = live.map(({ purpose, kept }) => [purpose, withWrongTry(kept, by)] as const);
    return { tried: { ...record, codes: { ...record.codes, ...Object.fromEntries(counted) } }, redeemed: undefined };
  }
}

const mustBeRedeemed = (redeemed: RedeemedCode | undefined): RedeemedCode => {
  if (redeemed === undefined) throw new Refused('code-refused');
  return redeemed;
};

interface Try {
  readonly secrets: CodeSecrets;
  readonly code: string;
  readonly purposes: readonly Purpose[];
  /** The HMAC of the address. */
  readonly by: string;
}

interface Tried {
  readonly tried: OwnersCodes;
  readonly redeemed: RedeemedCode | undefined;
}

const countedBy = ({ address, contactSent }: CodeRequest, secrets: CodeSecrets, at: number): readonly Counted[] => [
  ...(address === undefined ? [] : [{ by: 'address' as const, key: secrets.keyOf('address', address), at }]),
  ...(contactSent === undefined ? [] : [{ by: 'contact' as const, key: secrets.keyOf('contact', contactSent), at }]),
];

/** Returns the timestamps without the first one that equals `at`. */
const without = (instants: readonly number[], at: number): readonly number[] =>
  instants.toSpliced(instants.indexOf(at), 1);

const triesIn = ({ triesOf = {} }: StoredCode, by: string): number => triesOf[by] ?? 0;

const withWrongTry = (code: StoredCode, by: string): StoredCode => {
  const tries = code.tries + 1;
  const triesOf = { ...code.triesOf, [by]: triesIn(code, by) + 1 };
  return { ...code, tries, triesOf, sealed: tries < codeLimits.triesOfAll ? code.sealed : null };
};

const issuedCodeOf = ({ channel, issuedAt, expiresAt }: StoredCode): IssuedCode => ({
  channel,
  expiresAt,
  resendAfter: issuedAt + codeLimits.resendMs,
});
