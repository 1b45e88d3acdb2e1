// Makes a distributed engine unavailable for a while under load: stopped, so that its connections stay open but silent,
// or killed. OUTAGE_SECONDS sets how long.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createInstitution, type Institution } from '../http/support/samples.js';
import type { ClientResponse } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { EngineSet, onRealSet } from '../support/engine-set.js';
import { EventStoreDbProcess } from '../support/eventstoredb/process.js';
import { eventually } from '../support/eventually.js';
import { openSocket } from '../support/raw-http.js';
import { repetitions } from '../support/repetitions.js';
import { Load } from './support/load.js';
import { expectNothingLost } from './support/log-checks.js';
import { expectUnavailable, respondedSoon } from './support/responses.js';
import { type Engines, enginesOf, startedOn, WatchedServer } from './support/sets.js';

const SECONDS = repetitions('OUTAGE_SECONDS');
const REST_MS = 50;
const SEED = 20_260_107;

/** The status of the response to each kind of request while all engines are available. */
const HEALTHY = {
  write: 201,
  'write under an Idempotency-Key': 201,
  'read of one': 200,
  // The service reads it from the facts.
  'read of one as of an instant': 200,
  list: 200,
  '/livez': 200,
  '/readyz': 200,
  '/metrics': 200,
};
type Statuses = typeof HEALTHY;

// A write needs only the facts. The record of an Idempotency-Key is in the vault.
const WITHOUT_MONGODB: Statuses = {
  ...HEALTHY,
  'write under an Idempotency-Key': 503,
  'read of one': 503,
  list: 503,
  '/readyz': 503,
};

const WITHOUT_FACTS: Statuses = {
  ...HEALTHY,
  write: 503,
  'write under an Idempotency-Key': 503,
  'read of one as of an instant': 503,
  '/readyz': 503,
};

/** The servers, each a process of its own. */
interface Servers extends Pick<EngineSet, 'mongo' | 'redis'> {
  readonly facts: EventStoreDbProcess;
}

interface Outage {
  readonly what: string;
  readonly begin: (servers: Servers) => Promise<void>;
  readonly end: (servers: Servers) => Promise<void>;
  readonly statuses: Statuses;
}

// sign-in.engines.test.ts kills EventStoreDB, and queues-away.engines.test.ts kills Redis.
const outages: readonly Outage[] = [
  {
    what: 'MongoDB is silent',
    begin: ({ mongo }) => mongo.signal('SIGSTOP'),
    end: ({ mongo }) => mongo.signal('SIGCONT'),
    statuses: WITHOUT_MONGODB,
  },
  {
    what: 'MongoDB is killed',
    begin: ({ mongo }) => mongo.end('SIGKILL'),
    end: ({ mongo }) => mongo.start(),
    statuses: WITHOUT_MONGODB,
  },
  {
    what: 'Redis is silent',
    begin: ({ redis }) => redis.signal('SIGSTOP'),
    end: ({ redis }) => redis.signal('SIGCONT'),
    statuses: HEALTHY,
  },
  {
    what: 'EventStoreDB is silent',
    begin: ({ facts }) => facts.signal('SIGSTOP'),
    end: ({ facts }) => facts.signal('SIGCONT'),
    statuses: WITHOUT_FACTS,
  },
];

onRealSet(`a service under load in an outage of ${SECONDS} s`, () => {
  let set: EngineSet;
  let facts: EventStoreDbProcess;
  let engines: Engines;
  let server: WatchedServer;
  let load: Load;
  let known: Institution;

  beforeAll(async () => {
    set = await EngineSet.start();
    facts = await EventStoreDbProcess.on(temporaryDirectory());
    await facts.start();
    engines = enginesOf(set, facts.url);
    server = new WatchedServer(engines);
    await server.start();
    load = new Load(server, SEED, { restMs: REST_MS });
    known = await createInstitution(server);
  });
  afterAll(async () => {
    await server?.stop();
    await facts?.kill();
    await set?.end();
  });

  /** Sends one request of each kind at the same time. Expects failures to say when to retry or what is not ready. */
  const probe = async (): Promise<Statuses> => {
    const { id, name, createdAt } = known;
    const sent: Record<keyof Statuses, Promise<ClientResponse>> = {
      write: server.post('/institutions', { name }),
      'write under an Idempotency-Key': server.post('/institutions', { name }, { 'Idempotency-Key': randomUUID() }),
      'read of one': server.get(`/institutions/${id}`),
      'read of one as of an instant': server.get(`/institutions/${id}?asOf=${createdAt}`),
      list: server.get('/institutions'),
      '/livez': server.get('/livez'),
      '/readyz': server.get('/readyz'),
      '/metrics': server.get('/metrics'),
    };
    const statuses = Object.entries(sent).map(async ([kind, response]) => {
      const received = await respondedSoon(response);
      if (kind === '/readyz' && received.status === 503) expectReason(received);
      else if (received.status >= 300) expectUnavailable(received);
      return [kind, received.status];
    });
    return Object.fromEntries(await Promise.all(statuses));
  };

  const expectReason = ({ body }: ClientResponse): void =>
    expect(body).toMatchObject({ status: 'not-ready', reason: expect.stringMatching(/./) });

  const expectDuring = async (expected: Statuses): Promise<void> => {
    const until = Date.now() + SECONDS * 1_000;
    for (; Date.now() < until; await pause(REST_MS)) expect(await probe()).toEqual(expected);
  };

  /** Expects `/readyz` not to wait for a silent engine, and to know the outage once the deadline of the engine is over. */
  const expectReadiness = async (expected: number): Promise<void> => {
    await eventually(async () => {
      const began = performance.now();
      await server.get('/readyz');
      expect(performance.now() - began).toBeLessThan(400);
    });
    await eventually(async () => expect((await server.get('/readyz')).status).toBe(expected));
  };

  it.each(outages)(
    'while $what serves what it can, refuses the rest in time, loses nothing, and recovers without a restart',
    async ({ begin, end, statuses }) => {
      await load.resume();
      await load.waitForMore();
      const before = server.log.length;
      const servers = { mongo: set.mongo, redis: set.redis, facts };
      await begin(servers);
      try {
        await expectReadiness(statuses['/readyz']);
        await expectDuring(statuses);
      } finally {
        await end(servers);
      }
      await eventually(async () => expect(await probe()).toEqual(HEALTHY));
      await load.waitForMore();
      await expectNothingLost(engines, load);
      expect(server.uncaught).toEqual([]);
      const warnings = server.log.slice(before).filter(({ level }) => Number(level) >= 40);
      // Nothing notices a silence that is shorter than the deadlines of calls.
      expect(warnings.length).toBeLessThanOrEqual(1);
      for (const { msg } of warnings) expect(msg).toContain('cannot be used, so');
    },
    120_000 + SECONDS * 2_000,
  );

  it.each(['mongo', 'redis'] as const)(
    'shuts down cleanly while a request lasts and an engine is silent: %s',
    async (engine) => {
      const other = await startedOn(engines);
      const socket = await openSocket(other.url);
      onTestFinished(() => void socket.destroy());
      socket.write('POST /institutions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n');
      socket.write('Content-Length: 9\r\n\r\n{');
      await set[engine].signal('SIGSTOP');
      onTestFinished(() => set[engine].signal('SIGCONT'));
      expect(await other.stop()).toBe(0);
    },
  );
});
