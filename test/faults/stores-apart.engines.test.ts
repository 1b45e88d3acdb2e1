// Starts services with different event logs on one MongoDB, and on servers that are not there yet.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createDoctor, createInstitution, doctor, type Page } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { EngineSet, onRealSet } from '../support/engine-set.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { run, startProgram } from '../support/process.js';
import { Server } from '../support/server.js';
import { enginesOf } from './support/sets.js';

onRealSet('services on one MongoDB', () => {
  let set: EngineSet;
  let first: Server;
  let databases = 0;
  /** The environment of services that share a new database. */
  const shared = () => {
    databases += 1;
    return { ...set.environment, MONGODB_URL: `${set.mongo.url}shared_${databases}`, RATE_LIMITS: '1000' };
  };
  const otherLog = async (): Promise<EventStoreDbServer> => {
    const server = new EventStoreDbServer({ directory: temporaryDirectory() });
    await server.start();
    onTestFinished(() => server.stop());
    return server;
  };
  const startedIn = async (environment: Readonly<Record<string, string>>): Promise<Server> => {
    const server = new Server(temporaryDirectory(), environment);
    onTestFinished(() => server.stop().then(() => undefined));
    await server.start();
    return server;
  };
  const refused = async (environment: Readonly<Record<string, string>>, words: RegExp) => {
    const given = { ...environment, DATA_DIR: temporaryDirectory(), PORT: '0' };
    for (const ROLES of ['http,worker', 'http', 'worker']) {
      const { code, err } = await run('main', { environment: { ...given, ROLES } });
      expect([code, err]).toEqual([1, expect.stringMatching(words)]);
      expect(err).toMatch(/^[^\n]*restore both from one backup[^\n]*\n$/);
    }
  };

  beforeAll(async () => {
    set = await EngineSet.start();
    first = new Server(temporaryDirectory(), set.environment);
    await first.start();
    for (const lastName of ['First', 'First too']) await createDoctor(first, { lastName });
  });
  afterAll(async () => {
    await first?.stop();
    await set?.end();
  });

  it('refuse an empty log and another log, and the first service goes on', async () => {
    const log = await otherLog();
    await refused({ ...set.environment, EVENTSTORE_URL: log.url }, /EVENTSTORE_URL\) is missing or empty/);
    const alone = await startedIn({ ...shared(), EVENTSTORE_URL: log.url });
    await createInstitution(alone);
    await refused({ ...set.environment, EVENTSTORE_URL: log.url }, /EVENTSTORE_URL\) begins with event/);
    await createInstitution(first);
    await eventually(async () => expect((await first.get('/readyz')).body).toMatchObject({ status: 'ready' }));
    expect((await first.get<Page<unknown>>('/users')).body.items).toHaveLength(2);
  });

  it('refuse a vault that is empty', () =>
    refused({ ...shared(), EVENTSTORE_URL: set.facts.url }, /MONGODB_URL\) is missing or empty/));

  it.each([
    ['answer its write with 503', true],
    ['also if it only reads', false],
  ])('end one of two with empty logs, and %s', async (_, writes) => {
    const environment = shared();
    const [log, other] = [await otherLog(), await otherLog()];
    const one = await startedIn({ ...environment, EVENTSTORE_URL: log.url });
    const port = `${await freePort()}`;
    const two = startProgram('main', {
      environment: { ...environment, EVENTSTORE_URL: other.url, DATA_DIR: temporaryDirectory(), PORT: port },
    });
    onTestFinished(two.kill);
    const at = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
    await eventually(async () => expect((await at('/readyz')).status).toBe(200));
    await createDoctor(one, { lastName: 'One' });
    if (writes) {
      const headers = { 'content-type': 'application/json' };
      const sent = await at('/users/doctor', { method: 'POST', headers, body: JSON.stringify(doctor()) });
      expect([sent.status, await sent.json()]).toEqual([503, expect.objectContaining({ code: 'store-unavailable' })]);
    }
    const { code, err } = await two.ended;
    expect([code, err]).toEqual([1, expect.stringMatching(/^[^\n]*EVENTSTORE_URL[^\n]*restore both[^\n]*\n$/)]);
    await eventually(async () => {
      const { body } = await one.get<Page<{ readonly lastName: string }>>('/users');
      expect(body.items.map(({ lastName }) => lastName)).toEqual(['One']);
      expect((await one.get('/readyz')).body).toMatchObject({ status: 'ready' });
    });
  });

  it('serve reads while the log is unavailable, and write once it is back', async () => {
    const environment = { ...enginesOf(set).environment, ...set.environment };
    const port = `${await freePort()}`;
    await set.facts.kill();
    const { kill, ended } = startProgram('main', { environment: { ...environment, PORT: port } });
    onTestFinished(kill);
    const at = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
    await eventually(async () => expect((await at('/users')).status).toBe(200));
    expect((await at('/readyz')).status).toBe(503);
    const headers = { 'content-type': 'application/json' };
    const write = () => at('/institutions', { method: 'POST', headers, body: JSON.stringify({ name: 'Late' }) });
    expect((await write()).status).toBe(503);
    await set.facts.start();
    await eventually(async () => expect((await write()).status).toBe(201));
    await eventually(async () => expect((await at('/readyz')).status).toBe(200));
    kill();
    expect((await ended).err).toBe('');
  });
});
