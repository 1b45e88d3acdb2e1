// One-time codes: digits sent to a contact, which prove that the contact belongs to the user who redeems them. An
// unknown owner also gets a record, and a job that sends nothing. Neither the response nor the work behind it reveals
// whether the owner is known.
import { randomUUID } from 'node:crypto';
import type { AllStores } from '../../infrastructure/stores.js';
import { changeRecord, type Vault } from '../../infrastructure/vault/vault.js';
import { Waits } from '../../infrastructure/waits.js';
import { Refused } from '../refused.js';
import {
  type Addressee,
  CODE_KIND,
  type CodeSecrets,
  endOf,
  entryOfCodes,
  longestOf,
  noCodes,
  type OwnersCodes,
  type StoredCode,
  secretsOf,
} from './code-records.js';
import { type Counter, codeLimits, lifeMsOf, Quotas } from './limits.js';
import type { Channel, Language, Purpose } from './texts.js';
import { mustBeRedeemed, type RedeemedCode, triedAt } from './tries.js';
import { entryOfMessage, type Notice, removeMessage } from './waiting-messages.js';

export interface CodeRequest {
  readonly purpose: Purpose;
  /** The owner as the request names them, known or unknown. Requests are counted per owner. */
  readonly owner: string;
  /**
   * Undefined if the owner is unknown or has no such contact. In that case no message is sent, but the response is the
   * same.
   */
  readonly to: Addressee | undefined;
  readonly channel: Channel;
  readonly language: Language;
  /** The IP address of the client. Requests are also counted per address; if absent, they are not. */
  readonly address?: string;
  /** The contact in the request, if it differs from the owner. Messages are also counted per contact. */
  readonly contactSent?: string;
  /** The value that redeeming the code confirms, as JSON. It is stored sealed. */
  readonly confirms?: unknown;
}

export type CodeRequester = Pick<CodeRequest, 'language' | 'address'>;

/** An issued code as responses show it. Timestamps are epoch milliseconds. */
export interface IssuedCode {
  readonly channel: Channel;
  /** The earliest end of the code: its lifetime begins when a server accepts its message. */
  readonly expiresAt: number;
  /**
   * The time after which another code can be sent. An earlier request that confirms the same value returns the same
   * response and sends nothing.
   */
  readonly resendAfter: number;
}

interface Attempt {
  /** The IP address of the client. Attempts are counted per address, so that nobody uses up those of the owner. */
  readonly address?: string;
  /**
   * Checks a redemption before the code is used up. If the promise rejects, `redeem` rejects with the same error and
   * the code stays valid. Called again if another process changes the record of the code in the meantime.
   */
  readonly accept?: (redeemed: RedeemedCode) => Promise<void>;
}

interface Draft {
  readonly key: string;
  readonly person: string | null;
  readonly purpose: Purpose;
  readonly code: StoredCode;
}

interface CodesOptions extends Pick<AllStores, 'vault' | 'serviceKey'> {
  readonly onUnsent: () => void;
  /** Multiplies the number of codes allowed within a window. Default: 1. */
  readonly factor?: number | undefined;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** Issues and redeems one-time codes. Calls reject with `StoreUnavailable` while the vault is unavailable. */
export class Codes {
  readonly #vault: Vault;
  readonly #secrets: () => Promise<CodeSecrets>;
  readonly #onUnsent: () => void;
  readonly #quotas: Quotas;
  readonly #now: () => number;
  readonly #waits = new Waits();

  constructor({ vault, serviceKey, onUnsent, factor = 1, now = Date.now }: CodesOptions) {
    this.#vault = vault;
    this.#secrets = () => secretsOf(serviceKey);
    this.#onUnsent = onUnsent;
    this.#quotas = new Quotas(vault, factor);
    this.#now = now;
  }

  /**
   * Issues a code, which voids the owner's earlier code for the same purpose. The message is stored before the promise
   * resolves, so it is sent even if the queue is unavailable or the process ends. Rejects with `too-many-codes` if the
   * owner, the contact or the address has requested too many codes.
   */
  async issue(request: CodeRequest): Promise<IssuedCode> {
    const secrets = await this.#secrets();
    const draft = this.#draft(request, secrets);
    const { key, person, code } = draft;
    const found = await this.#vault.get<OwnersCodes>({ kind: CODE_KIND, key });
    const current = this.#currentFor(draft, found?.value);
    if (current !== undefined) return this.#shown(current, draft);
    const counters = countersOf(request, secrets);
    await this.#quotas.count(counters, code.issuedAt);
    const message = { record: key, language: request.language, at: code.issuedAt };
    // Stored before the code, so that no code exists without its message.
    await this.#vault.insert(entryOfMessage(code.id, message, person));
    const takeBack = () =>
      Promise.all([removeMessage(this.#vault, code.id), this.#quotas.uncount(counters, code.issuedAt)]);
    const placed = await this.#place(draft).catch(async (error: unknown) => {
      // After any other error the code may be stored, and needs its message.
      if (error instanceof Refused) await takeBack();
      throw error;
    });
    if (placed.id !== code.id) await takeBack();
    this.#onUnsent();
    return this.#shown(placed, draft);
  }

  /** Issues a code as `issue` does, but resolves if a quota withholds the message. Returns whether that is so. */
  async issueUnlessWithheld(request: CodeRequest): Promise<boolean> {
    try {
      await this.issue(request);
      return false;
    } catch (error) {
      if (error instanceof Refused && error.code === 'too-many-codes') return true;
      throw error;
    }
  }

  /**
   * Stores a notice before its change is recorded. Returns the function that removes the notice. If its request is
   * interrupted, the relay has its codes issued a minute later.
   */
  async keepNotice(notice: Notice): Promise<() => Promise<void>> {
    const id = randomUUID();
    await this.#vault.insert(entryOfMessage(id, { ...notice, at: this.#now() }, notice.userId));
    return async () => {
      await removeMessage(this.#vault, id);
    };
  }

  /**
   * Redeems an owner's code for one of these purposes. Rejects with `code-refused` if the code is wrong, has expired,
   * was already redeemed, or was attempted too often, by anybody or from this address. The error does not reveal which.
   */
  async redeem(
    owner: string,
    code: string,
    purposes: readonly Purpose[],
    { address = '', accept = async () => {} }: Attempt = {},
  ): Promise<RedeemedCode> {
    const secrets = await this.#secrets();
    const key = secrets.keyOf('owner', owner);
    const lifeLeft = this.#lifeLeft.bind(this);
    const attempt = { secrets, code, purposes, by: secrets.keyOf('address', address), lifeLeft };
    for (;;) {
      const found = await this.#vault.get<OwnersCodes>({ kind: CODE_KIND, key });
      const { tried, redeemed } = triedAt(this.#now(), found?.value ?? noCodes, attempt);
      if (redeemed !== undefined) await accept(redeemed);
      // Writes even if there is no record or nothing changed: the work must not reveal whether the owner is known.
      const isStored = await this.#vault.replace(entryOfCodes(key, tried), found?.version ?? 0);
      if (found === undefined || isStored) return mustBeRedeemed(redeemed);
    }
  }

  async cancel(owner: string, purpose: Purpose): Promise<void> {
    const key = (await this.#secrets()).keyOf('owner', owner);
    await changeRecord<OwnersCodes>(this.#vault, { kind: CODE_KIND, key }, (record) => {
      if (record?.codes[purpose] === undefined) return undefined;
      const { [purpose]: _, ...codes } = record.codes;
      return entryOfCodes(key, { ...record, codes });
    });
  }

  #draft({ purpose, owner, to, channel, confirms }: CodeRequest, secrets: CodeSecrets): Draft {
    const id = randomUUID();
    const now = this.#now();
    const sealed = secrets.seal(id, { to: to ?? null, confirms });
    const mark = secrets.keyOf('confirms', JSON.stringify(confirms ?? null));
    const expiresAt = now + lifeMsOf(purpose);
    const code = { id, channel, confirms: mark, issuedAt: now, expiresAt, tries: 0, sealed };
    return { key: secrets.keyOf('owner', owner), person: to?.userId ?? null, purpose, code };
  }

  /** Stores a code in its owner's record. Returns the current code if another request stored one first. */
  async #place(draft: Draft): Promise<StoredCode> {
    const { key, person, purpose, code } = draft;
    let placed = code;
    await changeRecord<OwnersCodes>(this.#vault, { kind: CODE_KIND, key }, (record = noCodes) => {
      placed = this.#currentFor(draft, record) ?? code;
      if (placed !== code) return undefined;
      // The same e-mail may have named another user before. A record is erased with its user, so it holds codes of only
      // one.
      const isOfAnotherUser = person !== null && record.person !== null && record.person !== person;
      const value = {
        person: person ?? record.person,
        issued: [...this.#quotas.recentOf(key, record.issued, code.issuedAt, codeLimits.ofOwner), code.issuedAt],
        codes: { ...(isOfAnotherUser ? {} : record.codes), [purpose]: code },
      };
      return entryOfCodes(key, value);
    });
    return placed;
  }

  /** Returns the current code if another code may not be sent yet. Throws `too-many-codes` at the limit. */
  #currentFor({ key, purpose, code }: Draft, { codes, issued } = noCodes): StoredCode | undefined {
    const last = codes[purpose];
    // A code that confirms another value, for example a mistyped phone, no longer helps the caller.
    const isSame = last?.confirms === code.confirms;
    if (last !== undefined && isSame && this.#resendLeft(last, code.issuedAt) > 0) return last;
    this.#quotas.recentOf(key, issued, code.issuedAt, codeLimits.ofOwner);
    return undefined;
  }

  #resendLeft({ id, issuedAt }: StoredCode, now: number): number {
    const { resendMs } = codeLimits;
    return this.#waits.left(`resend ${id} ${issuedAt}`, issuedAt + resendMs, resendMs, now);
  }

  #lifeLeft(purpose: Purpose, code: StoredCode, now: number): number {
    const end = endOf(purpose, code);
    return this.#waits.left(`life ${code.id} ${end}`, end, longestOf(purpose, code), now);
  }

  /** Returns a code as responses show it. The times of a code from a clock that was ahead count from now. */
  #shown(kept: StoredCode, { purpose, code: { issuedAt: now } }: Draft): IssuedCode {
    const { channel, issuedAt } = kept;
    const left = this.#resendLeft(kept, now);
    // Starts to count the life, in case the clock is set back.
    this.#lifeLeft(purpose, kept, now);
    const since = issuedAt > now ? Math.ceil(now + left) - codeLimits.resendMs : issuedAt;
    // The end of the code would show whether a server accepted its message, so whether the owner is known.
    return { channel, expiresAt: since + lifeMsOf(purpose), resendAfter: since + codeLimits.resendMs };
  }
}

const countersOf = ({ address, contactSent }: CodeRequest, secrets: CodeSecrets): readonly Counter[] => [
  ...(address === undefined ? [] : [{ kind: 'code-address', key: secrets.keyOf('address', address) } as const]),
  ...(contactSent === undefined ? [] : [{ kind: 'code-contact', key: secrets.keyOf('contact', contactSent) } as const]),
];
