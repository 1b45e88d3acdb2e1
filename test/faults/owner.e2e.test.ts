// One service process owns a data directory of embedded stores. A second one waits for it, and is refused.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { lockDirectory } from '../../src/infrastructure/sqlite/directory-lock.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import { DIRECTORY_OWNER } from '../../src/projections/runner.js';
import { createInstitution, type Institution, type Page } from '../http/support/samples.js';
import { newEvent, written } from '../infrastructure/facts/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { run, runCli } from '../support/process.js';
import { startServer } from '../support/processes.js';

it('a second start is refused and names the owner, which goes on', async () => {
  const owner = await startServer(temporaryDirectory(), 'all');
  const { code, out, err } = await run('main', { environment: { DATA_DIR: owner.directory, PORT: '0' } });
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(new RegExp(`^DATA_DIR: [^\\n]*process ${owner.pid} on ${hostname()} since 20[^\\n]*\\n$`));
  expect(err).toContain(owner.directory);
  expect((await owner.get('/livez')).status).toBe(200);
});

it('the next start succeeds at once after the owner was killed', async () => {
  const server = await startServer(temporaryDirectory(), 'all');
  const { id } = await createInstitution(server);
  await server.kill();
  lockDirectory(server.directory, 0)();
  await server.start();
  expect((await server.get(`/institutions/${id}`)).status).toBe(200);
});

it('a restart after a kill has the name under which its predecessor left unexpired leases', async () => {
  const server = await startServer(temporaryDirectory(), 'all');
  const heldBy = async () => {
    const views = new SqliteViews(server.directory);
    const checkpoints = await views.checkpoints();
    await views.close();
    return new Set(checkpoints.map((checkpoint) => checkpoint.heldBy));
  };
  const expectOwner = () => eventually(async () => expect(await heldBy()).toEqual(new Set([DIRECTORY_OWNER])));
  await expectOwner();
  await server.kill();
  await server.start();
  await expectOwner();
});

it('a start during the stop of the owner waits and succeeds', async () => {
  const server = await startServer(temporaryDirectory(), 'all');
  const { id } = await createInstitution(server);
  const next = startServer(server.directory, 'all');
  const [, started] = await Promise.all([server.stop(), next]);
  expect((await started.get(`/institutions/${id}`)).status).toBe(200);
});

it("the operator's tool works beside the owner, and the owner notices what it writes", async () => {
  const server = await startServer(temporaryDirectory(), 'all');
  const { id } = await createInstitution(server);
  expect(await runCli(server.directory, 'verify')).toMatchObject({ code: 0 });
  const { code } = await runCli(server.directory, 'admin', 'create', '--user', id);
  expect(code).toBe(1);
  const facts = new SqliteFacts(server.directory);
  onTestFinished(() => facts.close());
  const data = { name: 'Appended beside', document: null, email: null, phone: null, address: null };
  written(await facts.append(`institution-${id}`, 0, [{ ...newEvent(data), type: 'InstitutionRevised' }]));
  await eventually(async () => {
    const { items } = (await server.get<Page<Institution>>('/institutions')).body;
    expect(items).toMatchObject([{ id, name: data.name }]);
  });
});

it('a restore into the directory of an owner is refused and names the owner', async () => {
  const server = await startServer(temporaryDirectory(), 'all');
  const backup = join(temporaryDirectory(), 'backup');
  expect(await runCli(server.directory, 'backup', backup)).toMatchObject({ code: 0 });
  const { code, err } = await runCli(server.directory, 'restore', backup);
  expect([code, err]).toEqual([1, expect.stringContaining(`process ${server.pid} `)]);
  expect(await runCli(server.directory, 'verify')).toMatchObject({ code: 0 });
});
