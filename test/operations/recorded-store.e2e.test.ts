// The stores that commit 092e6bca left behind: this program opens them, and what waited in them goes on.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { successful } from '../http/support/samples.js';
import { bearerHeader, signIn } from '../http/support/signing-in.js';
import { activate, codeIn } from '../http/support/signing-up.js';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { messagesIn } from '../support/outbox.js';
import { startServer } from '../support/processes.js';
import { copyOfRecorded } from './support/recorded-store.js';

const COMMIT = '092e6bca';

/** Returns the rows of a query on a file of stores. */
const rowsOf = <Row>(directory: string, file: string, query: string): readonly Row[] => {
  const db = new Database(join(directory, file), { readOnly: true });
  const rows = db.prepare<[], Row>(query).all();
  db.close();
  return rows;
};

it('a copy holds what waited, and none of it has expired', () => {
  const { directory } = copyOfRecorded(COMMIT);
  const kinds = rowsOf<{ kind: string; live: number; expired: number }>(
    directory,
    'vault.sqlite',
    `SELECT CASE WHEN kind = 'message' AND value LIKE '%"record"%' THEN 'waiting code' ELSE kind END AS kind,
       count(*) AS live, sum(coalesce(expires_at <= ${Date.now()}, 0)) AS expired
     FROM records GROUP BY 1`,
  );
  const waiting = ['waiting code', 'message', 'decision-message', 'code', 'session', 'idempotency'];
  expect(kinds.map(({ kind }) => kind)).toEqual(expect.arrayContaining(waiting));
  expect(kinds.filter(({ expired }) => expired > 0)).toEqual([]);
  const codes = rowsOf<{ expiresAt: number }>(
    directory,
    'vault.sqlite',
    `SELECT code.value ->> 'expiresAt' AS expiresAt FROM records, json_each(records.value, '$.codes') AS code
     WHERE kind = 'code'`,
  );
  expect(codes.length).toBeGreaterThan(4);
  for (const { expiresAt } of codes) expect(expiresAt).toBeGreaterThan(Date.now());
  const queues = rowsOf(directory, 'work.sqlite', 'SELECT DISTINCT queue FROM jobs WHERE attempt > 0 OR planned = 1');
  expect(queues).toHaveLength(3);
});

it('a start gives the vault the id of the log', async () => {
  const { directory } = copyOfRecorded(COMMIT);
  await startServer(directory, 'all');
  const [first] = rowsOf<{ id: string }>(directory, 'facts.sqlite', 'SELECT id FROM events ORDER BY position LIMIT 1');
  const stamp = "SELECT value ->> 'log' AS id FROM records WHERE kind = 'format'";
  expect(rowsOf(directory, 'vault.sqlite', stamp)).toEqual([{ id: first?.id }]);
});

it('the read models are built again, and miss nothing', async () => {
  const { directory, recorded } = copyOfRecorded(COMMIT);
  const rebuilt = [
    'users',
    'userNames',
    'profiles',
    'profileStandings',
    'protocols',
    'protocolNames',
    'forms',
    'formVersions',
  ];
  const documents = (table: string) => rowsOf(directory, 'views.sqlite', `SELECT id, body FROM ${table} ORDER BY id`);
  const before = rebuilt.map((name) => documents(`${name}_1`));
  const decided = documents('decisions_1');
  expect(Math.min(decided.length, ...before.map((rows) => rows.length))).toBeGreaterThan(0);
  const server = await startServer(directory, 'all', { AUTH: 'required' });
  const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
  await eventually(() => {
    const names = rowsOf<{ name: string }>(directory, 'views.sqlite', tables).map(({ name }) => name);
    expect(names.filter((name) => /^(users|protocols|decisions|decidedProfiles)_1$/.test(name))).toEqual([]);
  });
  expect(rebuilt.map((name) => documents(`${name}_2`))).toEqual(before);
  expect(documents('profileDecisions_2')).toEqual(decided);
  const { token } = await signIn(server, recorded.administrator.email);
  for (const path of ['/audit/decisions', '/users', '/protocols?total=true']) {
    const { items } = successful(await server.get<{ items: readonly unknown[] }>(path, bearerHeader(token))).body;
    expect([path, items.length > 0]).toEqual([path, true]);
  }
});

it('a code that waited is sent and redeemed, and a job that waited is done', async () => {
  const { directory, recorded } = copyOfRecorded(COMMIT);
  const server = await startServer(directory, 'all', { AUTH: 'required' });
  const sentTo = (email: string) =>
    eventually(() => first(messagesIn(directory).filter((message) => message.to === email)));
  const { status, body } = await activate(server, recorded.users.waiting, codeIn(await sentTo('person5@example.org')));
  expect([status, body.id]).toEqual([200, recorded.users.waiting]);
  const queued = await activate(server, recorded.users.queued, codeIn(await sentTo('person4@example.org')));
  expect([queued.status, queued.body.id]).toEqual([200, recorded.users.queued]);
});

it('a request that was answered is answered in the same way', async () => {
  const { directory, recorded } = copyOfRecorded(COMMIT);
  const server = await startServer(directory, 'all', { AUTH: 'required' });
  const { token } = await signIn(server, recorded.administrator.email);
  for (const { key, method, path, body, status, answer, isAnonymous } of recorded.requests) {
    const headers = { 'Idempotency-Key': key, ...(isAnonymous ? {} : bearerHeader(token)) };
    const repeated = await server.send(method, path, { json: body, headers });
    expect([key, repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([key, status, 'true']);
    expect(repeated.body).toEqual(answer);
  }
  const renewed = await server.post('/auth-service/refresh-token', { refresh_token: recorded.refreshToken });
  expect(successful(renewed).status).toBe(200);
});
