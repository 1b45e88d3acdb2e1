// Seals values for clients as the service does, with the key from the service's stores.
import { join } from 'node:path';
import { Opaque } from '../../src/http/route/opaque.js';
import type { Position } from '../../src/infrastructure/facts/facts.js';
import { Keyring } from '../../src/infrastructure/keys/keyring.js';
import type { MasterKeys } from '../../src/infrastructure/keys/master-key.js';
import { MasterKeyFile } from '../../src/infrastructure/keys/master-key-file.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';
import type { Service } from './service.js';

/** Returns the cipher of a service with these stores. */
export const opaqueWith = async (vault: Vault, masterKeys: MasterKeys): Promise<Opaque> =>
  new Opaque(await new Keyring(vault, masterKeys).serviceKey('opaque'));

/** Returns the cipher of a service on a data directory. */
export const opaqueIn = async (directory: string): Promise<Opaque> => {
  const vault = new SqliteVault(directory);
  try {
    return await opaqueWith(vault, new MasterKeyFile(join(directory, 'master.key')));
  } finally {
    await vault.close();
  }
};

/** Returns the header of a GET that must see all events recorded so far. */
export const upToDate = async (service: Service): Promise<Readonly<Record<string, string>>> =>
  since(await service.opaque(), await service.head());

/** Returns the header of a GET that must see all events up to a position. */
export const since = (opaque: Opaque, position: Position | undefined): Readonly<Record<string, string>> =>
  position === undefined ? {} : { 'Consistency-Token': opaque.seal('consistency-token', position) };
