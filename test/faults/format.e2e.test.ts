// Tests that the programs refuse stores of another format, and say what to do.
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Readiness } from '../../src/http/pages/readiness.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { FORMAT } from '../../src/infrastructure/vault/store-format.js';
import { createDoctor, type Page, type User } from '../http/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { type ProgramResult, run } from '../support/process.js';
import { Server } from '../support/server.js';

const changed = (directory: string, file: string, change: string): void => {
  const db = new Database(join(directory, file));
  db.exec(change);
  db.close();
};

/** Returns the content of every store file. */
const contentsOf = (directory: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(directory)
      .filter((name) => name.endsWith('.sqlite'))
      .map((name) => [name, readFileSync(join(directory, name), 'base64')]),
  );

/** Runs the service and the operator's tool on a directory. Returns how they ended. */
const runBoth = (directory: string): Promise<readonly ProgramResult[]> => {
  const environment = { DATA_DIR: directory, PORT: '0' };
  return Promise.all([run('main', { environment }), run('cli', { environment, arguments: ['projections', 'list'] })]);
};

describe('a store that a newer program has written', () => {
  const whole = temporaryDirectory();
  beforeAll(async () => {
    const server = new Server(whole);
    await server.start();
    await server.stop();
  });

  it.each(['facts', 'vault', 'work'])(
    'is refused by the service and the tool because of the file of the %s',
    async (store) => {
      const directory = temporaryDirectory();
      cpSync(whole, directory, { recursive: true });
      changed(directory, `${store}.sqlite`, 'PRAGMA user_version = 99');
      for (const { code, err } of await runBoth(directory)) {
        expect(code).toBe(1);
        expect(err.trimEnd().split('\n')).toHaveLength(1);
        for (const part of [`${store}.sqlite`, 'format 99', 'newer version', 'backup']) expect(err).toContain(part);
      }
    },
  );

  it('is emptied and filled again if it is the file of the views', async () => {
    const server = new Server(temporaryDirectory());
    await server.start();
    const { id } = await createDoctor(server);
    await server.stop();
    changed(server.directory, 'views.sqlite', 'PRAGMA user_version = 99; CREATE TABLE "of the newer version" (id)');
    await server.start();
    expect((await server.get<User>(`/users/${id}`)).body.id).toBe(id);
    await eventually(async () => expect((await server.get<Page<User>>('/users')).body.items).toMatchObject([{ id }]));
    await server.stop();
  });
});

describe('stores of another format', () => {
  const whole = temporaryDirectory();
  beforeAll(async () => {
    const server = new Server(whole);
    await server.start();
    await createDoctor(server);
    await server.stop();
    changed(whole, 'views.sqlite', 'PRAGMA user_version = 99');
  });

  const stamped = (format: number) => `UPDATE records SET value = '{"format":${format}}' WHERE kind = 'format'`;

  it.each([
    ['a newer stamp', stamped(FORMAT + 1), FORMAT + 1, 'backup'],
    ['an earlier stamp', stamped(FORMAT - 1), FORMAT - 1, 'empty stores'],
    ['keys and no stamp', "DELETE FROM records WHERE kind = 'format'", 1, 'empty stores'],
  ])('are refused by the service and the tool, and stay as they are: %s', async (_, change, format, advice) => {
    const directory = temporaryDirectory();
    cpSync(whole, directory, { recursive: true });
    changed(directory, 'vault.sqlite', change);
    const before = contentsOf(directory);
    for (const { code, err } of await runBoth(directory)) {
      expect(code).toBe(1);
      expect(err.trimEnd().split('\n')).toHaveLength(1);
      for (const part of ['the vault', `format ${format}`, `format ${FORMAT}`, advice]) expect(err).toContain(part);
    }
    expect(contentsOf(directory)).toEqual(before);
  });
});

describe('stores of the previous version, whose read model of users does not count unreadable users', () => {
  it('are opened unchanged, and the new read model is built beside the live one', async () => {
    const server = new Server(temporaryDirectory());
    await server.start();
    const { id, email } = await createDoctor(server);
    await server.stop();
    changed(
      server.directory,
      'views.sqlite',
      `UPDATE projections SET control = json_set(control, '$.generations."1".version', 1, '$.generations."1".collections', json(
         (SELECT json_group_array(json(value)) FROM json_each(control, '$.generations."1".collections')
          WHERE value ->> 'name' <> 'unreadableUsers')))
       WHERE name = 'users';
       DROP TABLE "unreadableUsers_1";`,
    );
    await server.start();
    const listed = async () => (await server.get<Page<User>>('/users')).body.items;
    expect(await listed()).toMatchObject([{ id, email }]);
    expect((await server.get<Readiness>('/readyz')).body.status).toBe('ready');
    await eventually(async () => {
      const { out } = await run('cli', {
        environment: { DATA_DIR: server.directory },
        arguments: ['projections', 'list'],
      });
      expect(out).toMatch(/^users +generation 2.*live/m);
    });
    expect(await listed()).toMatchObject([{ id, email }]);
    await server.stop();
  });
});
