// The IP address of a command, sealed in the metadata of its events with the key of the actor. Erasing the actor makes
// the address unreadable; erasing the person that the event is about does not.
import type { KeyObject } from 'node:crypto';
import type { EventMetadata, RecordedEvent } from '../facts/facts.js';
import { decrypt, encrypt } from '../sealed/aes-gcm.js';
import { bytesOf, type Sealable, sealingContextOf, textOf } from './payload.js';

/** The event whose metadata holds the address. `data` is the payload without personal values. */
type Addressed = Sealable & Pick<RecordedEvent, 'data'>;

const VERSION = 1;

/** Returns the metadata to store: with a sealed address, or without an address if there is no key to seal it. */
export const withSealedAddress = (event: Addressed, key: KeyObject | undefined): EventMetadata => {
  const { address, ...metadata } = event.metadata;
  if (typeof address !== 'string' || key === undefined) return metadata;
  const ciphertext = encrypt(key, address, sealingContextOf({ ...event, metadata }, event.data));
  return { ...metadata, sealedAddress: textOf(VERSION, ciphertext) };
};

/** Returns the address in the metadata of an event; undefined if the event or the address was altered. */
export const openedAddress = (event: Addressed, key: KeyObject): string | undefined => {
  const { sealedAddress, ...metadata } = event.metadata;
  const bytes = bytesOf(sealedAddress);
  if (bytes?.[0] !== VERSION) return undefined;
  return decrypt(key, bytes.subarray(1), sealingContextOf({ ...event, metadata }, event.data))?.toString();
};
