// The Ed25519 keys that sign checkpoints, and nothing else. One vault record lists them, newest first.
import type { KeyObject } from 'node:crypto';
import { canonicalJson } from '../infrastructure/canonical-json.js';
import { decrypt, encrypt } from '../infrastructure/sealed/aes-gcm.js';
import { SealedKeyList } from '../infrastructure/sealed/sealed-keys.js';
import type { AllStores } from '../infrastructure/stores.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { emptyRoot, type Hash, type Tree } from './merkle.js';
import { isSignedBy, type LogCheckpoint, parsedCheckpoint, parsedNote, verifierKey, verifierOf } from './note.js';

export interface LogKey {
  /** The log whose checkpoints the key signs. */
  readonly origin: string;
  /** The verifier key (C2SP signed-note). */
  readonly verifierKey: string;
  /** An ISO 8601 timestamp. */
  readonly madeAt: string;
  /** The private key (PKCS #8), sealed with a service key; null once the key has signed for the last time. */
  readonly sealed: string | null;
  /** The newest tree that the key has signed. */
  readonly signed: BoundTree;
  /** Proves that the service stored the key and `signed`: this text cannot be made without a master key. */
  readonly voucher: string;
}

/** A tree in the record of a key; `root` is base64. */
interface BoundTree {
  readonly size: number;
  readonly root: string;
}

/** The vault of the keys, and the service key that seals them. */
export type LogKeyStores = Pick<AllStores, 'vault' | 'serviceKey'> & Partial<Pick<AllStores, 'judge'>>;

export type LogStores = LogKeyStores & { readonly sealedFacts: Pick<AllStores['sealedFacts'], 'head' | 'readLog'> };

const SEALED_WITH = 'log-keys';
const list = new SealedKeyList<LogKey>('log-key', { kind: 'log-key', key: 'keys' });

/** Returns all keys that ever signed, newest first. */
export const logKeys = (vault: Vault): Promise<readonly LogKey[]> => list.list(vault);

/** Returns the keys of a log, newest first. */
export const keysOf = async (vault: Vault, origin: string): Promise<readonly LogKey[]> =>
  (await logKeys(vault)).filter((key) => key.origin === origin);

/** Creates the first key of a log, unless the log has a key. */
export const makeFirstKey = async (stores: LogKeyStores, origin: string): Promise<void> => {
  const made = await newLogKey(stores, origin);
  await list.change(stores.vault, (keys) => (keys.some((key) => key.origin === origin) ? undefined : [made, ...keys]));
};

/** Adds a key, which signs from now on. The previous key signs the next checkpoint, too, and then retires. */
export const addKey = (vault: Vault, made: LogKey): Promise<void> => list.change(vault, (keys) => [made, ...keys]);

/**
 * Binds a tree to the keys that have signed it, and removes the private keys of all of them except the newest. Without
 * the tree in these records, an attacker who removes the state of the log could make a key sign another tree.
 */
export const bindTree = async (
  { vault, serviceKey }: LogKeyStores,
  signers: readonly LogKey[],
  { size, root }: Tree,
): Promise<void> => {
  const key = await serviceKey(SEALED_WITH);
  const bound = (known: LogKey): LogKey => {
    const place = signers.findIndex(({ verifierKey }) => verifierKey === known.verifierKey);
    if (place < 0) return known;
    // Another worker may have signed a larger tree.
    const signed = known.signed.size > size ? known.signed : { size, root: toText(root) };
    return vouched(key, { ...known, sealed: place === 0 ? known.sealed : null, signed });
  };
  await list.change(vault, (keys) => keys.map(bound));
};

export const boundTrees = (keys: readonly LogKey[]): readonly Tree[] =>
  keys.map(({ signed: { size, root } }) => ({ size, root: Buffer.from(root, 'base64') }));

/** Returns the number of events that the newest checkpoint of these keys covers at least. */
export const boundSize = (keys: readonly LogKey[]): number => Math.max(0, ...keys.map(({ signed }) => signed.size));

/** Removes all private keys of a log that has ended. */
export const retireKeys = (vault: Vault, origin: string): Promise<void> =>
  list.change(vault, (keys) => keys.map((key) => (key.origin === origin ? { ...key, sealed: null } : key)));

/** Creates a key for a log, without storing it. `signed` is the newest tree that the previous key has signed. */
export const newLogKey = async (
  { serviceKey }: LogKeyStores,
  origin: string,
  signed: BoundTree = { size: 0, root: toText(emptyRoot()) },
): Promise<LogKey> => {
  const key = await serviceKey(SEALED_WITH);
  const { name, sealed } = await list.make(key, (publicKey) => verifierKey(origin, publicKey));
  return vouched(key, { origin, verifierKey: name, madeAt: new Date().toISOString(), sealed, signed });
};

/** Returns the private keys that sign. Rejects with `StoreUnavailable` if one of them was altered. */
export const openKeys = async (
  { serviceKey }: LogKeyStores,
  keys: readonly LogKey[],
): Promise<readonly KeyObject[]> => {
  const key = await serviceKey(SEALED_WITH);
  return keys.flatMap(({ verifierKey: name, sealed }) => (sealed === null ? [] : [list.open(key, { name, sealed })]));
};

/**
 * Returns the keys that the service stored as they are. An attacker who can write to the vault but has no master key
 * can add a key that signs a rewritten log, or change the tree of a key, but cannot make the voucher.
 */
export const vouchedKeys = async (
  { serviceKey }: Pick<LogKeyStores, 'serviceKey'>,
  keys: readonly LogKey[],
): Promise<readonly LogKey[]> => {
  if (keys.length === 0) return [];
  const key = await serviceKey(SEALED_WITH);
  return keys.filter(
    (each) => decrypt(key, Buffer.from(String(each.voucher), 'base64'), voucherContextOf(each)) !== undefined,
  );
};

/** Returns the checkpoint of a note; undefined unless one of the keys of its log has signed the note. */
export const verifiedCheckpoint = (text: string, keys: readonly LogKey[]): LogCheckpoint | undefined => {
  const note = parsedNote(text);
  const checkpoint = note && parsedCheckpoint(note.text);
  const isSigned = keys.some(({ origin, verifierKey }) => {
    const verifier = origin === checkpoint?.origin ? verifierOf(verifierKey) : undefined;
    return note !== undefined && verifier !== undefined && isSignedBy(note, verifier);
  });
  return isSigned ? checkpoint : undefined;
};

const vouched = (key: KeyObject, made: Omit<LogKey, 'voucher'>): LogKey => ({
  ...made,
  voucher: encrypt(key, '', voucherContextOf(made)).toString('base64'),
});

const voucherContextOf = ({ verifierKey, signed }: Omit<LogKey, 'voucher'>): string =>
  `log-key voucher ${verifierKey} ${canonicalJson(signed)}`;
const toText = (root: Hash): string => root.toString('base64');
