// Helps the tests of sealing with a vault and its keyring, sealed facts, and a listener for unreadable fields.
import { join } from 'node:path';
import { allUpcasters } from '../../../../src/domain/all.js';
import { personalPathsOf } from '../../../../src/domain/personal.js';
import { userEvents } from '../../../../src/domain/user/events.js';
import type { NewEvent } from '../../../../src/infrastructure/facts/facts.js';
import { Keyring, type KeyringOptions } from '../../../../src/infrastructure/keys/keyring.js';
import type { MasterKeys } from '../../../../src/infrastructure/keys/master-key.js';
import { MasterKeyFile } from '../../../../src/infrastructure/keys/master-key-file.js';
import { SealedFacts } from '../../../../src/infrastructure/persons/sealed-facts.js';
import type { SealingWatch } from '../../../../src/infrastructure/persons/watch.js';
import { StoreFormat } from '../../../../src/infrastructure/vault/store-format.js';
import { memoryStores, type OpenedStores } from '../../../support/opened-stores.js';
import { newEvent } from '../../facts/support/harness.js';

/** The personal fields of the user's events. */
export const personal = personalPathsOf(userEvents);

/** Keeps what could not be read. */
export class Listener implements SealingWatch {
  readonly withoutKeys: string[] = [];
  readonly altered: string[] = [];
  readonly damagedKeys: string[] = [];

  readonly withoutKey = (person: string): void => void this.withoutKeys.push(person);
  readonly tampered = ({ id }: { readonly id: string }): void => void this.altered.push(id);
  readonly damaged = (_: string, key: string): void => void this.damagedKeys.push(key);
}

interface KeyringGiven extends KeyringOptions {
  readonly masterKeys?: MasterKeys;
  readonly stores?: OpenedStores;
}

/** Opens a keyring on the vault of a directory, as a process does. */
export const openKeyring = (directory: string, { masterKeys, stores, ...options }: KeyringGiven = {}) => {
  const { vault } = stores ?? memoryStores(directory);
  const keys = masterKeys ?? new MasterKeyFile(join(directory, 'master.key'));
  return { vault, keyring: new Keyring(vault, keys, options) };
};

/** Opens sealed facts on the stores of a directory, as a process does. */
export const openSealed = (
  directory: string,
  stores: OpenedStores = memoryStores(directory),
  masterKeys?: MasterKeys,
  judge?: () => Promise<unknown>,
) => {
  const watch = new Listener();
  const given = masterKeys === undefined ? {} : { masterKeys };
  const { vault, keyring } = openKeyring(directory, { onDamaged: watch.damaged, stores, ...given });
  const stored = stores.facts;
  const format = new StoreFormat(vault);
  const sealing = { keyring, personal, upcasters: allUpcasters, format, watch };
  return { facts: new SealedFacts(stored, { ...sealing, judge }), stored, vault, ...sealing };
};

export const ana = {
  firstName: 'Ana Canário',
  lastName: 'Souza Sentinela',
  gender: 'FEMININE',
  document: '390.533.447-05',
  birthDate: '1984-03-02',
  dialingCode: '+55',
  phone: '11987654321',
  email: 'ana.canario@example.org',
} as const;

/** Returns an event of a type that has personal fields. */
export const registered = (person: object = ana): NewEvent => ({
  ...newEvent({
    ...person,
    enabled: true,
    externalAuthId: 'aeb2b3a4-6f4c-4a53-9d29-5f9fbc5b2a11',
    acceptedTerms: true,
  }),
  type: 'UserRegistered',
});

export const rejected = (reason: string | null, profileId = '8c1f6d0e-53b5-4e0c-a3ff-9f9a3b7b1d10'): NewEvent => ({
  ...newEvent({ profileId, reason }),
  type: 'UserProfileRejected',
});
