// What the vault holds of an owner's one-time codes: one record, so that one compare-and-set decides a request or a try.
// Neither it nor the job queue holds a code: a code follows from the random id of its making by an HMAC under a key of the
// service, which the master key wraps. Of a hash of six digits all million would be tried at once; the id tells nothing
// without that key. Where a code goes, and what it confirms, is sealed under a key that is derived from the same one.
import { createHash, createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { StoreUnavailable } from '../../infrastructure/errors.js';
import { decrypt, encrypt } from '../../infrastructure/sealing/aes-gcm.js';
import { changeRecord, type Vault, type VaultEntry } from '../../infrastructure/vault/vault.js';
import { type Channel, type CodeRequest, type Purpose, purposes } from './codes.js';

// An account is worth more guesses than a contact: of its resets a hundredth as many go right.
const DIGITS: Readonly<Record<Purpose, number>> = {
  activation: 6,
  'phone-change': 6,
  'password-reset': 8,
  'account-created': 8,
  'email-change': 6,
  'email-changed': 8,
};

/** A code as it is kept; instants in epoch milliseconds. */
export interface StoredCode {
  /** Random; the code follows from it, and the id of its message is this. */
  readonly id: string;
  readonly channel: Channel;
  /** What it confirms, as an HMAC. */
  readonly confirms: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** How often a wrong one was tried. */
  readonly tries: number;
  /** A `CodeContent`; null once the code is spent. */
  readonly sealed: string | null;
  /** Whether its message was sent; absent: not yet. */
  readonly isSent?: boolean;
}

/** What of a code is sealed; where `to` is null nothing is sent, and nothing redeems it. */
export interface CodeContent {
  readonly to: NonNullable<CodeRequest['to']> | null;
  readonly confirms?: unknown;
}

/** The codes of an owner. */
export interface OwnersCodes {
  /** The user that they are of, with whom they are erased; null where the owner is nobody. */
  readonly person: string | null;
  /** When codes were made in the last hour, the first one first. */
  readonly issued: readonly number[];
  readonly codes: Readonly<Partial<Record<Purpose, StoredCode>>>;
}

/** The owner of whom the vault holds nothing. */
export const noCodes: OwnersCodes = { person: null, issued: [], codes: {} };

/** The kind of the records of owners. */
export const CODE_KIND = 'code';

/** The entry of an owner's record. */
export const entryOfCodes = (key: string, value: OwnersCodes, expiresAt: number | undefined): VaultEntry => ({
  ...{ kind: CODE_KIND, key, value, expiresAt },
  subject: value.person ?? undefined,
});

/** Whether a code may still be sent and redeemed. */
export const isLive = (code: StoredCode | undefined, now: number): code is StoredCode & { readonly sealed: string } =>
  code !== undefined && code.sealed !== null && code.expiresAt > now;

/** Finds the code of an id, and what it is for; undefined if the code was replaced, expired or was erased. */
export const codeOf = (
  record: OwnersCodes | undefined,
  id: string,
): { readonly purpose: Purpose; readonly code: StoredCode } | undefined =>
  purposes
    .flatMap((purpose) => {
      const code = record?.codes[purpose];
      return code === undefined ? [] : [{ purpose, code }];
    })
    .find(({ code }) => code.id === id);

/** Changes the code of an id in its owner's record; changes nothing if the code is not there any more. */
export const changeCode = (
  vault: Vault,
  { record, id }: { readonly record: string; readonly id: string },
  change: (code: StoredCode) => StoredCode,
): Promise<void> =>
  changeRecord<OwnersCodes>(vault, { kind: CODE_KIND, key: record }, (value, expiresAt) => {
    const found = codeOf(value, id);
    if (value === undefined || found === undefined) return undefined;
    const codes = { ...value.codes, [found.purpose]: change(found.code) };
    return entryOfCodes(record, { ...value, codes }, expiresAt);
  });

/** What follows from the service's key of codes. */
export class CodeSecrets {
  readonly #key: KeyObject;
  readonly #sealing: KeyObject;

  constructor(key: KeyObject) {
    this.#key = key;
    this.#sealing = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'the content of a one-time code', 32)));
  }

  /** What an owner, an address or what a code confirms is known by in the vault. */
  keyOf(what: 'owner' | 'address' | 'contact' | 'confirms', value: string): string {
    return this.#hmac(what, value).toString('hex');
  }

  /** The code of an id. Of 2^48 numbers, all codes have the same share to within a two millionth. */
  codeOf(purpose: Purpose, id: string): string {
    const digits = DIGITS[purpose];
    const number = this.#hmac('code', id).readUIntBE(0, 6) % 10 ** digits;
    return `${number}`.padStart(digits, '0');
  }

  /** Whether it is the code of an id, in a time that tells nothing of it. */
  isCodeOf(purpose: Purpose, id: string, code: string): boolean {
    return timingSafeEqual(sha256(code), sha256(this.codeOf(purpose, id)));
  }

  /** Seals what belongs to the code of an id. */
  seal(id: string, content: CodeContent): string {
    return encrypt(this.#sealing, JSON.stringify(content), id).toString('base64');
  }

  /** What `seal` sealed. Throws `StoreUnavailable` where the record was altered. */
  open({ id, sealed }: { readonly id: string; readonly sealed: string }): CodeContent {
    const opened = decrypt(this.#sealing, Buffer.from(sealed, 'base64'), id);
    if (opened === undefined) throw new StoreUnavailable('the vault', `the one-time code ${id} was altered`);
    return JSON.parse(opened.toString()) as CodeContent;
  }

  #hmac(...of: readonly string[]): Buffer {
    return createHmac('sha256', this.#key).update(JSON.stringify(of)).digest();
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
