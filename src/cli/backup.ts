// `npm run cli -- backup` and `restore`: back up and restore the embedded stores.
import { resolve } from 'node:path';
import { type Config, ConfigurationError, readConfig } from '../config.js';
import { mustExist, STORE_FILES } from '../embedded-stores.js';
import { makeBackup } from '../operations/backup.js';
import { eraseAgain } from '../operations/erase-again.js';
import type { Erasures } from '../operations/erasure-list.js';
import { restoreBackup } from '../operations/restore.js';
import { erasureListOf, masterKeysOf, openCopies, ownDirectory } from '../stores.js';
import { holdLog } from '../transparency/log-commands.js';
import { runIn } from './on-stores.js';
import { operatorContext } from './operator.js';
import { verifyStores } from './verify.js';

/** Makes a backup of facts and vault in a new directory. */
export const backup = async (directory: string): Promise<void> => {
  const config = embeddedConfig();
  mustExist(config, ['facts', 'vault']);
  const { dataDirectory } = config;
  process.umask(0o077);
  const masterKeys = masterKeysOf(config, { creates: false });
  const stores = { copies: await openCopies(), dataDirectory, masterKeys, erasures: erasureListOf(config, masterKeys) };
  const { masterKeys: needed } = await makeBackup(stores, directory, new Date());
  console.log(`${resolve(directory)}: facts and vault, of the same moment`);
  if (needed.length > 0) console.log(`a restore requires the master key ${needed.join(', ')}`);
};

/** The options of a restore. */
export interface RestoreOptions {
  readonly accept?: boolean;
}

/** Restores a backup into the data directory, and verifies the stores. */
export const restore = async (directory: string, { accept = false }: RestoreOptions): Promise<void> => {
  const config = embeddedConfig();
  const { dataDirectory } = config;
  process.umask(0o077);
  const masterKeys = masterKeysOf(config, { creates: false });
  let isHeld = false;
  const target = {
    dataDirectory,
    mustBeUnowned: async () => (await ownDirectory(config, 0))(),
    copies: await openCopies(),
    storeFiles: Object.values(STORE_FILES),
    masterKeys,
    erasures: erasureListOf(config, masterKeys),
    accepts: accept,
    settle: (erasures: Erasures) =>
      runIn(config, 'restore', async (stores) => {
        await stores.keyring.check();
        isHeld = await holdLog(stores, `restored from the backup in ${resolve(directory)}`);
        return eraseAgain(stores, erasures, operatorContext);
      }),
  };
  const { manifest, erasedAgain } = await restoreBackup(target, directory);
  console.log(`${resolve(dataDirectory)} has the state of ${manifest.createdAt}`);
  console.log(`${erasedAgain} users who were erased after that time have been erased again`);
  if (isHeld)
    console.log(
      'the audit log is not signed until you start a new log: npm run cli -- log-keys new-log --reason "..."',
    );
  await runIn(config, 'restore', (stores) => verifyStores(stores, {}));
};

const embeddedConfig = (): Config => {
  const config = readConfig(process.env);
  const { eventStoreUrl, mongoDbUrl } = config;
  const variable = eventStoreUrl === undefined ? 'MONGODB_URL' : 'EVENTSTORE_URL';
  if (eventStoreUrl === undefined && mongoDbUrl === undefined) return config;
  throw new ConfigurationError([
    `${variable}: this command works only on embedded stores. docs/operations.md describes backups of the engines.`,
  ]);
};
