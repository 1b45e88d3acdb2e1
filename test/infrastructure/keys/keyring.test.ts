import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { parseMasterKey, providedMasterKeys } from '../../../src/infrastructure/keys/master-key.js';
import { MasterKeyFile } from '../../../src/infrastructure/keys/master-key-file.js';
import { MasterKeyUnknown } from '../../../src/infrastructure/keys/wrapping.js';
import { temporaryDirectory } from '../../support/directory.js';
import { openKeyring } from '../persons/support/harness.js';

const given = (...texts: string[]) =>
  providedMasterKeys(texts.map((text) => parseMasterKey(text)).filter((key) => key !== undefined));
const aKey = () => randomBytes(32).toString('base64');
const bytesOf = (key: { export(): Buffer } | undefined) => key?.export().toString('hex');

describe('the key of a person', () => {
  it('is missing from the result if the person has none', async () => {
    const { keyring } = openKeyring(temporaryDirectory());
    const [one, other] = [randomUUID(), randomUUID()];
    await keyring.makeOfPerson(one);
    expect([...(await keyring.ofPersons([one, other])).keys()]).toEqual([one]);
    expect([...(await keyring.ofPersons([other, one])).keys()]).toEqual([one]);
  });

  it('differs for each person', async () => {
    const { keyring } = openKeyring(temporaryDirectory());
    const [one, other] = [await keyring.makeOfPerson(randomUUID()), await keyring.makeOfPerson(randomUUID())];
    expect(bytesOf(one)).not.toBe(bytesOf(other));
  });

  it('is wrapped in the vault, and belongs to the person there', async () => {
    const { vault, keyring } = openKeyring(temporaryDirectory());
    const person = randomUUID();
    const key = await keyring.makeOfPerson(person);
    const [record] = await vault.ofSubject<{ wrapped: string }>('person-key', person);
    expect(record).toMatchObject({ key: person, value: { masterKey: expect.stringMatching(/^[0-9a-f]{8}$/) } });
    const wrapped = Buffer.from(record?.value.wrapped ?? '', 'base64');
    expect(wrapped).toHaveLength(12 + 32 + 16);
    expect(wrapped.includes(key.export())).toBe(false);
  });

  it('is lost in every process as soon as it is erased, even in a process that has it in memory', async () => {
    const directory = temporaryDirectory();
    const { keyring } = openKeyring(directory);
    const { vault } = openKeyring(directory);
    const [person, kept] = [randomUUID(), randomUUID()];
    for (const each of [person, kept]) await keyring.makeOfPerson(each);
    expect((await keyring.ofPersons([person, kept])).size).toBe(2);
    await vault.removeSubject(person);
    expect([...(await keyring.ofPersons([person, kept])).keys()]).toEqual([kept]);
  });

  it('is unwrapped once for each version of its record', async () => {
    const directory = temporaryDirectory();
    const { vault, keyring } = openKeyring(directory);
    const person = randomUUID();
    await keyring.makeOfPerson(person);
    const first = (await keyring.ofPersons([person])).get(person);
    expect((await keyring.ofPersons([person])).get(person)).toBe(first);
    await openKeyring(directory).keyring.rotate();
    expect((await vault.get({ kind: 'person-key', key: person }))?.version).toBe(2);
    const rotated = (await keyring.ofPersons([person])).get(person);
    expect(bytesOf(rotated)).toBe(bytesOf(first));
    expect(rotated).not.toBe(first);
  });

  it('counts as lost and is reported if its record was altered or moved', async () => {
    const directory = temporaryDirectory();
    const { vault, keyring } = openKeyring(directory);
    const [one, other] = [randomUUID(), randomUUID()];
    for (const person of [one, other]) await keyring.makeOfPerson(person);
    const moved = await vault.get<object>({ kind: 'person-key', key: other });
    await vault.replace({ kind: 'person-key', key: one, value: moved?.value }, 1);
    const damaged: string[] = [];
    const fresh = openKeyring(directory, { onDamaged: (_, key) => damaged.push(key) }).keyring;
    expect([...(await fresh.ofPersons([one, other])).keys()]).toEqual([other]);
    expect(damaged).toEqual([one]);
  });
});

describe('a key of the service', () => {
  it('is loaded again after a failure', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'master.key'), 'no key at all\n');
    const { keyring } = openKeyring(directory);
    await expect(keyring.serviceKey('claims')).rejects.toBeInstanceOf(StoreUnavailable);
    writeFileSync(join(directory, 'master.key'), aKey());
    expect((await keyring.serviceKey('claims')).symmetricKeySize).toBe(32);
  });
});

it('no key is used or made before the program is admitted to the stores', async () => {
  const directory = temporaryDirectory();
  let isAdmitted = false;
  const admit = async () => {
    if (!isAdmitted) throw new Error('stores of another format');
  };
  const { vault, keyring } = openKeyring(directory, { admit });
  await expect(keyring.serviceKey('claims')).rejects.toThrow('another format');
  await expect(keyring.makeOfPerson(randomUUID())).rejects.toThrow('another format');
  expect(await vault.ofKind('service-key', undefined, 10)).toEqual([]);
  isAdmitted = true;
  expect((await keyring.serviceKey('claims')).symmetricKeySize).toBe(32);
});

describe('master keys that differ from those of the vault', () => {
  it('create no keys, and do not make existing keys look erased', async () => {
    const directory = temporaryDirectory();
    const person = randomUUID();
    const { keyring: right } = openKeyring(directory, { masterKeys: given(aKey()) });
    await right.check();
    await right.makeOfPerson(person);
    const { vault, keyring: wrong } = openKeyring(directory, { masterKeys: given(aKey()) });
    const newcomer = randomUUID();
    for (const call of [
      wrong.check(),
      wrong.makeOfPerson(newcomer),
      wrong.makeOfPerson(person),
      wrong.ofPersons([person]),
      wrong.serviceKey('claims'),
    ]) {
      await expect(call).rejects.toBeInstanceOf(MasterKeyUnknown);
    }
    await expect(wrong.check()).rejects.toThrow('MASTER_KEY');
    expect(await vault.ofSubject('person-key', newcomer)).toEqual([]);
  });

  it('are accepted if the right key follows the current key', async () => {
    const directory = temporaryDirectory();
    const [old, next] = [aKey(), aKey()];
    const person = randomUUID();
    const key = await openKeyring(directory, { masterKeys: given(old) }).keyring.makeOfPerson(person);
    const { keyring } = openKeyring(directory, { masterKeys: given(next, old) });
    await keyring.check();
    expect(bytesOf((await keyring.ofPersons([person])).get(person))).toBe(bytesOf(key));
  });

  it('in a new file that replaces a lost file create nothing', async () => {
    const directory = temporaryDirectory();
    const person = randomUUID();
    await openKeyring(directory).keyring.makeOfPerson(person);
    const text = readFileSync(join(directory, 'master.key'), 'utf8');
    writeFileSync(join(directory, 'master.key'), aKey());
    const { keyring } = openKeyring(directory);
    await expect(keyring.check()).rejects.toThrow(join(directory, 'master.key'));
    await expect(keyring.makeOfPerson(randomUUID())).rejects.toBeInstanceOf(MasterKeyUnknown);
    writeFileSync(join(directory, 'master.key'), text);
    await keyring.check();
    expect((await keyring.ofPersons([person])).size).toBe(1);
  });
});

describe('the file of the master keys', () => {
  it('is created once, when it is first needed, and is accessible only to its owner', async () => {
    const directory = temporaryDirectory();
    const files = Array.from({ length: 5 }, () => new MasterKeyFile(join(directory, 'master.key')));
    await openKeyring(directory).keyring.check();
    expect(readdirSync(directory)).not.toContain('master.key');
    expect(new Set(files.map((file) => file.current().id)).size).toBe(1);
    expect(statSync(join(directory, 'master.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory).filter((name) => name.startsWith('master.key'))).toEqual(['master.key']);
  });

  it('has one key a line, the current key first, and may have empty lines', () => {
    const file = join(temporaryDirectory(), 'master.key');
    const [first, second] = [aKey(), randomBytes(32).toString('hex')];
    writeFileSync(file, `${first}\n\n  ${second}  \n`);
    const keys = new MasterKeyFile(file);
    expect(keys.current().id).toBe(parseMasterKey(first)?.id);
    expect(keys.find(parseMasterKey(second)?.id ?? '')?.id).toBe(parseMasterKey(second)?.id);
  });

  it('is reported as unusable without its contents', () => {
    const file = join(temporaryDirectory(), 'master.key');
    writeFileSync(file, `${aKey()}\nnearly-a-key\n`);
    expect(() => new MasterKeyFile(file).current()).toThrow(/master\.key.*line 2/);
    expect(() => new MasterKeyFile(file).current()).not.toThrow(/nearly/);
    writeFileSync(file, '\n');
    expect(() => new MasterKeyFile(file).current()).toThrow(StoreUnavailable);
  });
});
