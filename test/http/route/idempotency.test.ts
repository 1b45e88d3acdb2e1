import { createSecretKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { Idempotency } from '../../../src/http/route/idempotency.js';
import { SignUp } from '../../../src/http/routes/auth/sign-up-schemas.js';
import { Doctor, RevisedUser } from '../../../src/http/routes/users/schemas.js';
import type { PersonKeys } from '../../../src/infrastructure/sealing/sealed-text.js';
import type { Vault, VaultRecord } from '../../../src/infrastructure/vault/vault.js';

const ROUNDS = 10;
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

it('a request that waited for another process leaves no timers behind', async () => {
  const answer = { status: 200, headers: {}, body: '{}' };
  let found: object = {};
  let rounds = 0;
  // Another process works on the request, and then stores its response.
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
  const idempotency = new Idempotency(
    { vault: vault as Vault, serviceKey, personKeys: {} as PersonKeys },
    async () => '',
  );
  const before = timers();
  const identity = { caller: 'one', method: 'POST', path: '/things', key: 'one', payload: {} };
  const { replayed } = await idempotency.once(identity, () => Promise.reject(new Error('it works elsewhere')));
  expect([replayed, rounds]).toEqual([true, ROUNDS + 1]);
  expect(timers() - before).toBeLessThan(ROUNDS / 2);
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
