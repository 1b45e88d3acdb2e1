// Keys that several processes create at the same time, on files.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/directory.js';
import { fileStores } from '../../support/opened-stores.js';
import { openKeyring } from '../persons/support/harness.js';

const ringOn = (directory: string) => openKeyring(directory, { stores: fileStores(directory) }).keyring;
const bytesOf = (key: { export(): Buffer } | undefined) => key?.export().toString('hex');

it('the key of a person is created once, even by concurrent callers', async () => {
  const directory = temporaryDirectory();
  const rings = Array.from({ length: 5 }, () => ringOn(directory));
  const person = randomUUID();
  const keys = await Promise.all([...rings, ...rings].map((keyring) => keyring.makeOfPerson(person)));
  expect(new Set(keys.map(bytesOf)).size).toBe(1);
  expect(keys[0]?.symmetricKeySize).toBe(32);
  const read = await ringOn(directory).ofPersons([person]);
  expect(bytesOf(read.get(person))).toBe(bytesOf(keys[0]));
});

it('a key of the service is the same for every caller at any time, and differs for each name', async () => {
  const directory = temporaryDirectory();
  const rings = Array.from({ length: 5 }, () => ringOn(directory));
  const keys = await Promise.all([...rings, ...rings].map((keyring) => keyring.serviceKey('claims')));
  keys.push(await ringOn(directory).serviceKey('claims'));
  expect(new Set(keys.map(bytesOf)).size).toBe(1);
  expect(bytesOf(await ringOn(directory).serviceKey('codes'))).not.toBe(bytesOf(keys[0]));
});
