// The write-ahead logs of the stores right after an erasure, before any upkeep.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { tracedPerson } from '../http/erased-person.js';
import { expectProblem } from '../http/refusals.js';
import { successful } from '../http/samples.js';
import { foundIn } from '../support/canaries.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { Server } from '../support/server.js';

const started = async () => {
  const server = new Server(temporaryDirectory());
  await server.start();
  onTestFinished(() => server.stop().then(() => undefined));
  const walsOf = () =>
    readdirSync(server.directory)
      .filter((name) => name.endsWith('-wal'))
      .map((name) => readFileSync(join(server.directory, name)));
  const erase = (id: string) => server.send('DELETE', `/users/${id}/personal-data`, { json: { reason: 'Asked for' } });
  return { server, walsOf, erase };
};

it('have no plain value of the person', async () => {
  const { server, walsOf, erase } = await started();
  const { userId, canaries } = await tracedPerson(server);
  await eventually(() => expect(foundIn(Buffer.concat(walsOf()), canaries)).not.toEqual([]));
  successful(await erase(userId));
  expect(foundIn(Buffer.concat(walsOf()), canaries)).toEqual([]);
});

it('leave the erasure unfinished while another connection reads what they have', async () => {
  const { server, walsOf, erase } = await started();
  const { userId, canaries } = await tracedPerson(server);
  const reader = new Database(join(server.directory, 'views.sqlite'), { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM sqlite_schema').all();
  expectProblem(await erase(userId), 503, 'erasure-unfinished');
  reader.close();
  successful(await erase(userId));
  expect(foundIn(Buffer.concat(walsOf()), canaries)).toEqual([]);
});
