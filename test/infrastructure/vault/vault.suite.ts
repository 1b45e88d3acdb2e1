// The guarantees that every engine of the vault gives.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordKey, Vault, VaultEntry } from '../../../src/infrastructure/vault/vault.js';
import { eventually } from '../../support/eventually.js';
import type { NewStore } from '../support/two-engines.js';
import { bulkSuite } from './bulk.suite.js';
import { formatSuite } from './format.suite.js';

const PAST = 1;
const inAnHour = () => Date.now() + 3_600_000;

/** Declares the contract of the vault for the engine that `open` opens. */
export const vaultSuite = (name: string, newStore: NewStore<Vault>): void => {
  describe(`the vault on ${name}`, () => {
    let vault: Vault;
    let beside: Vault;

    beforeAll(() => {
      const open = newStore();
      [vault, beside] = [open(), open()];
    });
    afterAll(async () => {
      await beside.close();
      await vault.close();
    });

    bulkSuite(() => vault);
    formatSuite(() => vault);

    describe('insert', () => {
      it('stores a record with version 1, which other processes see immediately', async () => {
        const entry = newEntry();
        expect(await vault.get(entry)).toBeUndefined();
        expect(await vault.insert(entry)).toBe(1);
        for (const each of [vault, beside])
          expect(await each.get(entry)).toEqual({ ...entry, version: 1, expiresAt: undefined });
      });

      it('leaves an existing record unchanged', async () => {
        const entry = newEntry();
        await vault.insert(entry);
        expect(await vault.insert({ ...entry, value: 'second' })).toBe(undefined);
        expect(await vault.get(entry)).toMatchObject({ value: 'first', version: 1 });
      });

      it('succeeds for one of 50 concurrent calls', async () => {
        const key = newKey();
        const values = Array.from({ length: 50 }, (_, n) => n);
        const inserted = await Promise.all(
          values.map((value) => (value % 2 ? vault : beside).insert({ ...key, value })),
        );
        expect(inserted.filter(Boolean)).toHaveLength(1);
        expect(await vault.get(key)).toMatchObject({ value: inserted.indexOf(1), version: 1 });
      });

      it('distinguishes kinds and keys', async () => {
        const { key } = newKey();
        for (const entry of [
          { kind: 'session', key, value: 1 },
          { kind: 'code', key, value: 2 },
          { kind: 'code', key: key.toUpperCase(), value: 3 },
        ]) {
          expect(await vault.insert(entry)).toBe(1);
          expect(await vault.get(entry)).toMatchObject(entry);
        }
      });

      it.each<[string, unknown]>([
        ['null', null],
        ['false', false],
        ['a string', 'naïve 🩺 "quoted"\n'],
        ['a number', -0.1],
        ['a list', [1, [2, [null]], {}]],
        ['an object', { 'a.b': { $set: 1 }, '': [], nested: { deep: true } }],
      ])('stores %s unchanged', async (_, value) => {
        const entry = newEntry({ value });
        await vault.insert(entry);
        expect((await vault.get(entry))?.value).toStrictEqual(value);
      });
    });

    describe('replace', () => {
      it('stores the new value under the next version', async () => {
        const entry = newEntry();
        await vault.insert(entry);
        expect(await vault.replace({ ...entry, value: 'second' }, 1)).toBe(true);
        expect(await vault.get(entry)).toMatchObject({ value: 'second', version: 2 });
      });

      it('fails with a version that is not the current one', async () => {
        const entry = newEntry();
        await vault.insert(entry);
        await vault.replace({ ...entry, value: 'second' }, 1);
        expect(await vault.replace({ ...entry, value: 'third' }, 1)).toBe(false);
        expect(await vault.replace({ ...entry, value: 'third' }, 3)).toBe(false);
        expect(await vault.get(entry)).toMatchObject({ value: 'second', version: 2 });
      });

      it('fails for a record that does not exist', async () => {
        const entry = newEntry();
        expect(await vault.replace(entry, 1)).toBe(false);
        expect(await vault.get(entry)).toBeUndefined();
      });

      it('replaces expiry and subject too', async () => {
        const subject = randomUUID();
        const entry = newEntry({ subject, expiresAt: inAnHour() });
        await vault.insert(entry);
        await vault.replace({ kind: entry.kind, key: entry.key, value: 'second' }, 1);
        expect(await vault.get(entry)).toMatchObject({ value: 'second', expiresAt: undefined });
        expect(await vault.ofSubject(entry.kind, subject)).toEqual([]);
      });

      it('succeeds for one of 50 concurrent calls with the same version', async () => {
        const entry = newEntry();
        await vault.insert(entry);
        const replaced = await Promise.all(
          Array.from({ length: 50 }, (_, value) => (value % 2 ? vault : beside).replace({ ...entry, value }, 1)),
        );
        expect(replaced.filter(Boolean)).toHaveLength(1);
        expect(await vault.get(entry)).toMatchObject({ value: replaced.indexOf(true), version: 2 });
      });

      it('loses none of 100 concurrent increments', async () => {
        const entry = newEntry({ value: 0 });
        await vault.insert(entry);
        await Promise.all(Array.from({ length: 100 }, (_, n) => increment(n % 2 ? vault : beside, entry)));
        expect(await vault.get(entry)).toMatchObject({ value: 100, version: 101 });
      });
    });

    describe('remove', () => {
      it('removes a record of any version', async () => {
        const entry = newEntry();
        await vault.insert(entry);
        await vault.replace(entry, 1);
        expect(await vault.remove(entry)).toBe(true);
        expect(await vault.get(entry)).toBeUndefined();
        expect(await vault.remove(entry)).toBe(false);
      });

      it('removes only the given version', async () => {
        const entry = newEntry();
        await vault.insert(entry);
        await vault.replace(entry, 1);
        expect(await vault.remove(entry, 1)).toBe(false);
        expect(await vault.get(entry)).toMatchObject({ version: 2 });
        expect(await vault.remove(entry, 2)).toBe(true);
        expect(await vault.get(entry)).toBeUndefined();
      });

      it('succeeds for one of 20 concurrent calls', async () => {
        const entry = newEntry();
        await vault.insert(entry);
        const removed = await Promise.all(
          Array.from({ length: 20 }, (_, n) => (n % 2 ? vault : beside).remove(entry, 1)),
        );
        expect(removed.filter(Boolean)).toHaveLength(1);
      });

      it('makes room for a new record', async () => {
        const entry = newEntry();
        await vault.insert(entry);
        await vault.remove(entry);
        expect(await vault.insert({ ...entry, value: 'second' })).toBe(1);
        expect(await vault.get(entry)).toMatchObject({ value: 'second' });
      });
    });

    describe('an expired record', () => {
      it('counts as missing', async () => {
        const subject = randomUUID();
        const entry = newEntry({ expiresAt: PAST, subject });
        expect(await vault.insert(entry)).toBe(1);
        expect(await vault.get(entry)).toBeUndefined();
        expect(await vault.ofSubject(entry.kind, subject)).toEqual([]);
        expect(await vault.replace({ ...entry, expiresAt: undefined }, 1)).toBe(false);
        expect(await vault.remove(entry)).toBe(false);
        expect(await vault.remove(entry, 1)).toBe(false);
      });

      it('is a record whose expiry has passed', async () => {
        const expiresAt = inAnHour();
        const entry = newEntry({ expiresAt });
        await vault.insert(entry);
        expect(await vault.get(entry)).toMatchObject({ version: 1, expiresAt });
        await vault.replace({ ...entry, expiresAt: Date.now() + 50 }, 1);
        await eventually(async () => expect(await vault.get(entry)).toBeUndefined());
      });

      it('is replaced by one of 50 concurrent inserts', async () => {
        const entry = newEntry({ expiresAt: PAST });
        await vault.insert(entry);
        const inserted = await Promise.all(
          Array.from({ length: 50 }, (_, value) =>
            (value % 2 ? vault : beside).insert({ ...newEntry(), ...entry, value, expiresAt: inAnHour() }),
          ),
        );
        expect(inserted.filter(Boolean)).toHaveLength(1);
        expect(await vault.get(entry)).toMatchObject({ value: inserted.findIndex((version) => version !== undefined) });
      });

      it('has no version that fits the record inserted in its place', async () => {
        const entry = newEntry();
        await vault.insert(entry);
        await vault.replace({ ...entry, expiresAt: PAST }, 1);
        expect(await vault.insert({ ...entry, value: 'of another' })).toBe(3);
        for (const held of [1, 2]) {
          expect(await vault.replace({ ...entry, value: 'late' }, held)).toBe(false);
          expect(await vault.remove(entry, held)).toBe(false);
        }
        expect(await vault.get(entry)).toMatchObject({ value: 'of another' });
      });

      it('passes neither value, expiry nor subject to the record inserted in its place', async () => {
        const [former, next] = [randomUUID(), randomUUID()];
        const entry = newEntry({ expiresAt: PAST, subject: former });
        await vault.insert(entry);
        await vault.insert({ ...entry, value: 'second', expiresAt: undefined, subject: next });
        expect(await vault.get(entry)).toMatchObject({ value: 'second', expiresAt: undefined });
        expect(await vault.ofSubject(entry.kind, former)).toEqual([]);
        expect(await vault.ofSubject(entry.kind, next)).toHaveLength(1);
        expect(await vault.removeSubject(former)).toBe(0);
      });
    });

    describe('ofSubject and removeSubject', () => {
      const recordsOf = async (subject: string) => {
        const entries = ['session', 'session', 'code'].map((kind) => newEntry({ kind, subject }));
        for (const entry of entries) await vault.insert(entry);
        return entries;
      };

      it("return a person's records of one kind", async () => {
        const subject = randomUUID();
        const [first, second] = await recordsOf(subject);
        await recordsOf(randomUUID());
        const found = await vault.ofSubject('session', subject);
        expect(found.map(({ key }) => key).sort()).toEqual([first?.key, second?.key].sort());
        expect(found).toEqual(
          found.map(({ key }) => ({ kind: 'session', key, value: 'first', version: 1, expiresAt: undefined })),
        );
        expect(await vault.ofSubject('claim', subject)).toEqual([]);
      });

      it('remove the records of one person of all kinds, and no others', async () => {
        const [subject, other] = [randomUUID(), randomUUID()];
        const removed = await recordsOf(subject);
        const kept = await recordsOf(other);
        expect(await vault.removeSubject(subject)).toBe(3);
        expect(await vault.removeSubject(subject)).toBe(0);
        for (const entry of removed) expect(await beside.get(entry)).toBeUndefined();
        for (const entry of kept) expect(await beside.get(entry)).toBeDefined();
      });

      it('leave records without a subject', async () => {
        const entry = newEntry();
        await vault.insert(entry);
        await vault.removeSubject('');
        expect(await vault.get(entry)).toBeDefined();
      });
    });

    describe('a vault that is opened again', () => {
      it('has every record unchanged', async () => {
        const open = newStore();
        const first = open();
        const subject = randomUUID();
        const [plain, replaced, removed] = [newEntry(), newEntry({ subject, expiresAt: inAnHour() }), newEntry()];
        for (const entry of [plain, replaced, removed]) await first.insert(entry);
        await first.replace({ ...replaced, value: { second: true } }, 1);
        await first.remove(removed);

        await first.close();
        const again = open();
        expect(await again.get(plain)).toEqual({ ...plain, version: 1, expiresAt: undefined });
        expect(await again.ofSubject('claim', subject)).toEqual([
          { kind: 'claim', key: replaced.key, value: { second: true }, version: 2, expiresAt: replaced.expiresAt },
        ]);
        expect(await again.get(removed)).toBeUndefined();
        await again.close();
      });
    });
  });
};

const newKey = (): RecordKey => ({ kind: 'claim', key: randomUUID() });
const newEntry = (rest: Partial<VaultEntry> = {}): VaultEntry => ({ ...newKey(), value: 'first', ...rest });

const increment = async (vault: Vault, key: RecordKey): Promise<void> => {
  const record = await vault.get<number>(key);
  if (record === undefined) throw new Error('the counter is missing');
  const replaced = await vault.replace({ ...key, value: record.value + 1 }, record.version);
  if (!replaced) await increment(vault, key);
};
