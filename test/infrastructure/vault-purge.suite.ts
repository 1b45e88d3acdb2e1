// What every engine of the vault promises of records that have expired: which of them are purged, and when.
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLAIM_KEPT_MS, CLAIM_KIND, type Vault, type VaultEntry } from '../../src/infrastructure/vault/vault.js';

const newEntry = (rest: Partial<VaultEntry> = {}): VaultEntry => ({
  ...{ kind: CLAIM_KIND, key: randomUUID(), value: 'first' },
  ...rest,
});

/** Declares the part of the contract that `vaultSuite` has of these; each test opens a store of its own. */
export const purgeSuite = (open: () => Promise<{ readonly vault: Vault }>): void => {
  const inAnHour = () => Date.now() + 3_600_000;
  const vaultOfOwn = async (): Promise<Vault> => {
    const { vault } = await open();
    onTestFinished(() => vault.close());
    return vault;
  };

  describe('purgeExpired', () => {
    it('removes expired records, at most so many, and no other', async () => {
      const own = await vaultOfOwn();
      const kept = [newEntry(), newEntry({ expiresAt: inAnHour() })];
      const expired = Array.from({ length: 5 }, (_, n) => newEntry({ kind: 'code', expiresAt: 1 + n }));
      await Promise.all([...kept, ...expired].map((entry) => own.insert(entry)));
      expect(await own.purgeExpired(3)).toBe(3);
      expect(await own.purgeExpired(3)).toBe(2);
      expect(await own.purgeExpired(3)).toBe(0);
      expect(await Promise.all(kept.map((entry) => own.get(entry)))).toMatchObject(kept.map(({ key }) => ({ key })));
    });

    it('leaves a claim that expired within a day, whose version a new one goes on from', async () => {
      const own = await vaultOfOwn();
      const claim = newEntry();
      await own.insert(claim);
      await own.replace({ ...claim, expiresAt: Date.now() }, 1);
      await own.purgeExpired(1_000);
      expect(await own.get(claim)).toBeUndefined();
      expect(await own.insert({ ...claim, value: 'of another' })).toBe(true);
      expect(await own.get(claim)).toMatchObject({ value: 'of another', version: 3 });
    });

    it('removes a claim that expired a day ago', async () => {
      const own = await vaultOfOwn();
      const claim = newEntry({ expiresAt: Date.now() - CLAIM_KEPT_MS });
      await own.insert(claim);
      await own.purgeExpired(1_000);
      await own.insert({ ...claim, expiresAt: undefined });
      expect(await own.get(claim)).toMatchObject({ version: 1 });
    });

    it.each(['code', 'idempotency', 'session'])(
      'removes a record of kind %s as soon as it has expired',
      async (kind) => {
        const own = await vaultOfOwn();
        const entry = newEntry({ kind, expiresAt: Date.now() });
        await own.insert(entry);
        await own.purgeExpired(1_000);
        await own.insert({ ...entry, expiresAt: undefined });
        expect(await own.get(entry)).toMatchObject({ version: 1 });
      },
    );
  });
};
