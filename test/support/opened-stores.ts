// The facts and the vault of a test: in its memory, or in files if the test looks into them.
import { onTestFinished } from 'vitest';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';
import { directoriesOfFile } from './directory.js';
import { MemoryFacts } from './memory-facts.js';
import { MemoryVault } from './memory-vault.js';

/** The stores of a process, without its read models. */
export interface OpenedStores {
  readonly facts: Facts;
  readonly vault: Vault;
}

interface MemoryStores {
  readonly facts: MemoryFacts;
  readonly vault: MemoryVault;
}

const inMemory = new Map<string, MemoryStores>();

/** Returns the stores in memory that stand for those of a directory: the same for all that open the directory. */
export const memoryStores = (directory: string): MemoryStores => {
  const known = inMemory.get(directory);
  if (known !== undefined) return known;
  const stores = { facts: new MemoryFacts(), vault: new MemoryVault() };
  inMemory.set(directory, stores);
  directoriesOfFile.atRemoval(() => inMemory.delete(directory));
  return stores;
};

/** Opens the embedded stores of a directory, which needs a build. The end of the test closes them. */
export const fileStores = (directory: string): OpenedStores => {
  const stores = { facts: new SqliteFacts(directory), vault: new SqliteVault(directory) };
  onTestFinished(async () => {
    await stores.facts.close();
    await stores.vault.close();
  });
  return stores;
};
