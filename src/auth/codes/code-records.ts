// The one-time codes of an owner in the vault. All codes of an owner share one record, so that one compare-and-set
// decides a request or an attempt. Neither the vault nor the job queue holds a code: a code is an HMAC of its random id
// under a service key, which the master key wraps. A stolen hash of six digits could be reversed by trying a million
// values; a stolen id is useless without the key. The contact and the confirmed value are sealed under a key derived
// from the same service key.
import { createHash, createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { STORES, StoreUnavailable } from '../../infrastructure/errors.js';
import { decrypt, encrypt } from '../../infrastructure/sealed/aes-gcm.js';
import type { AllStores } from '../../infrastructure/stores.js';
import { changeRecord, type Vault, type VaultEntry } from '../../infrastructure/vault/vault.js';
import { codeLimits, lifeMsOf, waitMsOf } from './limits.js';
import { type Channel, type Purpose, purposes } from './texts.js';

// An account is a better target than a contact, so its codes have two more digits.
const DIGITS: Readonly<Record<Purpose, number>> = {
  activation: 6,
  'phone-change': 6,
  'password-reset': 8,
  'account-created': 8,
  'email-change': 6,
  'email-changed': 8,
};

/** A stored code. Timestamps are epoch milliseconds. */
export interface StoredCode {
  /** A random id, from which the code is derived. Also the id of the code's message. */
  readonly id: string;
  readonly channel: Channel;
  /** The HMAC of the value that the code confirms. */
  readonly confirms: string;
  readonly issuedAt: number;
  /** When the code expires once its message was sent. `endOf` says when it expires until then. */
  readonly expiresAt: number;
  readonly tries: number;
  /** The number of wrong attempts by the HMAC of their address. Default: none. */
  readonly triesOf?: Readonly<Record<string, number>>;
  /** The sealed `CodeContent`; null once the code is used up. */
  readonly sealed: string | null;
  /** Whether a server accepted the message. Default: false. */
  readonly isSent?: boolean;
}

/** A user, and the user's contact: an e-mail address, or a phone number in E.164. */
export interface Addressee {
  readonly userId: string;
  readonly contact: string;
}

/** The sealed content of a code. If `to` is null, no message is sent and the code cannot be redeemed. */
interface CodeContent {
  readonly to: Addressee | null;
  readonly confirms?: unknown;
}

export interface OwnersCodes {
  /** The user who owns the codes, and with whom they are erased; null if the owner is unknown. */
  readonly person: string | null;
  /** When codes were issued in the last hour, oldest first. */
  readonly issued: readonly number[];
  readonly codes: Readonly<Partial<Record<Purpose, StoredCode>>>;
}

export const noCodes: OwnersCodes = { person: null, issued: [], codes: {} };

export const CODE_KIND = 'code';

/** Returns the vault entry of an owner's codes. It expires when its codes and its count of requests have expired. */
export const entryOfCodes = (key: string, value: OwnersCodes): VaultEntry => ({
  ...{ kind: CODE_KIND, key, value },
  expiresAt: Math.max(
    (value.issued.at(-1) ?? 0) + codeLimits.windowMs,
    ...codesIn(value).map(({ purpose, code }) => endOf(purpose, code)),
  ),
  subject: value.person ?? undefined,
});

/** Returns the longest life that a code has from now on. Its lifetime begins when a server accepts its message. */
export const longestOf = (purpose: Purpose, { isSent = false }: StoredCode): number =>
  isSent ? lifeMsOf(purpose) : waitMsOf(purpose);

/** Returns when a code expires. */
export const endOf = (purpose: Purpose, code: StoredCode): number =>
  code.isSent ? code.expiresAt : code.issuedAt + waitMsOf(purpose);

/** Returns whether a code can still be sent and redeemed. */
export const isLive = (
  purpose: Purpose,
  code: StoredCode,
  now: number,
): code is StoredCode & { readonly sealed: string } => code.sealed !== null && endOf(purpose, code) > now;

/** Returns a code whose message a server accepted. The first message begins the life of a code that has not expired. */
export const accepted = (purpose: Purpose, code: StoredCode, now: number): StoredCode =>
  code.isSent || !isLive(purpose, code, now) ? code : { ...code, isSent: true, expiresAt: now + lifeMsOf(purpose) };

const codesIn = ({ codes }: OwnersCodes) =>
  purposes.flatMap((purpose) => {
    const code = codes[purpose];
    return code === undefined ? [] : [{ purpose, code }];
  });

/** Returns the code with an id, and its purpose; undefined if the code was replaced, expired or was erased. */
export const codeIn = (record: OwnersCodes | undefined, id: string) =>
  codesIn(record ?? noCodes).find(({ code }) => code.id === id);

/** Changes the code with an id in its owner's record. Does nothing if the code no longer exists. */
export const changeCode = (
  vault: Vault,
  { record, id }: { readonly record: string; readonly id: string },
  change: (code: StoredCode) => StoredCode,
): Promise<void> =>
  changeRecord<OwnersCodes>(vault, { kind: CODE_KIND, key: record }, (value) => {
    const found = codeIn(value, id);
    if (value === undefined || found === undefined) return undefined;
    const codes = { ...value.codes, [found.purpose]: change(found.code) };
    return entryOfCodes(record, { ...value, codes });
  });

export const secretsOf = async (serviceKey: AllStores['serviceKey']): Promise<CodeSecrets> =>
  new CodeSecrets(await serviceKey('codes'));

export class CodeSecrets {
  readonly #key: KeyObject;
  readonly #sealing: KeyObject;

  constructor(key: KeyObject) {
    this.#key = key;
    this.#sealing = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'the content of a one-time code', 32)));
  }

  /** Returns the vault key of an owner, an address, a contact or a confirmed value. */
  keyOf(kind: 'owner' | 'address' | 'contact' | 'confirms', value: string): string {
    return this.#hmac(kind, value).toString('hex');
  }

  /** Returns the code of an id. The bias of the modulo over 2^48 numbers is below one in two million. */
  codeOf(purpose: Purpose, id: string): string {
    const digits = DIGITS[purpose];
    const number = this.#hmac('code', id).readUIntBE(0, 6) % 10 ** digits;
    return `${number}`.padStart(digits, '0');
  }

  /** Returns whether a code belongs to an id. Compares in constant time. */
  isCodeOf(purpose: Purpose, id: string, code: string): boolean {
    return timingSafeEqual(sha256(code), sha256(this.codeOf(purpose, id)));
  }

  seal(id: string, content: CodeContent): string {
    return encrypt(this.#sealing, JSON.stringify(content), id).toString('base64');
  }

  /** Returns the content that `seal` sealed. Throws `StoreUnavailable` if the record was altered. */
  open({ id, sealed }: { readonly id: string; readonly sealed: string }): CodeContent {
    const opened = decrypt(this.#sealing, Buffer.from(sealed, 'base64'), id);
    if (opened === undefined) throw new StoreUnavailable(STORES.vault, `the one-time code ${id} was altered`);
    return JSON.parse(opened.toString()) as CodeContent;
  }

  #hmac(...parts: readonly string[]): Buffer {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest();
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
