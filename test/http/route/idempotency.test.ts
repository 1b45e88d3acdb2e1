import { createHash, createSecretKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { Idempotency } from '../../../src/http/route/idempotency.js';
import { SignUp } from '../../../src/http/routes/auth/sign-up-schemas.js';
import { Doctor, RevisedUser } from '../../../src/http/routes/users/schemas.js';
import type { PersonKeys } from '../../../src/infrastructure/sealed/sealed-text.js';
import type { Vault, VaultRecord } from '../../../src/infrastructure/vault/vault.js';

const ROUNDS = 10;
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

const identity = { caller: 'one', method: 'POST', path: '/things', key: 'one', payload: {} };
const answer = { status: 200, headers: {}, body: '{}' };
const idle = () => Promise.reject(new Error('it works elsewhere'));

/** Returns the requests at a process, and how often they looked for the response, which another process stores. */
const waitingProcess = () => {
  let found: object = {};
  let rounds = 0;
  const vault: Pick<Vault, 'insert' | 'get'> = {
    insert: async ({ value }) => {
      found = { ...(value as object), workingUntil: Number.POSITIVE_INFINITY };
      return undefined;
    },
    get: async <T>() => {
      rounds += 1;
      const value = rounds > ROUNDS ? { ...found, answer } : found;
      return { kind: 'idempotency', key: 'one', value, version: 1 } as VaultRecord<T>;
    },
  };
  const serviceKey = async () => createSecretKey(Buffer.alloc(32));
  const stores = { vault: vault as Vault, serviceKey, personKeys: {} as PersonKeys };
  const idempotency = new Idempotency(stores, async () => '');
  return { idempotency, rounds: () => rounds };
};

it('a request that waited for another process leaves no timers behind', async () => {
  const { idempotency, rounds } = waitingProcess();
  const before = timers();
  const { replayed } = await idempotency.once(identity, idle, async () => undefined);
  expect([replayed, rounds()]).toEqual([true, ROUNDS + 1]);
  expect(timers() - before).toBeLessThan(ROUNDS / 2);
});

it('a request whose caller is refused while it waits for another request gets no response of that request', async () => {
  const { idempotency, rounds } = waitingProcess();
  const refusal = new Error('the session has ended');
  const refuseLast = async () => {
    if (rounds() === ROUNDS) throw refusal;
  };
  await expect(idempotency.once(identity, idle, refuseLast)).rejects.toBe(refusal);
});

// Earlier versions stored these keys, without a query, for a day.
it('a request without a query has the key that earlier versions gave it', async () => {
  const keys: string[] = [];
  const vault = {
    insert: async ({ key }: { key: string }) => {
      keys.push(key);
      throw new Error('the vault is unavailable');
    },
  };
  const serviceKey = async () => createSecretKey(Buffer.alloc(32));
  const stores = { vault: vault as unknown as Vault, serviceKey, personKeys: {} as PersonKeys };
  const idempotency = new Idempotency(stores, async () => '');
  await expect(idempotency.once(identity, idle, async () => undefined)).rejects.toThrow('the vault is unavailable');
  expect(keys).toEqual([createHash('sha256').update('["one","POST","/things","one"]').digest('hex')]);
});

// The digest of a body follows the order of its schema, and another version of the program may have made the digest.
it.each([
  ['a doctor', Doctor, 'firstName lastName gender document birthDate dialingCode phone profiles auth'],
  [
    'a sign-up',
    SignUp,
    'notificationProviderType firstName lastName birthDate gender document dialingCode phone acceptTerms auth profiles',
  ],
  [
    'a revised user',
    RevisedUser,
    'id firstName lastName email gender document birthDate dialingCode phone enabled createdAt updatedAt',
  ],
])('the members of %s keep their order', (_, { shape }, members) => {
  expect(Object.keys(shape).join(' ')).toBe(members);
});
