import { createHash, createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/http/problems/problems.js';
import { Idempotency, type RequestIdentity } from '../../../src/http/route/idempotency.js';
import type { Made } from '../../../src/http/route/remaking.js';
import { SignUp } from '../../../src/http/routes/auth/sign-up-schemas.js';
import { Doctor, RevisedUser } from '../../../src/http/routes/users/schemas.js';
import type { PersonKeys } from '../../../src/infrastructure/sealed/sealed-text.js';
import type { Vault } from '../../../src/infrastructure/vault/vault.js';
import { someone } from '../../commands/support/walker.js';
import { intercepted } from '../../projections/support/intercepted.js';
import { MemoryVault } from '../../support/memory-vault.js';
import { steppedClock } from '../../support/stepped-clock.js';

type Work = Parameters<Idempotency['once']>[1];

const ROUNDS = 10;
const TURN_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

const identity = { caller: 'one', method: 'POST', path: '/things', key: 'one', payload: {}, walker: someone() };
const answer = { status: 200, headers: {}, body: '{}' };
const idle = () => Promise.reject(new Error('it works elsewhere'));
const refusal = new Problem('not-allowed');
const refuses = () => Promise.reject(refusal);
const responds =
  (body: string, made: Made = []): Work =>
  async () => ({ answer: { ...answer, body }, made });
const shown = (aggregate: string, id: string) => ({ aggregate, id, revision: 1, parts: [id] });

/** Returns a service with this vault: `open` starts a process, and `erase` removes the key of a user. */
const service = (vault: Vault = new MemoryVault()) => {
  const { pass } = steppedClock();
  const erased = new Set<string>();
  const keyOf = (name: string) => createSecretKey(Buffer.alloc(32, name));
  const personKeys: PersonKeys = async (persons) =>
    new Map(persons.filter((id) => !erased.has(id)).map((id) => [id, keyOf(id)]));
  const stores = { vault, serviceKey: async (name: string) => keyOf(name), personKeys };
  const open = () => new Idempotency(stores, async (made) => JSON.stringify(made));
  return { vault, open, erase: (id: string) => void erased.add(id), pass };
};

const stays = async () => undefined;
const refuseToWait = async () => {
  throw new Error('the request had to wait');
};
type Changes = Partial<RequestIdentity> & { readonly afterWait?: () => Promise<void> };

/** Sends the request, which may wait only if it has an `afterWait`. */
const send = (process: Idempotency, work: Work, { afterWait = refuseToWait, ...changes }: Changes = {}) =>
  process.once({ ...identity, ...changes }, work, afterWait);

/** Sends the request to a process that is killed while it works. Resolves with what the work was given. */
const sendToKilled = (process: Idempotency, changes?: Changes) =>
  new Promise<{ id: string; resumed: boolean }>((begun, failed) => {
    const work: Work = (ids, resumed) => {
      begun({ id: ids.aggregateId(), resumed });
      return new Promise(() => {});
    };
    send(process, work, changes).catch(failed);
  });

describe('a repeated request', () => {
  it.each([{ name: 'x' }, undefined])('gets the stored response from every process: %j', async (payload) => {
    const { open } = service();
    const [one, another] = [open(), open()];
    const response = { answer: { ...answer, body: 'first' }, replayed: false };
    expect(await send(one, responds('first'), { payload })).toEqual(response);
    for (const each of [one, another])
      expect(await send(each, idle, { payload })).toEqual({ ...response, replayed: true });
  });

  it('is refused if it has another payload', async () => {
    const { open } = service();
    await send(open(), responds('first'));
    await expect(send(open(), idle, { payload: [] })).rejects.toMatchObject({ code: 'idempotency-key-reused' });
  });

  it('gets the stored response for a day, and then is handled again', async () => {
    const { open, pass } = service();
    const replays: boolean[] = [];
    for (const ms of [0, DAY_MS - 1, 1]) {
      await pass(ms);
      replays.push((await send(open(), responds('{}'))).replayed);
    }
    expect(replays).toEqual([false, true, false]);
  });

  it.each<[string, string, Made, boolean]>([
    ['of 4,096 bytes is stored', 'é'.repeat(2_048), shown('institution', 'one'), false],
    ['of 4,097 bytes is made again', `${'é'.repeat(2_048)}x`, shown('institution', 'one'), true],
    ['of 4,097 bytes about a user is made again', 'x'.repeat(4_097), [shown('user', 'one')], true],
    ['that shows nothing is stored, whatever its length', 'x'.repeat(4_097), [], false],
  ])('gets its body again: one %s', async (_, body, made, isRemade) => {
    const { open } = service();
    expect(await send(open(), responds(body, made))).toMatchObject({ answer: { body } });
    const expected = isRemade ? JSON.stringify(made) : body;
    expect(await send(open(), idle)).toEqual({ answer: { ...answer, body: expected }, replayed: true });
  });
});

describe('a stored response', () => {
  it.each<[string, Made, boolean, boolean]>([
    ['about the user is sealed, and discarded once the user is erased', shown('user', 'one'), true, true],
    ['about users is discarded once one is erased', [shown('user', 'two'), shown('user', 'one')], true, true],
    ['about another user is sealed, and stays', shown('user', 'two'), true, false],
    ['about an institution is not sealed, and stays', shown('institution', 'one'), false, false],
  ])('%s', async (_, made, isSealed, isDiscarded) => {
    const { vault, open, erase } = service();
    await send(open(), responds('a name', made));
    expect(JSON.stringify(await vault.ofKind('idempotency', undefined, 1)).includes('a name')).toBe(!isSealed);
    erase('one');
    expect(await send(open(), responds('{}'), { afterWait: stays })).toMatchObject({ replayed: !isDiscarded });
  });

  it('does not exist if its user was erased during the request', async () => {
    const { open, erase } = service();
    const work: Work = async (...given) => {
      erase('one');
      return responds('a name', shown('user', 'one'))(...given);
    };
    expect(await send(open(), work)).toMatchObject({ answer: { body: 'a name' } });
    expect(await sendToKilled(open())).toMatchObject({ resumed: false });
  });
});

describe('a failed request', () => {
  it('leaves its key to any payload if it was refused', async () => {
    const { open } = service();
    await expect(send(open(), refuses)).rejects.toBe(refusal);
    expect(await send(open(), responds('{}'), { payload: [] })).toMatchObject({ replayed: false });
  });

  it('is resumed at once by a repetition if its outcome is unknown', async () => {
    const { open } = service();
    await expect(send(open(), idle)).rejects.toThrow('it works elsewhere');
    expect(await sendToKilled(open())).toMatchObject({ resumed: true });
  });
});

describe('a request whose turn has ended', () => {
  it('is resumed with the same ids by one process', async () => {
    const { open, pass } = service();
    const first = await sendToKilled(open());
    const { id } = await sendToKilled(open(), { key: 'another' });
    expect(first).toEqual({ id: expect.not.stringMatching(id), resumed: false });
    await pass(TURN_MS);
    const worked: object[] = [];
    const work: Work = (ids, resumed) => {
      worked.push({ id: ids.aggregateId(), resumed });
      return responds('{}')(ids, resumed);
    };
    const both = [open(), open()].map((each) => send(each, work, { afterWait: () => pass(TURN_MS) }));
    expect((await Promise.all(both)).map(({ replayed }) => replayed)).toEqual([false, true]);
    expect(worked).toEqual([{ ...first, resumed: true }]);
  });

  it.each<[string, Work]>([
    ['response', responds('late')],
    ['refusal', refuses],
  ])('does not replace the response of the process that took over: its own %s', async (_, ends) => {
    const { open, pass } = service();
    const work: Work = async (...given) => {
      await pass(TURN_MS);
      await send(open(), responds('taken over'));
      return ends(...given);
    };
    await Promise.allSettled([send(open(), work)]);
    expect(await send(open(), idle)).toMatchObject({ answer: { body: 'taken over' }, replayed: true });
  });
});

describe('a request that waits for an equal request', () => {
  it('leaves no timers behind', async () => {
    const { open, pass } = service();
    await sendToKilled(open());
    const before = timers();
    let rounds = 0;
    const afterWait = async () => {
      rounds += 1;
      if (rounds < ROUNDS) return;
      await pass(TURN_MS);
      await send(open(), responds('{}'));
    };
    expect(await send(open(), idle, { afterWait })).toMatchObject({ replayed: true });
    expect(timers() - before).toBeLessThan(ROUNDS / 2);
  });

  it('gets no response if its caller is refused when the response is there', async () => {
    const { open, pass } = service();
    await sendToKilled(open());
    const afterWait = async () => {
      await pass(TURN_MS);
      await send(open(), responds('{}'));
      throw refusal;
    };
    await expect(send(open(), idle, { afterWait })).rejects.toBe(refusal);
  });

  it('gets a conflict after a turn if another process has taken over', async () => {
    const { open, pass } = service();
    await sendToKilled(open());
    const afterWait = async () => {
      await pass(TURN_MS);
      await sendToKilled(open());
    };
    const conflict = { code: 'request-in-progress', headers: { 'Retry-After': '1' } };
    await expect(send(open(), responds('{}'), { afterWait })).rejects.toMatchObject(conflict);
  });

  it('does the work if the record of the other request is removed in the meantime', async () => {
    const vault = new MemoryVault();
    const { open } = service(
      intercepted(vault, (name, [key], call) =>
        name === 'get' && key !== undefined ? vault.remove(key).then(() => undefined) : call(),
      ),
    );
    await sendToKilled(open());
    expect(await send(open(), responds('{}'), { afterWait: stays })).toMatchObject({ replayed: false });
  });

  it('lets its process do other work, also after that process failed to do the work itself', async () => {
    const { open } = service();
    const one = open();
    await expect(send(one, idle)).rejects.toThrow('it works elsewhere');
    await sendToKilled(open());
    const didWork: boolean[] = [];
    setImmediate(() => didWork.push(true));
    await expect(send(one, idle)).rejects.toThrow('the request had to wait');
    expect(didWork).toEqual([true]);
  });
});

// Earlier versions stored these records, without a query, for a day.
it('a request without a query has the record that earlier versions gave it', async () => {
  const { vault, open } = service();
  await sendToKilled(open());
  const key = createHash('sha256').update('["one","POST","/things","one"]').digest('hex');
  expect(await vault.get({ kind: 'idempotency', key })).toBeDefined();
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
