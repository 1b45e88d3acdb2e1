// Tests the service on an EventStoreDB in which the metadata of a stream hide its events.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInstitution, type Institution } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { eventually } from '../support/eventually.js';
import { run } from '../support/process.js';
import { Server } from '../support/server.js';

const facts = new EventStoreDbServer({ directory: temporaryDirectory() });
const directory = temporaryDirectory();
let server: Server;

beforeAll(async () => {
  await facts.start();
  server = new Server(directory, { EVENTSTORE_URL: facts.url });
  await server.start();
});
afterAll(async () => {
  await server?.stop();
  await facts.stop();
});

it('a stream that its metadata truncate refuses writes, is named by the log, and is whole again without the metadata', async () => {
  const [truncated, other] = [await createInstitution(server), await createInstitution(server)];
  const addUnity = (to: Institution, name: string) => server.post(`/institutions/${to.id}/unities`, { name });
  expect((await addUnity(truncated, 'East')).status).toBe(201);
  const stream = `institution-${truncated.id}`;
  await facts.store.setMetadata(stream, { $maxCount: 1 });
  await server.restart();

  const refused = await addUnity(truncated, 'West');
  expect([refused.status, refused.body]).toMatchObject([500, { code: 'internal-error' }]);
  expect(JSON.stringify(refused.body)).not.toContain('$maxCount');
  const message = expect.stringMatching(new RegExp(`${stream}.*docs/runbook\\.md`));
  await eventually(() => {
    const lines = server.log.filter(({ msg }) => msg === 'a request failed');
    expect(lines.at(-1)).toMatchObject({ level: 50, err: { type: 'StreamTruncated', message } });
  });
  expect((await server.get(`/institutions/${truncated.id}`)).status).toBe(200);
  expect((await addUnity(other, 'East')).status).toBe(201);
  expect((await server.get('/readyz')).status).toBe(200);

  await facts.store.setMetadata(stream, {});
  expect((await addUnity(truncated, 'West')).status).toBe(201);
  const environment = { DATA_DIR: directory, EVENTSTORE_URL: facts.url };
  expect(await run('cli', { environment, arguments: ['verify'] })).toMatchObject({ code: 0 });
});
