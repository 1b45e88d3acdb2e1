// The log of a process while each of its engines is killed for some seconds, and while it lacks rights.
import { setTimeout as pause } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createInstitution } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { EngineSet, onRealSet } from '../support/engine-set.js';
import { callError } from '../support/eventstoredb/errors.js';
import { eventually } from '../support/eventually.js';
import { repetitions } from '../support/repetitions.js';
import { type LogLine, Server } from '../support/server.js';

const SECONDS = repetitions('OUTAGE_SECONDS');
const WARNING = 40;

onRealSet('the log of a process', () => {
  let set: EngineSet;
  let server: Server;

  beforeAll(async () => {
    set = await EngineSet.start();
    const { EVENTSTORE_URL, ...others } = set.environment;
    const withPassword = EVENTSTORE_URL.replace('://', '://clinic:canary@');
    server = new Server(temporaryDirectory(), { ...others, EVENTSTORE_URL: withPassword });
    await server.start();
    await createInstitution(server);
  });
  afterAll(async () => {
    await server?.stop();
    await set?.end();
  });

  it.each([
    {
      engine: 'EventStoreDB',
      kill: () => set.facts.kill(),
      start: () => set.facts.start(),
      host: () => new URL(set.environment.EVENTSTORE_URL).host,
    },
    {
      engine: 'MongoDB',
      kill: () => set.mongo.end('SIGKILL'),
      start: () => set.mongo.start(),
      host: () => new URL(set.environment.MONGODB_URL).host,
    },
    {
      engine: 'Redis',
      kill: () => set.redis.end('SIGKILL'),
      start: () => set.redis.start(),
      host: () => new URL(set.environment.REDIS_URL).host,
    },
  ])(
    'has one warning when $engine is killed, and one line when it responds again',
    async ({ engine, kill, start, host }) => {
      const before = server.log.length;
      const isOfOutage = ({ msg }: LogLine) => `${msg}`.startsWith(`${engine} at ${host()} `);
      const lines = () => server.log.slice(before).filter(({ msg }) => msg !== 'request');
      const began = Date.now();
      await kill();
      let isKilled = true;
      // The other tests need every engine, also after a failure.
      onTestFinished(async () => void (isKilled && (await start())));
      const end = began + SECONDS * 1_000;
      while (Date.now() < end || !lines().some(isOfOutage)) {
        await Promise.all([
          server.post('/institutions', { name: 'Lost' }),
          server.get('/institutions'),
          server.get('/readyz'),
        ]);
        await pause(100);
      }
      await start();
      isKilled = false;
      await eventually(async () => {
        expect((await server.get('/readyz')).status).toBe(200);
        expect(lines().filter(isOfOutage)).toHaveLength(2);
      });
      // The worker, which noticed the outage too, has folded this write when it is read.
      const { id } = await createInstitution(server);
      await eventually(async () => expect((await server.get(`/institutions/${id}`)).status).toBe(200));
      expect(lines()).toMatchObject([
        { level: WARNING, msg: expect.stringContaining(`: ECONNREFUSED ${host()}`) },
        { level: 30, msg: expect.stringMatching(/can be used again after \d+ s$/) },
      ]);
      expect(JSON.stringify(server.log)).not.toMatch(/canary|"stack"/);
    },
  );

  it('has one warning while the right to read $all is missing, which names the right', async () => {
    const before = server.log.length;
    const lines = () => server.log.slice(before).filter(({ msg }) => msg !== 'request');
    const denied = {
      code: status.PERMISSION_DENIED,
      details: 'Access Denied',
      trailers: { exception: 'access-denied' },
    };
    const methods = ['read', 'subscribe'] as const;
    for (const method of methods)
      set.facts.faults.inject(method, { kind: 'status', ...denied }, { times: Number.POSITIVE_INFINITY });
    onTestFinished(() => set.facts.faults.clear());
    set.facts.failSubscriptions(callError(denied.code, denied.details, denied.trailers));
    const end = Date.now() + SECONDS * 1_000;
    while (Date.now() < end || lines().length === 0) {
      expect((await server.get('/readyz')).body).toMatchObject({ status: 'not-ready' });
      expect((await server.post('/institutions', { name: 'Accepted' })).status).toBe(201);
      await pause(100);
    }
    set.facts.faults.clear();
    await eventually(async () => expect((await server.get('/readyz')).status).toBe(200));
    const host = new URL(set.environment.EVENTSTORE_URL).host;
    const missing = 'the event log cannot be used: the user may not read $all; see "Rights" in docs/operations.md';
    expect(lines()).toMatchObject([{ level: WARNING, msg: `EventStoreDB at ${host}: ${missing}` }]);
  });
});
