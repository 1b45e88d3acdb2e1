// Which expired records SQLite removes, and when. In MongoDB, a TTL index removes them.
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import {
  CLAIM_KIND,
  LOCK_KIND,
  type Vault,
  type VaultEntry,
  VERSION_KEPT_MS,
} from '../../../src/infrastructure/vault/vault.js';
import { temporaryDirectory } from '../../support/directory.js';

const newEntry = (rest: Partial<VaultEntry> = {}): VaultEntry => ({
  ...{ kind: CLAIM_KIND, key: randomUUID(), value: 'first' },
  ...rest,
});

const inAnHour = () => Date.now() + 3_600_000;

describe('purgeExpired on SQLite', () => {
  const openVault = (): Vault => {
    const vault = new SqliteVault(temporaryDirectory());
    onTestFinished(() => vault.close());
    return vault;
  };

  it('removes expired records, at most as many as it is given, and no other record', async () => {
    const vault = openVault();
    const kept = [newEntry(), newEntry({ expiresAt: inAnHour() })];
    const expired = Array.from({ length: 5 }, (_, n) => newEntry({ kind: 'code', expiresAt: 1 + n }));
    await Promise.all([...kept, ...expired].map((entry) => vault.insert(entry)));
    expect(await vault.purgeExpired(3)).toBe(3);
    expect(await vault.purgeExpired(3)).toBe(2);
    expect(await vault.purgeExpired(3)).toBe(0);
    expect(await Promise.all(kept.map((entry) => vault.get(entry)))).toMatchObject(kept.map(({ key }) => ({ key })));
  });

  it.each([
    ['continues the version of a claim that has just expired', CLAIM_KIND, 0, 2],
    ['continues the version of a lock that has just expired', LOCK_KIND, 0, 2],
    ['has forgotten a claim that expired a day ago', CLAIM_KIND, VERSION_KEPT_MS, 1],
    ['has forgotten a code that has just expired', 'code', 0, 1],
    ['has forgotten a response that has just expired', 'idempotency', 0, 1],
    ['has forgotten a session that has just expired', 'session', 0, 1],
  ])('%s', async (_, kind, ageMs, version) => {
    const vault = openVault();
    const entry = newEntry({ kind, expiresAt: Date.now() - ageMs });
    await vault.insert(entry);
    await vault.purgeExpired(1_000);
    expect(await vault.get(entry)).toBeUndefined();
    expect(await vault.insert({ ...entry, expiresAt: undefined })).toBe(version);
  });
});
