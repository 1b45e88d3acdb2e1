import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { UnknownFormat } from '../../../src/infrastructure/errors.js';
import { Keyring } from '../../../src/infrastructure/keys/keyring.js';
import { MasterKeyFile } from '../../../src/infrastructure/keys/master-key-file.js';
import { SealedFacts } from '../../../src/infrastructure/persons/sealed-facts.js';
import { temporaryDirectory } from '../../support/directory.js';
import { memoryStores } from '../../support/opened-stores.js';
import { newEvent } from '../facts/support/harness.js';
import { openSealed } from './support/harness.js';

it('an append asks before it writes whether the stores belong together, and after it, but not after a conflict', async () => {
  const asked: unknown[] = [];
  const directory = temporaryDirectory();
  const stores = memoryStores(directory);
  const judge = async () => void asked.push((await stores.facts.head()) !== undefined);
  const { facts } = openSealed(directory, stores, undefined, judge);
  const [stream, event] = [`protocol-${randomUUID()}`, newEvent()];
  const append = (id: string) => facts.append(stream, 'no-stream', [{ ...event, id }]);
  expect(await append(event.id)).toMatchObject({ outcome: 'written' });
  expect(asked).toEqual([false, true]);
  expect(await append(randomUUID())).toEqual({ outcome: 'conflict' });
  expect(asked).toHaveLength(3);
});

it('an append without personal fields is refused until the program may use the stores', async () => {
  const directory = temporaryDirectory();
  const { stored, vault, ...sealing } = openSealed(directory);
  let [isAdmitted, asked] = [false, 0];
  const admit = async () => {
    asked += 1;
    if (!isAdmitted) throw new UnknownFormat('the vault', 1, 7);
  };
  const keyring = new Keyring(vault, new MasterKeyFile(`${directory}/master.key`), { admit });
  const facts = new SealedFacts(stored, { ...sealing, keyring });
  const append = () => facts.append(`protocol-${randomUUID()}`, 'no-stream', [newEvent()]);
  await expect(append()).rejects.toThrow(UnknownFormat);
  expect(await stored.head()).toBeUndefined();
  isAdmitted = true;
  for (const _ of [1, 2]) expect(await append()).toMatchObject({ outcome: 'written' });
  expect(asked).toBe(2);
});
