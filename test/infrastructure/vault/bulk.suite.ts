// The guarantees that every engine of the vault gives for calls with many records and for `forget`.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Vault, VaultEntry } from '../../../src/infrastructure/vault/vault.js';

const PAST = 1;

/** Declares these tests for `vaultSuite`; `vault` returns the vault under test. */
export const bulkSuite = (vault: () => Vault): void => {
  const newKind = () => `kind-${randomUUID()}`;
  const insertAll = async (kind: string, keys: readonly string[], rest: Partial<VaultEntry> = {}) => {
    for (const key of keys) await vault().insert({ kind, key, value: { of: key }, ...rest });
    return kind;
  };
  const allOf = async (kind: string, limit: number): Promise<string[]> => {
    const keys: string[] = [];
    for (;;) {
      const page = await vault().ofKind(kind, keys.at(-1), limit);
      expect(page.length).toBeLessThanOrEqual(limit);
      if (page.length === 0) return keys;
      keys.push(...page.map(({ key }) => key));
    }
  };

  describe('getMany', () => {
    it('returns exactly the records that exist, complete', async () => {
      const kind = await insertAll(newKind(), ['a', 'b', 'c']);
      await insertAll(newKind(), ['b']);
      const found = await vault().getMany(kind, ['c', 'gone', 'a', 'a']);
      expect(found.toSorted((one, other) => one.key.localeCompare(other.key))).toEqual(
        ['a', 'c'].map((key) => ({ kind, key, value: { of: key }, version: 1, expiresAt: undefined })),
      );
    });

    it('returns nothing for no keys, and no expired record', async () => {
      const kind = await insertAll(newKind(), ['a'], { expiresAt: PAST });
      expect(await vault().getMany(kind, [])).toEqual([]);
      expect(await vault().getMany(kind, ['a'])).toEqual([]);
    });

    it('accepts keys with special characters', async () => {
      const keys = ['"', "'", '%', 'a:b', '$x', 'é🩺', ' '];
      const kind = await insertAll(newKind(), keys);
      expect((await vault().getMany(kind, keys)).map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
    });

    it('returns as many records as a page of the log may have events', async () => {
      const keys = Array.from({ length: 256 }, (_, n) => String(n));
      const kind = await insertAll(newKind(), keys);
      expect(await vault().getMany(kind, keys)).toHaveLength(keys.length);
    });
  });

  describe('ofKind', () => {
    it('returns the records of one kind in the order of their keys, page by page', async () => {
      const keys = ['b', 'a', 'aa', 'a:', 'B', '0', 'z', 'a-1'];
      const kind = await insertAll(newKind(), keys);
      await insertAll(`${kind}:`, ['x']);
      await insertAll(`${kind}x`, ['x']);
      for (const limit of [1, 3, 100]) expect(await allOf(kind, limit)).toEqual(keys.toSorted());
    });

    it('returns complete records, and no expired record', async () => {
      const kind = await insertAll(newKind(), ['a']);
      await insertAll(kind, ['b'], { expiresAt: PAST });
      expect(await vault().ofKind(kind, undefined, 10)).toEqual([
        { kind, key: 'a', value: { of: 'a' }, version: 1, expiresAt: undefined },
      ]);
      expect(await vault().ofKind(newKind(), undefined, 10)).toEqual([]);
    });

    it('continues after a record that was removed', async () => {
      const kind = await insertAll(newKind(), ['a', 'b', 'c']);
      await vault().remove({ kind, key: 'b' });
      expect((await vault().ofKind(kind, 'b', 10)).map(({ key }) => key)).toEqual(['c']);
    });
  });

  describe('forget', () => {
    it('leaves every record unchanged, also during concurrent changes', async () => {
      const kind = await insertAll(newKind(), ['a', 'b']);
      await vault().remove({ kind, key: 'a' });
      const during = Array.from({ length: 20 }, (_, n) => vault().insert({ kind, key: `during-${n}`, value: n }));
      await Promise.all([vault().forget(), ...during, vault().forget()]);
      expect(await vault().get({ kind, key: 'a' })).toBeUndefined();
      expect(await allOf(kind, 100)).toHaveLength(21);
    });
  });
};
