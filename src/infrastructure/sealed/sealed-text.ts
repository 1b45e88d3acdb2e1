// Text about one or more persons, sealed so that opening it requires the keys of all of them. Erasing one of the
// persons makes the text unreadable in every copy.
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { STORES, StoreUnavailable } from '../errors.js';
import { decrypt, encrypt } from './aes-gcm.js';

export type PersonKeys = (persons: readonly string[]) => Promise<ReadonlyMap<string, KeyObject>>;

export interface SealedText {
  /** The ids of the persons, in the order in which their keys are joined. */
  readonly persons: readonly string[];
  readonly sealed: string;
}

/** Seals a text about persons, bound to `context`. Returns undefined if one of the persons has no key. */
export const sealText = async (
  keys: PersonKeys,
  subjects: readonly string[],
  text: string,
  context: string,
): Promise<SealedText | undefined> => {
  const persons = [...new Set(subjects)];
  const key = await jointKey(keys, persons);
  return key && { persons, sealed: encrypt(key, text, context).toString('base64') };
};

/** Returns undefined if a person was erased. Rejects with `StoreUnavailable` if the text was altered or moved. */
export const openText = async (
  keys: PersonKeys,
  { persons, sealed }: SealedText,
  context: string,
): Promise<string | undefined> => {
  const key = await jointKey(keys, persons);
  if (key === undefined) return undefined;
  const text = decrypt(key, Buffer.from(sealed, 'base64'), context);
  if (text === undefined) throw new StoreUnavailable(STORES.vault, `the sealed record ${context} was altered`);
  return text.toString();
};

const jointKey = async (keys: PersonKeys, persons: readonly string[]): Promise<KeyObject | undefined> => {
  if (persons.length === 0) throw new Error('a sealed text must name at least one person');
  const found = await keys(persons);
  const parts = persons.flatMap((person) => found.get(person)?.export() ?? []);
  if (parts.length < persons.length) return undefined;
  return createSecretKey(Buffer.from(hkdfSync('sha256', Buffer.concat(parts), '', 'a text about persons', 32)));
};
