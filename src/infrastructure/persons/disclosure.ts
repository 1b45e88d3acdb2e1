// Salted digests of personal values, as in SD-JWT (RFC 9901, 4.2). The event holds the digests in plain text. Anyone
// who has the salt of a value can verify that value without the others. Without the salt, a digest reveals nothing. The
// salt is sealed together with the value.
import { hash } from 'node:crypto';
import { randomPiece } from '../random.js';

/** A personal value with the salt and the pointer to verify it against the digest in its event. */
export interface Disclosure {
  /** 16 random bytes, base64url. */
  readonly salt: string;
  /** The place of the value in the payload, as a JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly value: unknown;
}

const SALT_BYTES = 16;

export const newSalt = (): string => randomPiece(SALT_BYTES).toString('base64url');

/** Returns a disclosure as text: base64url of the JSON array of salt, pointer and value. */
export const disclosureText = ({ salt, pointer, value }: Disclosure): string =>
  Buffer.from(JSON.stringify([salt, pointer, value])).toString('base64url');

export const digestOf = (text: string): string => hash('sha256', text, 'base64url');

/** Returns whether an event with these digests has the value of a disclosure at its pointer. */
export const isDisclosed = (disclosure: Disclosure, digests: Readonly<Record<string, unknown>>): boolean =>
  Object.hasOwn(digests, disclosure.pointer) && digests[disclosure.pointer] === digestOf(disclosureText(disclosure));
