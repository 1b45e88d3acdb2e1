// Tests what `verify` finds if the vault lacks records of persons, and that its advice repairs the fault.

import { randomUUID } from 'node:crypto';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Changes, Database } from '../../src/infrastructure/sqlite/driver.js';
import { createDoctor, newEmail, successful, type User } from '../http/support/samples.js';
import { Server } from '../support/server.js';
import { faultsOf, StoresOfMoments, verify } from './support/stores-of-moments.js';

/** Returns the line and the advice of each fault that `verify` found. */
const linesOf = (out: string) =>
  Object.fromEntries([...out.matchAll(/^(\w+) +FAULT: (.*\n +do: .*)$/gm)].map(([, check, advice]) => [check, advice]));

describe('verify', { timeout: 90_000 }, () => {
  const stores = new StoresOfMoments();
  const { server } = stores;
  let first: User;
  let second: User;
  let erased: User;

  const restored = (vault: 'early' | 'late' | 'lost', views: 'late' | 'lost' = 'late') =>
    stores.restored({ 'vault.sqlite': vault, 'views.sqlite': views });
  const changed = (change: (db: Database) => Changes): string => {
    const directory = restored('late');
    const db = new Database(join(directory, 'vault.sqlite'));
    expect(change(db).changes).toBe(1);
    db.close();
    return directory;
  };

  beforeAll(async () => {
    await server.start();
    first = await createDoctor(server);
    erased = await createDoctor(server);
    await stores.stopAndCopy('early');
    await server.start();
    second = await createDoctor(server);
    successful(await server.put(`/users/${first.id}`, { document: randomUUID() }));
    successful(await server.send('DELETE', `/users/${erased.id}/personal-data`));
    await stores.stopAndCopy('late');
  });

  it('finds nothing if vault and facts are from the same backup, even with an erased person', async () => {
    const { code, out, err } = await verify(restored('late'));
    expect([code, faultsOf(out), err]).toEqual([0, [], '']);
    expect(out).toMatch(/^keys +ok: 3 persons/m);
    expect(out).toMatch(/^claims +ok: 2 users/m);
  });

  it('finds a vault that is minutes older than the facts, and names the users without a key or a claim', async () => {
    const { code, out } = await verify(restored('early'));
    const found = linesOf(out);
    expect([code, Object.keys(found)]).toEqual([1, ['keys', 'claims']]);
    expect(found['keys']).toContain(second.id);
    for (const id of [first.id, erased.id]) expect(found['keys']).not.toContain(id);
    expect(found['claims']).toContain(first.id);
    for (const advice of Object.values(found)) expect(advice).toMatch(/do: .*restore the vault/);
  });

  it('finds missing keys and claims before the service has built the read models, as after a restore', async () => {
    const { code, out } = await verify(restored('early', 'lost'));
    const found = linesOf(out);
    expect([code, Object.keys(found)]).toEqual([1, ['keys', 'claims']]);
    expect(found['claims']).toContain(`1 of 1 users have no claim on their e-mail or document: ${first.id}`);
    expect(found['claims']).toContain(
      `1 users could not be checked, because their streams cannot be read: ${second.id}`,
    );
    expect(await verify(restored('late', 'lost'))).toMatchObject({ code: 0 });
  });

  it('names a lost vault and does not create a new one', async () => {
    const directory = restored('lost');
    const { code, err } = await verify(directory);
    expect([code, err]).toEqual([1, expect.stringContaining('has no vault.sqlite')]);
    expect(readdirSync(directory)).not.toContain('vault.sqlite');
    copyFileSync(join(stores.at('late'), 'vault.sqlite'), join(directory, 'vault.sqlite'));
    expect(await verify(directory)).toMatchObject({ code: 0 });
  });

  it('finds a missing claim and a claim of another user', async () => {
    const OF = "kind = 'claim' AND key LIKE ? AND subject = ?";
    const gone = changed((db) => db.prepare(`DELETE FROM records WHERE ${OF}`).run('user-email:%', first.id));
    const anothers = changed((db) =>
      db
        .prepare(`UPDATE records SET value = json_set(value, '$.owner', ?) WHERE ${OF}`)
        .run(first.id, 'user-document:%', second.id),
    );
    for (const [directory, id] of [
      [gone, first.id],
      [anothers, second.id],
    ] as const) {
      const { code, out } = await verify(directory);
      expect([code, faultsOf(out)]).toEqual([1, ['claims']]);
      expect(linesOf(out)['claims']).toContain(`1 of 2 users have no claim on their e-mail or document: ${id}`);
    }
  });

  it('finds nothing while a running service changes users', async () => {
    const running = new Server(restored('late'));
    await running.start();
    const changing = Promise.all(
      [first, second].map(async ({ id }) => {
        for (let times = 0; times < 20; times += 1) await running.put(`/users/${id}`, { email: newEmail() });
      }),
    );
    for (let times = 0; times < 2; times += 1) expect(await verify(running.directory)).toMatchObject({ code: 0 });
    await changing;
    expect(await running.stop()).toBe(0);
  });
});
