// Which event log and vault belong together, on any engines.
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { StoresApart, UnknownFormat } from '../../src/infrastructure/errors.js';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { Keyring } from '../../src/infrastructure/keys/keyring.js';
import { parseMasterKey, providedMasterKeys } from '../../src/infrastructure/keys/master-key.js';
import { MasterKeyUnknown } from '../../src/infrastructure/keys/wrapping.js';
import { FORMAT, StoreFormat } from '../../src/infrastructure/vault/store-format.js';
import { changeRecord, type Vault } from '../../src/infrastructure/vault/vault.js';
import { pairOf } from '../../src/operations/store-pair.js';
import { newEvent, written } from '../infrastructure/facts/support/harness.js';
import { openSealed, registered } from '../infrastructure/persons/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { numbers } from '../support/items.js';

const STAMP = { kind: 'format', key: 'stores' };
const OLDER = { ...STAMP, value: { format: FORMAT - 1 } };

export interface Stores {
  readonly facts: Facts;
  readonly vault: Vault;
}

const newMasterKeys = () => {
  const key = parseMasterKey(randomBytes(32).toString('base64'));
  if (key === undefined) throw new Error('the key is not a master key');
  return providedMasterKeys([key]);
};

/** Declares the tests on stores of new installations, each with its own log and vault. */
export const storePairSuite = (open: () => Promise<Stores>): void => {
  const masterKeys = newMasterKeys();
  let mine: Stores;
  let other: Stores;
  beforeEach(async () => {
    [mine, other] = [await open(), await open()];
  });

  const pair = (stores: Stores, onApart?: (error: StoresApart) => void, missing: readonly string[] = []) =>
    pairOf({
      facts: async () => stores.facts,
      vault: async () => stores.vault,
      isMissing: (store) => missing.includes(store),
      names: ['the log', 'the vault'],
      ...{ masterKeys, onApart },
    });
  const stampOf = async ({ vault }: Stores) => (await vault.get(STAMP))?.value;
  const sealing = (stores: Stores) => openSealed(temporaryDirectory(), stores, masterKeys).facts;
  const plain = async ({ facts }: Stores): Promise<string> => {
    const event = newEvent();
    written(await facts.append(`specialty-${randomUUID()}`, 'no-stream', [event]));
    return event.id;
  };
  /** Registers a person. Returns the person's stream and the id of the event. */
  const person = async (stores: Stores, stream = `user-${randomUUID()}`) => {
    const event = registered();
    written(await sealing(stores).append(stream, 'no-stream', [event]));
    return { stream, id: event.id };
  };
  const older = async ({ vault }: Stores) => {
    await vault.remove(STAMP);
    await vault.insert(OLDER);
  };
  /** Has the key of a person name a master key that nobody knows. */
  const wrapElsewhere = ({ vault }: Stores, stream: string) =>
    changeRecord<object>(vault, { kind: 'person-key', key: stream.slice('user-'.length) }, (value) => ({
      ...{ kind: 'person-key', key: stream.slice('user-'.length), subject: stream.slice('user-'.length) },
      value: { ...value, masterKey: 'deadbeef' },
    }));
  const expectApart = async (stores: Stores, words: RegExp) => {
    const before = await stampOf(stores);
    const refusal = await pair(stores)
      .judge()
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StoresApart);
    expect(`${refusal}`).toMatch(words);
    expect(`${refusal}`).toContain('restore both from one backup');
    expect(await stampOf(stores)).toEqual(before);
  };

  describe('a new installation', () => {
    it('starts, also a second time, and its vault gets the id with the first event', async () => {
      for (const _ of [1, 2]) expect(await pair(mine).judge()).toBeUndefined();
      expect(await stampOf(mine)).toEqual({ format: FORMAT });
      const running = pair(mine);
      await running.judge();
      const id = await plain(mine);
      expect(await running.judge()).toBe(id);
      expect(await stampOf(mine)).toEqual({ format: FORMAT, log: id });
      await plain(mine);
      expect([await running.judge(), await pair(mine).judge()]).toEqual([id, id]);
    });

    it('has one id if several processes start and write at once', async () => {
      const processes = numbers(1, 5).map(() => pair(mine));
      await Promise.all(processes.map(({ judge }) => judge()));
      const ids = await Promise.all(
        processes.map(async ({ judge }) => {
          await plain(mine);
          return judge();
        }),
      );
      expect(new Set(ids).size).toBe(1);
      expect(await stampOf(mine)).toEqual({ format: FORMAT, log: ids[0] });
    });

    it('goes on after a kill before the first append, with keys and claims of several persons', async () => {
      await pair(mine).judge();
      const keyring = new Keyring(mine.vault, masterKeys);
      for (const _ of [1, 2, 3]) await keyring.makeOfPerson(randomUUID());
      await mine.vault.insert({ kind: 'claim', key: 'one', value: 1 });
      expect(await pair(mine).judge()).toBeUndefined();
    });

    it.each([
      ['plain', plain],
      ['personal', async (stores: Stores) => (await person(stores)).id],
    ])('goes on after a kill between the first append, %s, and the id', async (_, append) => {
      await pair(mine).judge();
      const id = await append(mine);
      expect(await pair(mine).judge()).toBe(id);
    });
  });

  describe('stores of an earlier version', () => {
    it.each([
      ['nobody', 0],
      ['one person', 1],
      ['one of three persons with a key', 3],
    ])('get the id if there is %s', async (_, persons) => {
      const id = await plain(mine);
      const keyless = [];
      for (let n = 0; n < persons; n += 1) keyless.push(await person(mine));
      for (const { stream } of keyless.slice(1)) await mine.vault.removeSubject(stream.slice('user-'.length));
      await older(mine);
      expect(await pair(mine).judge()).toBe(id);
      expect(await stampOf(mine)).toEqual({ format: FORMAT, log: id });
    });

    it('get the id if every person whose key is gone was erased', async () => {
      const { stream, id } = await person(mine);
      written(await mine.facts.append(stream, 0, [{ ...newEvent({ reason: 'x' }), type: 'UserErased' }]));
      await mine.vault.removeSubject(stream.slice('user-'.length));
      await older(mine);
      expect(await pair(mine).judge()).toBe(id);
    });

    it.each(['first', 'second', 'last'])('get the id if only the key of the %s person opens', async (only) => {
      const persons = [await person(mine), await person(mine), await person(mine)];
      for (const [at, { stream }] of persons.entries()) {
        if (at !== ['first', 'second', 'last'].indexOf(only)) await wrapElsewhere(mine, stream);
      }
      await older(mine);
      expect(await pair(mine).judge()).toBe(persons[0]?.id);
    });

    it('are not judged if only a master key is missing', async () => {
      for (const { stream } of [await person(mine), await person(mine)]) await wrapElsewhere(mine, stream);
      await older(mine);
      await expect(pair(mine).judge()).rejects.toThrow(MasterKeyUnknown);
      expect(await stampOf(mine)).toEqual(OLDER.value);
    });

    it('are refused if no key opens a personal field', async () => {
      for (const _ of [1, 2, 3]) await person(mine);
      await person(other);
      await older(other);
      await expectApart({ facts: mine.facts, vault: other.vault }, /the vault has no key .* the log/);
    });

    it('are refused if the log is empty, and two persons have keys', async () => {
      const [first] = [await person(mine), await person(mine)];
      await older(mine);
      await expectApart({ facts: other.facts, vault: mine.vault }, /the log is missing or empty/);
      await mine.vault.removeSubject(first.stream.slice('user-'.length));
      expect(await pair({ facts: other.facts, vault: mine.vault }).judge()).toBeUndefined();
    });
  });

  describe('stores that do not belong together are refused, and nothing is written', () => {
    it('if the vault is missing, empty or new', async () => {
      await person(mine);
      const without = { facts: mine.facts, vault: other.vault };
      await expectApart(without, /the vault is missing or empty, but the log has events/);
      await expect(pair(without, undefined, ['vault']).judge()).rejects.toThrow(StoresApart);
      await new Keyring(other.vault, masterKeys).serviceKey('opaque');
      await expect(pair(without).judge()).rejects.toThrow(UnknownFormat);
    });

    it('if the vault has the id, and the log is empty or another', async () => {
      await pair(mine).judge();
      const id = await plain(mine);
      await pair(mine).judge();
      const apart = { facts: other.facts, vault: mine.vault };
      await expectApart(apart, /the log is missing or empty, but the vault belongs to a log/);
      await expect(pair(mine, undefined, ['facts']).judge()).rejects.toThrow(StoresApart);
      const others = await plain(other);
      await expectApart(apart, new RegExp(`the log begins with event ${others}, but that of the vault with ${id}`));
    });
  });

  it('a contradiction that is gone a second later stops nothing', async () => {
    const id = await plain(mine);
    let reads = 0;
    const vault = Object.assign(Object.create(mine.vault) as Vault, {
      ...{ ofKind: mine.vault.ofKind.bind(mine.vault), insert: mine.vault.insert.bind(mine.vault) },
      replace: mine.vault.replace.bind(mine.vault),
      async get(key: typeof STAMP) {
        reads += 1;
        if (reads === 3) await new StoreFormat(mine.vault).claim();
        return mine.vault.get(key);
      },
    });
    expect(await pair({ facts: mine.facts, vault }).judge()).toBe(id);
  });

  it('a process that wrote to another log than the first is reported, and appends no more', async () => {
    const reported: string[] = [];
    const running = pair({ facts: other.facts, vault: mine.vault }, ({ message }) => reported.push(message));
    await running.judge();
    await pair(mine).judge();
    await plain(mine);
    await pair(mine).judge();
    const facts = openSealed(
      temporaryDirectory(),
      { facts: other.facts, vault: mine.vault },
      masterKeys,
      running.judge,
    );
    const append = () => facts.facts.append(`specialty-${randomUUID()}`, 'no-stream', [newEvent()]);
    await expect(append()).rejects.toThrow(StoresApart);
    expect(reported).toEqual([expect.stringMatching(/the log is missing or empty/)]);
    expect((await other.facts.readLog({ aggregates: ['specialty'], after: undefined }, 1)).events).toEqual([]);
  });
};
