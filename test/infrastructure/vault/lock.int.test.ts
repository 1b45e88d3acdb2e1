import { expect, it, onTestFinished } from 'vitest';
import { VaultLock } from '../../../src/infrastructure/vault/lock.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { LOCK_KIND } from '../../../src/infrastructure/vault/vault.js';
import { temporaryDirectory } from '../../support/directory.js';

const KEY = 'one at a time';

const taken = async (vault: SqliteVault): Promise<VaultLock> => {
  const lock = await VaultLock.taken(vault, KEY);
  if (lock === undefined) throw new Error('the lock is not free');
  return lock;
};

it('a holder whose lock has expired can neither prolong nor release the lock of a later holder', async () => {
  const vault = new SqliteVault(temporaryDirectory());
  onTestFinished(() => vault.close());
  const stalled = await taken(vault);
  const expired = { kind: LOCK_KIND, key: KEY, value: null, expiresAt: Date.now() };
  expect(await vault.replace(expired, 1)).toBe(true);
  await (await taken(vault)).release();
  const later = await taken(vault);
  expect(await stalled.prolong()).toBe(false);
  await stalled.release();
  expect(await VaultLock.taken(vault, KEY)).toBeUndefined();
  expect(await later.prolong()).toBe(true);
});
