// The IP address of a command, sealed in the metadata of its events with the key of the actor. Erasing the actor makes
// the address unreadable; erasing the person that the event is about does not.
import type { KeyObject } from 'node:crypto';
import { canonicalJson } from '../canonical-json.js';
import type { EventMetadata, RecordedEvent } from '../facts/facts.js';
import { decrypt, encrypt } from './aes-gcm.js';

/** The event whose metadata holds the address. `data` is the payload without personal values. */
type Addressed = Pick<RecordedEvent, 'stream' | 'revision' | 'id' | 'type' | 'metadata' | 'data'>;

const VERSION = 1;

/** Returns the metadata to store: with a sealed address, or without an address if there is no key to seal it. */
export const withSealedAddress = (event: Addressed, key: KeyObject | undefined): EventMetadata => {
  const { address, ...metadata } = event.metadata;
  if (typeof address !== 'string' || key === undefined) return metadata;
  const ciphertext = encrypt(key, address, contextOf({ ...event, metadata }));
  return { ...metadata, sealedAddress: Buffer.concat([Buffer.of(VERSION), ciphertext]).toString('base64url') };
};

/** Returns the address in the metadata of an event; undefined if the event or the address was altered. */
export const openedAddress = (event: Addressed, key: KeyObject): string | undefined => {
  const { sealedAddress, ...metadata } = event.metadata;
  const bytes = Buffer.from(String(sealedAddress), 'base64url');
  if (bytes[0] !== VERSION || bytes.toString('base64url') !== sealedAddress) return undefined;
  return decrypt(key, bytes.subarray(1), contextOf({ ...event, metadata }))?.toString();
};

// The parts of the event that are known before the append and readable without the key of the person it is about.
const contextOf = ({ stream, revision, id, type, metadata, data }: Addressed): string =>
  canonicalJson({ stream, revision, id: id.toLowerCase(), type, metadata, data });
