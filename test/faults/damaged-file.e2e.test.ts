// Tests the service on a SQLite file that loses its pages while the service runs, as on a failing disk.
import { copyFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createInstitution, createProtocol, type Page, type Protocol } from '../http/support/samples.js';
import type { ClientResponse } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { first, nth } from '../support/items.js';
import { Server } from '../support/server.js';
import { expectUnavailable } from './support/responses.js';

const PAGE_BYTES = 4_096;

type Get = (protocol: Protocol) => Promise<ClientResponse<Protocol>>;

/** Starts a service whose protocols take several pages each. Returns a protocol on the first pages, and one on the last. */
const started = async () => {
  const directory = temporaryDirectory();
  const server = new Server(directory);
  await server.start();
  onTestFinished(() => server.kill());
  const { id } = await createInstitution(server);
  const created: Protocol[] = [];
  for (let n = 1; n <= 10; n += 1) {
    created.push(await createProtocol(server, id, { name: `Protocol ${n}`, prompt: `${n}`.repeat(20_000) }));
  }
  await eventually(async () => {
    expect((await server.get<Page<Protocol>>('/protocols')).body.items).toHaveLength(created.length);
  });
  // The stop moves the write-ahead logs into the files, and the new process has read none of the last pages.
  await server.restart();
  return { directory, server, early: first(created), late: nth(created, created.length - 1) };
};

/** Expects that `get` fails, that the service lives, and that its log names the damage. */
const expectFailure = async (server: Server, get: Get, late: Protocol): Promise<void> => {
  expectUnavailable(await get(late));
  expect((await server.get('/livez')).status).toBe(200);
  const err = expect.objectContaining({ message: expect.stringContaining('malformed') });
  const line = { level: 40, code: 'store-unavailable', err };
  await eventually(() => expect(server.log).toContainEqual(expect.objectContaining(line)));
  expect(JSON.stringify(server.log)).not.toContain('[object Object]');
};

it('survives lost pages of the read models, accepts writes, and builds them again in a new file', async () => {
  const { directory, server, early, late } = await started();
  const get: Get = ({ id }) => server.get(`/protocols/${id}`);
  expect((await get(early)).status).toBe(200);
  truncateSync(join(directory, 'views.sqlite'), PAGE_BYTES);
  await expectFailure(server, get, late);
  const { id } = await createInstitution(server, { name: 'Meanwhile' });

  await server.stop();
  for (const ending of ['', '-wal', '-shm']) rmSync(join(directory, `views.sqlite${ending}`), { force: true });
  await server.start();
  expect((await get(late)).body).toEqual(late);
  expect(await server.get(`/institutions/${id}`)).toMatchObject({ status: 200, body: { name: 'Meanwhile' } });
});

it('survives lost pages of the facts, and continues on a copy of the file', async () => {
  const { directory, server, early, late } = await started();
  const get: Get = ({ id, createdAt }) => server.get(`/protocols/${id}?asOf=${createdAt}`);
  expect((await get(early)).status).toBe(200);
  const facts = join(directory, 'facts.sqlite');
  copyFileSync(facts, `${facts}.copy`);
  truncateSync(facts, PAGE_BYTES);
  await expectFailure(server, get, late);
  expect((await server.get(`/protocols/${early.id}`)).status).toBe(200);

  await server.kill();
  copyFileSync(`${facts}.copy`, facts);
  await server.start();
  expect((await get(late)).body).toEqual(late);
});
