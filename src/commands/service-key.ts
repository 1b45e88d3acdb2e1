// Keys of the service's own.
import { randomBytes } from 'node:crypto';
import type { Vault } from '../infrastructure/vault/vault.js';

/** Gives a key; rejects with `StoreUnavailable` while it cannot be had. */
export type KeySource = () => Promise<Buffer>;

/**
 * A key of 32 random bytes that the vault keeps under a name. It is made at its first use, once for all processes, and
 * not asked for before that: the vault may not be there yet when the service starts.
 */
export const serviceKey = (vault: Vault, name: string): KeySource => {
  let known: Promise<Buffer> | undefined;
  return () => {
    known ??= keyIn(vault, name).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
};

const keyIn = async (vault: Vault, name: string): Promise<Buffer> => {
  const record = { kind: 'service-key', key: name };
  const known = await vault.get<string>(record);
  if (known !== undefined) return Buffer.from(known.value, 'base64');
  await vault.insert({ ...record, value: randomBytes(32).toString('base64') });
  return keyIn(vault, name);
};
