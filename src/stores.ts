// Picks the engines of the four ports. An engine is chosen by its URL alone; with none set, all are embedded.
import { chmodSync, mkdirSync } from 'node:fs';
import { type Config, ConfigurationError } from './config.js';
import type { Facts } from './infrastructure/facts/facts.js';
import { SqliteFacts } from './infrastructure/facts/sqlite.js';
import { SqliteVault } from './infrastructure/vault/sqlite.js';
import type { Vault } from './infrastructure/vault/vault.js';
import { SqliteViews } from './infrastructure/views/sqlite.js';
import type { Views } from './infrastructure/views/views.js';
import { SqliteWork } from './infrastructure/work/sqlite.js';
import type { Work } from './infrastructure/work/work.js';

export interface AllStores {
  readonly facts: Facts;
  readonly views: Views;
  readonly vault: Vault;
  readonly work: Work;
  close(): Promise<void>;
}

/** Opens the stores; `onError` hears of failures in the background. Throws where the directory cannot be used. */
export const openStores = (
  { dataDirectory }: Pick<Config, 'dataDirectory'>,
  onError: (error: Error) => void,
): AllStores => {
  process.umask(0o077);
  makeUsable(dataDirectory);
  const facts = new SqliteFacts(dataDirectory);
  const views = new SqliteViews(dataDirectory);
  const vault = new SqliteVault(dataDirectory);
  const work = new SqliteWork(dataDirectory, { onError });
  const close = async () => {
    // A job in hand may still use the others.
    await work.close();
    await Promise.all([facts.close(), views.close(), vault.close()]);
  };
  return { facts, views, vault, work, close };
};

const makeUsable = (directory: string): void => {
  try {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o700);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError([`DATA_DIR: ${cause}: name a directory that this user owns and may write`]);
  }
};
