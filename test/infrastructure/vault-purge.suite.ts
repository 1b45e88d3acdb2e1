// The guarantees that every engine of the vault gives for expired records: which of them are purged, and when.
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLAIM_KEPT_MS, CLAIM_KIND, type Vault, type VaultEntry } from '../../src/infrastructure/vault/vault.js';

const newEntry = (rest: Partial<VaultEntry> = {}): VaultEntry => ({
  ...{ kind: CLAIM_KIND, key: randomUUID(), value: 'first' },
  ...rest,
});

/** Declares these tests for `vaultSuite`. Each test opens a store of its own. */
export const purgeSuite = (open: () => Promise<{ readonly vault: Vault }>): void => {
  const inAnHour = () => Date.now() + 3_600_000;
  const openVault = async (): Promise<Vault> => {
    const opened = await open();
    onTestFinished(() => opened.vault.close());
    return opened.vault;
  };

  describe('purgeExpired', () => {
    it('removes expired records, at most as many as it is given, and no other record', async () => {
      const vault = await openVault();
      const kept = [newEntry(), newEntry({ expiresAt: inAnHour() })];
      const expired = Array.from({ length: 5 }, (_, n) => newEntry({ kind: 'code', expiresAt: 1 + n }));
      await Promise.all([...kept, ...expired].map((entry) => vault.insert(entry)));
      expect(await vault.purgeExpired(3)).toBe(3);
      expect(await vault.purgeExpired(3)).toBe(2);
      expect(await vault.purgeExpired(3)).toBe(0);
      expect(await Promise.all(kept.map((entry) => vault.get(entry)))).toMatchObject(kept.map(({ key }) => ({ key })));
    });

    it('leaves a claim that expired within a day, so that a new claim continues its version', async () => {
      const vault = await openVault();
      const claim = newEntry();
      await vault.insert(claim);
      await vault.replace({ ...claim, expiresAt: Date.now() }, 1);
      await vault.purgeExpired(1_000);
      expect(await vault.get(claim)).toBeUndefined();
      expect(await vault.insert({ ...claim, value: 'of another' })).toBe(true);
      expect(await vault.get(claim)).toMatchObject({ value: 'of another', version: 3 });
    });

    it('removes a claim that expired a day ago', async () => {
      const vault = await openVault();
      const claim = newEntry({ expiresAt: Date.now() - CLAIM_KEPT_MS });
      await vault.insert(claim);
      await vault.purgeExpired(1_000);
      await vault.insert({ ...claim, expiresAt: undefined });
      expect(await vault.get(claim)).toMatchObject({ version: 1 });
    });

    it.each(['code', 'idempotency', 'session'])(
      'removes a record of kind %s as soon as it has expired',
      async (kind) => {
        const vault = await openVault();
        const entry = newEntry({ kind, expiresAt: Date.now() });
        await vault.insert(entry);
        await vault.purgeExpired(1_000);
        await vault.insert({ ...entry, expiresAt: undefined });
        expect(await vault.get(entry)).toMatchObject({ version: 1 });
      },
    );
  });
};
