import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { parseMasterKey, providedMasterKeys } from '../../../src/infrastructure/keys/master-key.js';
import { MasterKeyFile } from '../../../src/infrastructure/keys/master-key-file.js';
import { countKeys, rotateKeys } from '../../../src/infrastructure/keys/rotation.js';
import { wrap } from '../../../src/infrastructure/keys/wrapping.js';
import { newKey } from '../../../src/infrastructure/sealed/aes-gcm.js';
import { intercepted } from '../../projections/support/intercepted.js';
import { temporaryDirectory } from '../../support/directory.js';
import { collect, written } from '../facts/support/harness.js';
import { openKeyring, openSealed, registered, rejected } from '../persons/support/harness.js';

const aKey = () => randomBytes(32).toString('base64');
const given = (...texts: string[]) =>
  providedMasterKeys(texts.map((text) => parseMasterKey(text)).filter((key) => key !== undefined));
const idOf = (text: string) => parseMasterKey(text)?.id ?? '';
const linesOf = (directory: string) => readFileSync(join(directory, 'master.key'), 'utf8').trim().split('\n');

/** Returns a keyring on a directory with the keys of `count` persons and a key of the service. */
const keyringWith = async (directory: string, count: number) => {
  const { vault, keyring } = openKeyring(directory);
  const persons = Array.from({ length: count }, () => randomUUID());
  await Promise.all(persons.map((person) => keyring.makeOfPerson(person)));
  await keyring.serviceKey('claims');
  return { vault, keyring, persons };
};

describe('a rotation of the master key in a file', () => {
  it('wraps every key with a new master key, changes none, and leaves only the new master key in the file', async () => {
    const directory = temporaryDirectory();
    const { vault, keyring, persons } = await keyringWith(directory, 120);
    const [old = ''] = linesOf(directory);
    const before = await keyring.ofPersons(persons);
    const { current, rewrapped, left } = await keyring.rotate();
    expect({ rewrapped, left }).toEqual({ rewrapped: 122, left: [] });
    const [now = '', ...others] = linesOf(directory);
    expect([others, idOf(now)]).toEqual([[], current]);
    expect(now).not.toBe(old);
    expect(await keyring.counts()).toEqual({ current, counts: new Map([[current, 122]]) });
    const after = await openKeyring(directory).keyring.ofPersons(persons);
    for (const person of persons) expect(after.get(person)?.export()).toEqual(before.get(person)?.export());
    expect([after.size, await vault.removeSubject(persons[0] ?? '')]).toEqual([120, 1]);
  });

  it('continues a rotation that was interrupted', async () => {
    const directory = temporaryDirectory();
    const { keyring, persons } = await keyringWith(directory, 3);
    const [old = ''] = linesOf(directory);
    const next = aKey();
    writeFileSync(join(directory, 'master.key'), `${next}\n${old}\n`);
    await keyring.makeOfPerson(randomUUID());
    expect(await keyring.rotate()).toMatchObject({ current: idOf(next), rewrapped: 5, left: [] });
    expect(linesOf(directory)).toEqual([next]);
    expect((await openKeyring(directory).keyring.ofPersons(persons)).size).toBe(3);
  });

  it('runs one at a time, and does not wait for a rotation that was interrupted', async () => {
    const directory = temporaryDirectory();
    const { vault, keyring } = await keyringWith(directory, 1);
    const lines = linesOf(directory);
    const lock = { kind: 'lock', key: 'keys-rotate', value: null };
    await vault.insert({ ...lock, expiresAt: Date.now() + 600_000 });
    await expect(keyring.rotate()).rejects.toThrow('another rotation');
    expect(linesOf(directory)).toEqual(lines);
    await vault.replace({ ...lock, expiresAt: 1 }, 1);
    expect((await keyring.rotate()).rewrapped).toBe(3);
    expect((await keyring.rotate()).rewrapped).toBe(3);
  });

  it('leaves the keys that it cannot open unchanged, and says why', async () => {
    const directory = temporaryDirectory();
    const { vault, keyring, persons } = await keyringWith(directory, 3);
    const [foreign = '', altered = ''] = persons;
    const record = await vault.get<{ masterKey: string; wrapped: string }>({ kind: 'person-key', key: foreign });
    const value = { masterKey: '00000000', wrapped: record?.value.wrapped };
    await vault.replace({ kind: 'person-key', key: foreign, value, subject: foreign }, 1);
    const other = await vault.get<object>({ kind: 'person-key', key: persons[2] ?? '' });
    await vault.replace({ kind: 'person-key', key: altered, value: other?.value, subject: altered }, 1);
    const { rewrapped, left } = await keyring.rotate();
    expect(rewrapped).toBe(3);
    expect(left.toSorted((a, b) => a.reason.localeCompare(b.reason))).toEqual([
      { kind: 'person-key', key: altered, reason: expect.any(String) },
      { kind: 'person-key', key: foreign, reason: expect.stringContaining('00000000') },
    ]);
    expect(await vault.get({ kind: 'person-key', key: foreign })).toMatchObject({ value });
  });

  it('rewraps a key that another process made with the old master key just before it was retired', async () => {
    const directory = temporaryDirectory();
    const { vault } = await keyringWith(directory, 2);
    const masterKeys = new MasterKeyFile(join(directory, 'master.key'));
    const old = masterKeys.current();
    const place = { kind: 'person-key', key: randomUUID() } as const;
    const made = newKey();
    const retire = masterKeys.retire.bind(masterKeys);
    let making: Promise<unknown> | undefined;
    vi.spyOn(masterKeys, 'retire').mockImplementation(() => {
      making = vault.insert({ ...place, value: wrap(old, place, made) });
      retire();
    });
    const waiting = intercepted(vault, async (_, __, call) => {
      await making;
      return call();
    });
    const { current, rewrapped, left } = await rotateKeys(waiting, masterKeys);
    expect({ rewrapped, left }).toEqual({ rewrapped: 5, left: [] });
    expect(await countKeys(vault, masterKeys)).toEqual({ current, counts: new Map([[current, 5]]) });
    const opened = await openKeyring(directory).keyring.ofPersons([place.key]);
    expect(opened.get(place.key)?.export()).toEqual(made.export());
  });

  it('runs beside processes that create keys, read and append', async () => {
    const directory = temporaryDirectory();
    const [one, other] = [openSealed(directory), openSealed(directory)];
    const rotating = openKeyring(directory).keyring;
    let isRotating = true;
    const rotations = (async () => {
      for (let count = 0; count < 4; count += 1) await rotating.rotate();
      isRotating = false;
    })();
    const streams: string[] = [];
    const work = async (facts: typeof one.facts) => {
      for (let n = 0; isRotating || n < 5; n += 1) {
        const stream = `user-${randomUUID()}`;
        written(await facts.append(stream, 'no-stream', [registered({ firstName: `n${n}` })]));
        written(await facts.append(stream, 0, [rejected(`reason ${n}`)]));
        streams.push(stream);
      }
    };
    await Promise.all([rotations, work(one.facts), work(one.facts), work(other.facts)]);
    const fresh = openSealed(directory);
    expect(linesOf(directory)).toHaveLength(1);
    expect((await fresh.keyring.counts()).counts.size).toBe(1);
    for (const stream of streams) {
      const events = await collect(fresh.facts.readStream(stream));
      expect(events).toMatchObject([
        { data: { firstName: expect.stringMatching(/^n\d+$/) } },
        { data: { reason: expect.stringMatching(/^reason \d+$/) } },
      ]);
    }
    expect([fresh.watch, one.watch, other.watch].flatMap(({ withoutKeys, altered }) => [withoutKeys, altered])).toEqual(
      Array.from({ length: 6 }, () => []),
    );
  });
});

describe('a rotation of the master key in a variable', () => {
  it('wraps every key with the first master key, so that the others are no longer needed', async () => {
    const directory = temporaryDirectory();
    const [old, next] = [aKey(), aKey()];
    const person = randomUUID();
    await openKeyring(directory, { masterKeys: given(old) }).keyring.makeOfPerson(person);
    const rotated = await openKeyring(directory, { masterKeys: given(next, old) }).keyring.rotate();
    expect(rotated).toEqual({ current: idOf(next), rewrapped: 2, left: [] });
    const { keyring } = openKeyring(directory, { masterKeys: given(next) });
    await keyring.check();
    expect((await keyring.ofPersons([person])).size).toBe(1);
    expect((await keyring.rotate()).rewrapped).toBe(0);
  });

  it('can take over from a file', async () => {
    const directory = temporaryDirectory();
    const { persons } = await keyringWith(directory, 2);
    const [old = ''] = linesOf(directory);
    const next = aKey();
    await openKeyring(directory, { masterKeys: given(next, old) }).keyring.rotate();
    expect((await openKeyring(directory, { masterKeys: given(next) }).keyring.ofPersons(persons)).size).toBe(2);
  });
});
