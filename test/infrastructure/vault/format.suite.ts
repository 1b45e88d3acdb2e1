// Tests the format stamp in the vault on any engine.
import { beforeEach, describe, expect, it } from 'vitest';
import { UnknownFormat } from '../../../src/infrastructure/errors.js';
import { FORMAT, OLDEST_FORMAT, StoreFormat } from '../../../src/infrastructure/vault/store-format.js';
import type { Vault } from '../../../src/infrastructure/vault/vault.js';

const STAMP = { kind: 'format', key: 'stores' };
const KEY = { kind: 'service-key', key: 'sentinel' };

/** Declares the tests of the stamp in the vault that `vaultOf` returns. */
export const formatSuite = (vaultOf: () => Vault): void => {
  describe('the format of the stores', () => {
    const formatOf = (known: number) => new StoreFormat(vaultOf(), known);
    beforeEach(async () => {
      for (const key of [STAMP, KEY]) await vaultOf().remove(key);
    });

    it('is stamped on new stores by the first program that may write, and not by a check', async () => {
      await formatOf(FORMAT).check();
      expect(await vaultOf().get(STAMP)).toBeUndefined();
      await formatOf(FORMAT).claim();
      expect(await vaultOf().get(STAMP)).toMatchObject({ value: { format: FORMAT }, version: 1 });
      await formatOf(FORMAT).claim();
      expect(await vaultOf().get(STAMP)).toMatchObject({ version: 1 });
    });

    it('is raised by a newer program, and older programs refuse it and never lower it', async () => {
      for (const newer of [FORMAT, FORMAT + 2]) {
        await formatOf(newer).claim();
        await formatOf(newer).check();
        expect(await formatOf(newer).isNewer()).toBe(false);
        expect(await formatOf(newer - 1).isNewer()).toBe(true);
      }
      const older = formatOf(FORMAT + 1);
      await expect(older.check()).rejects.toBeInstanceOf(UnknownFormat);
      await expect(older.claim()).rejects.toThrow(
        new RegExp(`format ${FORMAT + 2}.*format ${FORMAT + 1}.*newer version.*backup`),
      );
      expect(await vaultOf().get(STAMP)).toMatchObject({ value: { format: FORMAT + 2 } });
    });

    it.each([
      ['an earlier stamp', { ...STAMP, value: { format: OLDEST_FORMAT - 1 } }, OLDEST_FORMAT - 1],
      ['a key and no stamp', { ...KEY, value: {} }, 1],
    ])('is refused and left unchanged with %s', async (_, entry, found) => {
      await vaultOf().insert(entry);
      const before = await vaultOf().get(STAMP);
      for (const use of ['check', 'claim'] as const) {
        await expect(formatOf(FORMAT)[use]()).rejects.toThrow(new RegExp(`format ${found}\\b.*earlier version`));
      }
      expect(await vaultOf().get(STAMP)).toEqual(before);
    });

    it('is the format of the newest program if many programs start at the same time', async () => {
      const starts = [0, 1, 2, 2, 1, 0].map((more) => formatOf(FORMAT + more).claim());
      await Promise.allSettled(starts);
      expect(await vaultOf().get(STAMP)).toMatchObject({ value: { format: FORMAT + 2 } });
    });
  });
};
