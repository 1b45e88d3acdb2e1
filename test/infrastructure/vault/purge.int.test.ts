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

  it('leaves a claim that expired within a day, so that a new claim continues its version', async () => {
    const vault = openVault();
    const claim = newEntry();
    await vault.insert(claim);
    await vault.replace({ ...claim, expiresAt: Date.now() }, 1);
    await vault.purgeExpired(1_000);
    expect(await vault.get(claim)).toBeUndefined();
    expect(await vault.insert({ ...claim, value: 'of another' })).toBe(3);
    expect(await vault.get(claim)).toMatchObject({ value: 'of another', version: 3 });
  });

  it.each([CLAIM_KIND, LOCK_KIND])('keeps the version of a record of kind %s for a day', async (kind) => {
    const vault = openVault();
    const entry = newEntry({ kind, expiresAt: Date.now() });
    await vault.insert(entry);
    await vault.purgeExpired(1_000);
    expect(await vault.insert(entry)).toBe(2);
  });

  it('removes a claim that expired a day ago', async () => {
    const vault = openVault();
    const claim = newEntry({ expiresAt: Date.now() - VERSION_KEPT_MS });
    await vault.insert(claim);
    await vault.purgeExpired(1_000);
    await vault.insert({ ...claim, expiresAt: undefined });
    expect(await vault.get(claim)).toMatchObject({ version: 1 });
  });

  it.each(['code', 'idempotency', 'session'])('removes a record of kind %s as soon as it has expired', async (kind) => {
    const vault = openVault();
    const entry = newEntry({ kind, expiresAt: Date.now() });
    await vault.insert(entry);
    await vault.purgeExpired(1_000);
    await vault.insert({ ...entry, expiresAt: undefined });
    expect(await vault.get(entry)).toMatchObject({ version: 1 });
  });
});
