// Tests when an erasure counts as done, with a service on embedded stores.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { operatorContext } from '../../src/cli/operator.js';
import type { Precondition } from '../../src/commands/context.js';
import { readConfig } from '../../src/config.js';
import { present } from '../../src/domain/fields.js';
import { type UserFields, userOf } from '../../src/domain/user/state.js';
import { user, userCommands } from '../../src/domain/user/user.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { eraseUser } from '../../src/operations/erase-user.js';
import { Progress } from '../../src/projections/progress.js';
import { users } from '../../src/projections/users.js';
import { serviceOf } from '../../src/service.js';
import { openStores } from '../../src/stores.js';
import { person } from '../domain/support/user-samples.js';
import { Listener } from '../infrastructure/persons/support/harness.js';
import { startRunner } from '../projections/support/replay.js';
import { temporaryDirectory } from '../support/directory.js';

/** Starts a service with a user. `follow` starts the read model of users. */
const setUp = async () => {
  const directory = temporaryDirectory();
  const listeners = { onError: () => undefined, sealing: new Listener() };
  const stores = await openStores(readConfig({ DATA_DIR: directory }), listeners);
  onTestFinished(() => stores.close());
  await stores.views.prepare(users);
  const service = serviceOf({ ...stores, progress: new Progress(stores.views) });
  const data = userCommands.RegisterUser.parse({ ...person, acceptedTerms: true });
  const { id } = await service.handle(user, 'new', { type: 'RegisterUser', data }, operatorContext());
  const erase = (timeoutMs: number, precondition?: Precondition, on = service) =>
    eraseUser(
      on,
      { userId: id, reason: 'asked for', timeoutMs },
      { ...operatorContext(), ...present({ precondition }) },
    );
  return {
    ...{ service, id, erase },
    follow: () => onTestFinished(startRunner(stores.facts, stores.views, [users]).close),
    /** What exists of the person: the key, and an entry in the list of erased users. */
    left: async () => ({
      hasKey: (await stores.keyring.ofPersons([id])).has(id),
      isListed: readFileSync(join(directory, 'erased.txt'), { encoding: 'utf8', flag: 'a+' }).includes(id),
    }),
    shown: async () => JSON.parse((await stores.views.getAll('users', [id]))[0]?.body ?? 'null') as UserFields | null,
  };
};

const GONE = { hasKey: false, isListed: true };
const THERE = { hasKey: true, isListed: false };

describe('an erasure', () => {
  it('is done when the read models have removed the person and are on stable storage', async () => {
    const { service, erase, follow, left, shown } = await setUp();
    follow();
    const flushes = vi.spyOn(service.views, 'flush');
    expect(userOf((await erase(60_000)).state)).toMatchObject({ firstName: null });
    expect(await shown()).toMatchObject({ firstName: null, email: null });
    expect([await left(), flushes.mock.calls.length]).toEqual([GONE, 1]);
  });

  it('is refused before it deletes anything if its precondition fails, and completes otherwise', async () => {
    const { erase, follow, left } = await setUp();
    follow();
    await expect(erase(60_000, [1])).rejects.toMatchObject({ name: 'PreconditionFailed' });
    expect(await left()).toEqual(THERE);
    expect(await erase(60_000, [0])).toMatchObject({ revision: 1 });
    expect(await left()).toEqual(GONE);
  });

  it('is in the list of erased users before anything is deleted, and a retry completes it', async () => {
    const { service, id, erase, follow, left } = await setUp();
    follow();
    const stopped = { ...service, eraseSecrets: () => Promise.reject(new Error('killed')) };
    await expect(erase(60_000, undefined, stopped)).rejects.toThrow('killed');
    expect(await left()).toEqual({ hasKey: true, isListed: true });
    expect((await service.streams.fresh(user, id)).state.status).toBe('active');
    expect(await erase(60_000)).toMatchObject({ state: { status: 'erased' } });
    expect(await left()).toEqual(GONE);
  });

  it('is recorded but unfinished before the read model has removed the person, and a retry completes it', async () => {
    const { service, id, erase, follow, left } = await setUp();
    await expect(erase(0)).rejects.toMatchObject({ name: 'ErasureUnfinished' });
    expect(await left()).toEqual(GONE);
    expect((await service.streams.fresh(user, id)).state.status).toBe('erased');
    follow();
    expect(await erase(60_000)).toMatchObject({ revision: 1 });
  });

  it('is unfinished before every generation of the read model has removed the person', async () => {
    const { service, erase, follow, shown } = await setUp();
    await service.views.prepare({ ...users, version: users.version + 1 });
    follow();
    await expect(erase(2_000)).rejects.toMatchObject({ name: 'ErasureUnfinished' });
    expect(await shown()).toMatchObject({ firstName: null });
  });

  it.each([
    ['is not done if the read models cannot be flushed', new Error('no room'), 'Error'],
    [
      'is unfinished while a connection keeps the log of a store',
      new StoreUnavailable('the read models', 'the WAL is in use'),
      'ErasureUnfinished',
    ],
  ])('%s', async (_, failure, name) => {
    const { service, erase, follow } = await setUp();
    follow();
    vi.spyOn(service.views, 'flush').mockRejectedValueOnce(failure);
    await expect(erase(60_000)).rejects.toMatchObject({ name });
    expect(await erase(60_000)).toMatchObject({ state: { status: 'erased' } });
  });
});
