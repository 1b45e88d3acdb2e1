// Makes a data directory as the first start of a service leaves it.
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { StoreFormat } from '../../src/infrastructure/vault/store-format.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import { SqliteWork } from '../../src/infrastructure/work/sqlite.js';

/** Creates the four embedded stores, empty and stamped. */
export const createStores = async (directory: string): Promise<void> => {
  const vault = new SqliteVault(directory);
  await new StoreFormat(vault).claim();
  const rest = [new SqliteFacts(directory), new SqliteViews(directory), new SqliteWork(directory)];
  for (const store of [vault, ...rest]) await store.close();
};
