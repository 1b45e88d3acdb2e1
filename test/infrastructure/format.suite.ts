// Tests the format stamp in the vault on any engine.
import { beforeEach, describe, expect, it } from 'vitest';
import { StoreTooNew } from '../../src/infrastructure/errors.js';
import { StoreFormat } from '../../src/infrastructure/sealing/format.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';

const STAMP = { kind: 'format', key: 'stores' };

/** Declares the tests of the stamp in the vault that `vaultOf` returns. */
export const formatSuite = (vaultOf: () => Vault): void => {
  describe('the format of the stores', () => {
    const formatOf = (known: number) => new StoreFormat(vaultOf(), known);
    beforeEach(() => vaultOf().remove(STAMP));

    it('is 1 without a stamp, and a program of that format writes none', async () => {
      await formatOf(1).claim();
      expect(await vaultOf().get(STAMP)).toBeUndefined();
    });

    it.each([2, 3])(
      'is raised by a program of a newer format, and programs of older formats refuse it: %i',
      async (to) => {
        await formatOf(to).claim();
        await formatOf(to).claim();
        for (const older of [1, to - 1]) {
          await expect(formatOf(older).claim()).rejects.toBeInstanceOf(StoreTooNew);
          expect(await formatOf(older).isNewer()).toBe(true);
        }
        expect(await formatOf(to).isNewer()).toBe(false);
      },
    );

    it('is checked without being changed', async () => {
      await formatOf(2).check();
      expect(await vaultOf().get(STAMP)).toBeUndefined();
      await formatOf(3).claim();
      await formatOf(3).check();
      await expect(formatOf(2).check()).rejects.toBeInstanceOf(StoreTooNew);
    });

    it('is raised from an existing stamp, and never lowered', async () => {
      await formatOf(2).claim();
      await formatOf(4).claim();
      await expect(formatOf(3).claim()).rejects.toThrow(/format 4.*format 3.*newer version.*backup/);
      expect(await vaultOf().get(STAMP)).toMatchObject({ value: { format: 4 } });
    });

    it('is the format of the newest program if many programs start at the same time', async () => {
      const starts = [2, 3, 4, 4, 3, 2].map((known) => formatOf(known).claim());
      await Promise.allSettled(starts);
      expect(await vaultOf().get(STAMP)).toMatchObject({ value: { format: 4 } });
    });
  });
};
