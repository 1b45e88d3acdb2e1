// Tests that the programs refuse stores of another format, and say what to do.
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Readiness } from '../../src/http/pages/readiness.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { FORMAT, OLDEST_FORMAT } from '../../src/infrastructure/vault/store-format.js';
import { createDoctor, type Page, type User } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { run, runCli } from '../support/process.js';
import { Server } from '../support/server.js';

const whole = temporaryDirectory();
let user: User;

beforeAll(async () => {
  const server = new Server(whole);
  await server.start();
  user = await createDoctor(server);
  await server.stop();
});

/** Returns a copy of the stores in which one file is changed. */
const changed = (file: string, change: string): string => {
  const directory = temporaryDirectory();
  cpSync(whole, directory, { recursive: true });
  const db = new Database(join(directory, file));
  db.exec(change);
  db.close();
  return directory;
};

/** Returns the content of every store file. */
const contentsOf = (directory: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(directory)
      .filter((name) => name.endsWith('.sqlite'))
      .map((name) => [name, readFileSync(join(directory, name), 'base64')]),
  );

const NEWER = 'PRAGMA user_version = 99';
const stamped = (format: number) => `UPDATE records SET value = '{"format":${format}}' WHERE kind = 'format'`;

describe('stores of another format', () => {
  it.each([
    ['facts.sqlite', NEWER, ['facts.sqlite', 'format 99', 'newer version', 'backup']],
    ['vault.sqlite', NEWER, ['vault.sqlite', 'format 99', 'newer version', 'backup']],
    ['work.sqlite', NEWER, ['work.sqlite', 'format 99', 'newer version', 'backup']],
    ['vault.sqlite', stamped(FORMAT + 1), ['the vault', `format ${FORMAT + 1}`, `format ${FORMAT}`, 'backup']],
    [
      'vault.sqlite',
      stamped(OLDEST_FORMAT - 1),
      ['the vault', `format ${OLDEST_FORMAT - 1}`, `format ${FORMAT}`, 'empty stores'],
    ],
    [
      'vault.sqlite',
      "DELETE FROM records WHERE kind = 'format'",
      ['the vault', 'format 1', `format ${FORMAT}`, 'empty stores'],
    ],
  ])('are refused by the service and the tool in one line: %s after %s', async (file, change, parts) => {
    const directory = changed(file, change);
    const before = contentsOf(directory);
    const main = run('main', { environment: { DATA_DIR: directory, PORT: '0' } });
    for (const { code, err } of await Promise.all([main, runCli(directory, 'projections', 'list')])) {
      expect(code).toBe(1);
      expect(err.trimEnd().split('\n')).toHaveLength(1);
      for (const part of parts) expect(err).toContain(part);
    }
    // The vault is opened first. What it refuses stays as it is.
    if (file === 'vault.sqlite') expect(contentsOf(directory)).toEqual(before);
  });
});

it('stores of the oldest format that can be read are opened, and stamped, so that older programs refuse them', async () => {
  const server = new Server(changed('vault.sqlite', stamped(OLDEST_FORMAT)));
  await server.start();
  expect((await server.get<User>(`/users/${user.id}`)).body.id).toBe(user.id);
  await server.stop();
  const db = new Database(join(server.directory, 'vault.sqlite'), { readOnly: true });
  const stamps = db.prepareValue<[], string>("SELECT value FROM records WHERE kind = 'format'").all();
  db.close();
  expect(stamps.map((stamp) => JSON.parse(stamp))).toEqual([{ format: FORMAT, log: expect.any(String) }]);
});

describe('read models of another version', () => {
  const listed = async (server: Server) => (await server.get<Page<User>>('/users')).body.items;

  it('are emptied and filled again if the file is of a newer version', async () => {
    const server = new Server(changed('views.sqlite', `${NEWER}; CREATE TABLE "of the newer version" (id)`));
    await server.start();
    expect((await server.get<User>(`/users/${user.id}`)).body.id).toBe(user.id);
    await eventually(async () => expect(await listed(server)).toMatchObject([{ id: user.id }]));
    await server.stop();
  });

  it('are opened unchanged if a read model is of the previous version, and the new one is built beside it', async () => {
    const server = new Server(
      changed(
        'views.sqlite',
        `UPDATE projections SET control = json_set(control, '$.generations."1".version', 1, '$.generations."1".collections', json(
           (SELECT json_group_array(json(value)) FROM json_each(control, '$.generations."1".collections')
            WHERE value ->> 'name' <> 'unreadableUsers')))
         WHERE name = 'users';
         DROP TABLE "unreadableUsers_1";`,
      ),
    );
    await server.start();
    const { id, email } = user;
    expect(await listed(server)).toMatchObject([{ id, email }]);
    expect((await server.get<Readiness>('/readyz')).body.status).toBe('ready');
    await eventually(async () => {
      const { out } = await runCli(server.directory, 'projections', 'list');
      expect(out).toMatch(/^users +generation 2.*live/m);
    });
    expect(await listed(server)).toMatchObject([{ id, email }]);
    await server.stop();
  });
});
