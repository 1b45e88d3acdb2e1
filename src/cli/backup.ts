// `npm run cli -- backup` and `restore`: back up and restore the embedded stores.
import { resolve } from 'node:path';
import { type Config, ConfigurationError, readConfig } from '../config.js';
import { mustExist, STORE_FILES } from '../embedded-stores.js';
import type { AllStores } from '../infrastructure/stores.js';
import { counted } from '../infrastructure/tally.js';
import { TOOL } from '../infrastructure/tool.js';
import { type EmbeddedStores, makeBackup } from '../operations/backup.js';
import { restoreBackup } from '../operations/restore.js';
import { erasureListOf, masterKeysOf, openCopies, ownDirectory } from '../stores.js';
import { runIn } from './on-stores.js';
import { operatorContext } from './operator.js';
import { verifyStores } from './verify.js';

export const backup = async (directory: string): Promise<void> => {
  const config = embeddedConfig();
  mustExist(config, ['facts', 'vault']);
  const { masterKeys: needed } = await makeBackup(await embeddedIn(config), directory, new Date());
  console.log(`${resolve(directory)}: event store and vault, of the same moment`);
  if (needed.length > 0) console.log(`a restore requires the master key ${needed.join(', ')}`);
};

/** Restores a backup into the data directory, and verifies the stores. */
export const restore = async (directory: string, { accept = false }: { readonly accept?: boolean }): Promise<void> => {
  const config = embeddedConfig();
  const onStores = <T>(task: (stores: AllStores) => Promise<T>) => runIn(config, 'restore', task);
  const target = {
    ...(await embeddedIn(config)),
    mustBeUnowned: async () => (await ownDirectory(config, 0))(),
    storeFiles: Object.values(STORE_FILES),
    accepts: accept,
    onStores,
    context: operatorContext,
  };
  const { manifest, erasedAgain, isHeld } = await restoreBackup(target, directory);
  console.log(`${resolve(config.dataDirectory)} has the state of ${manifest.createdAt}`);
  if (erasedAgain > 0)
    console.log(`${counted(erasedAgain, 'user')} erased after that time, and therefore erased again`);
  if (isHeld)
    console.log(`the audit log is not signed until you start a new log: ${TOOL} log-keys new-log --reason "..."`);
  await onStores((stores) => verifyStores(stores, {}));
};

/** Returns the embedded stores. Files that this process makes from now on are for its user alone. */
const embeddedIn = async (config: Config): Promise<EmbeddedStores> => {
  process.umask(0o077);
  const masterKeys = masterKeysOf(config, { creates: false });
  const erasures = erasureListOf(config, masterKeys);
  return { copies: await openCopies(), dataDirectory: config.dataDirectory, masterKeys, erasures };
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
