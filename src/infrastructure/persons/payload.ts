// Seals and opens the personal fields in the payload of an event. A sealed payload has null in place of each personal
// value, the salted digests of the values in the member `digests`, and the values in the member `sealed`. All values of
// an event share one ciphertext, because opening a ciphertext costs some microseconds.
import type { KeyObject } from 'node:crypto';
import { canonicalJson } from '../canonical-json.js';
import { type RecordedEvent, SEALED } from '../facts/facts.js';
import { decrypt, encrypt } from '../sealed/aes-gcm.js';
import { type Disclosure, digestOf, disclosureText, isDisclosed, newSalt } from './disclosure.js';
import {
  combine,
  type FieldPath,
  hasValues,
  isPayload,
  type Payload,
  type Separated,
  separate,
} from './personal-values.js';

/** The event of a payload. Sealed values can be opened only in their own event. */
export type Sealable = Pick<RecordedEvent, 'stream' | 'revision' | 'id' | 'type' | 'metadata'>;

/** The version of sealed payloads. The log is kept forever, so a program that adds a version opens all earlier ones. */
const VERSION = 2;

/** The other member that sealing adds. Payloads with personal fields must not have members with these names. */
const DIGESTS = 'digests';

export const separatePersonal = (data: unknown, paths: readonly FieldPath[]): Separated | undefined => {
  for (const name of [SEALED, DIGESTS]) {
    if (isPayload(data) && Object.hasOwn(data, name)) {
      throw new Error(`a payload with personal fields must not have a member "${name}"`);
    }
  }
  return separate(data, paths);
};

export const sealPayload = ({ open, values }: Separated, key: KeyObject, event: Sealable): Payload => {
  const salted = Object.entries(values).map(([pointer, value]) => ({ salt: newSalt(), pointer, value }));
  const digests = salted.map((each) => [each.pointer, digestOf(disclosureText(each))]);
  const bound = { ...open, [DIGESTS]: Object.fromEntries(digests) };
  const personal = Object.fromEntries(salted.map(({ salt, pointer, value }) => [pointer, [salt, value]]));
  const ciphertext = encrypt(key, JSON.stringify(personal), sealingContextOf(event, bound));
  return { ...bound, [SEALED]: textOf(VERSION, ciphertext) };
};

/** Returns whether a payload has a sealed part, intact or damaged. */
export const isSealed = (data: unknown): data is Payload => isPayload(data) && Object.hasOwn(data, SEALED);

/** Returns whether a payload has personal values, sealed or plain, or the digests of removed values. */
export const isPersonal = (data: unknown, paths: readonly FieldPath[]): data is Payload =>
  isSealed(data) || (isPayload(data) && Object.hasOwn(data, DIGESTS)) || (isPayload(data) && hasValues(data, paths));

/** Returns the payload with null in place of every personal value, without the members of sealing. */
export const withoutPersonal = (data: Payload, paths: readonly FieldPath[]): Payload => {
  const { [SEALED]: _, [DIGESTS]: __, ...open } = data;
  return separate(open, paths)?.open ?? open;
};

export const digestsIn = (data: Payload): Payload | undefined => {
  const digests = data[DIGESTS];
  return isPayload(digests) ? digests : undefined;
};

/**
 * Why the personal values of an event cannot be trusted. `plain`: a value is not sealed. `removed`: the sealed part is
 * missing, but its digests are there. `damaged`: the sealed part, or the event around it, was altered, moved, or sealed
 * with another key. `unknown-version`: this program does not know the version of the sealed part, which was altered or
 * written by a newer program.
 */
export type SealFault = 'plain' | 'removed' | 'damaged' | 'unknown-version';

/** Returns the fault that is visible without the key of the person; undefined if there is none. */
export const visibleFault = (data: Payload, paths: readonly FieldPath[]): SealFault | undefined => {
  if (hasValues(data, paths)) return 'plain';
  return !isSealed(data) && Object.hasOwn(data, DIGESTS) ? 'removed' : undefined;
};

/** Returns the payload of an event as it was before sealing, or the fault if it cannot be trusted. */
export const openPayload = (
  data: Payload,
  key: KeyObject,
  event: Sealable,
  paths: readonly FieldPath[],
): Payload | SealFault => {
  const fault = visibleFault(data, paths);
  if (fault !== undefined) return fault;
  const opened = openedPart(data, key, event);
  if (typeof opened === 'string') return opened;
  const { [SEALED]: _, [DIGESTS]: __, ...open } = data;
  return combine(open, Object.fromEntries(opened.map(({ pointer, value }) => [pointer, value]))) ?? 'damaged';
};

/** Returns the disclosures of the personal values of an event. Returns none if the values cannot be opened. */
export const disclosuresOf = (data: Payload, key: KeyObject, event: Sealable): readonly Disclosure[] => {
  const opened = openedPart(data, key, event);
  return typeof opened === 'string' ? [] : opened;
};

const openedPart = (data: Payload, key: KeyObject, event: Sealable): readonly Disclosure[] | SealFault => {
  const { [SEALED]: text, ...bound } = data;
  const bytes = bytesOf(text);
  if (bytes === undefined) return 'damaged';
  if (bytes[0] !== VERSION) return 'unknown-version';
  const plain = decrypt(key, bytes.subarray(1), sealingContextOf(event, bound));
  if (plain === undefined) return 'damaged';
  const salted = JSON.parse(plain.toString()) as Readonly<Record<string, readonly [salt: string, value: unknown]>>;
  const disclosures = Object.entries(salted).map(([pointer, [salt, value]]) => ({ salt, pointer, value }));
  const digests = data[DIGESTS];
  const areConfirmed =
    isPayload(digests) &&
    Object.keys(digests).length === disclosures.length &&
    disclosures.every((disclosure) => isDisclosed(disclosure, digests));
  return areConfirmed ? disclosures : 'damaged';
};

/**
 * Returns what binds a ciphertext to its event: the event without what is sealed, and without the position, which is
 * known only after the append. Engines may change the case of an id.
 */
export const sealingContextOf = ({ stream, revision, id, type, metadata }: Sealable, data: unknown): string =>
  canonicalJson({ stream, revision, id: id.toLowerCase(), type, metadata, data });

/** Returns a ciphertext behind the byte of its version, in base64url. */
export const textOf = (version: number, ciphertext: Buffer): string =>
  Buffer.concat([Buffer.of(version), ciphertext]).toString('base64url');

/** Returns the version and the ciphertext. Returns undefined unless the value is the canonical encoding of some bytes. */
export const bytesOf = (value: unknown): Buffer | undefined => {
  const bytes = Buffer.from(String(value), 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === value ? bytes : undefined;
};
