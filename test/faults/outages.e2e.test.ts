// Makes a distributed engine unavailable for a while under load: stopped, so that its connections stay open but silent,
// or killed. OUTAGE_SECONDS sets how long.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { BullMqWork } from '../../src/infrastructure/work/bullmq.js';
import { UPKEEP_QUEUE } from '../../src/operations/upkeep.js';
import { createInstitution, type Institution } from '../http/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { EngineSet } from '../support/engine-set.js';
import { EventStoreDbProcess } from '../support/eventstoredb/process.js';
import { eventually } from '../support/eventually.js';
import { openSocket } from '../support/raw-http.js';
import { repetitions } from '../support/repetitions.js';
import { expectSound } from './kill-check.js';
import { Load } from './load.js';
import { probe, type Statuses } from './probes.js';
import { type Engines, enginesOf, expectReadModelsAsFresh, onRealSet, startedOn, WatchedServer } from './sets.js';

const SECONDS = repetitions('OUTAGE_SECONDS');
const REST_MS = 50;
const SEED = 20_260_107;

/** The servers, each a process of its own. */
interface Servers extends Pick<EngineSet, 'mongo' | 'redis'> {
  readonly facts: EventStoreDbProcess;
}

interface Outage {
  readonly what: string;
  readonly begin: (servers: Servers) => Promise<void>;
  readonly end: (servers: Servers) => Promise<void>;
  /** The statuses of the responses during the outage. */
  readonly statuses: Statuses;
  /** The length of the outage; OUTAGE_SECONDS if absent. */
  readonly seconds?: number;
}

const HEALTHY: Statuses = {
  write: 201,
  'write under an Idempotency-Key': 201,
  'read of one': 200,
  'read of one as of an instant': 200,
  list: 200,
  '/livez': 200,
  '/readyz': 200,
  '/metrics': 200,
};

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

const outages: readonly Outage[] = [
  {
    what: 'while MongoDB is silent',
    begin: ({ mongo }) => mongo.signal('SIGSTOP'),
    end: ({ mongo }) => mongo.signal('SIGCONT'),
    statuses: WITHOUT_MONGODB,
  },
  {
    what: 'while MongoDB is down for at least the 12 s of an unplanned failover',
    begin: ({ mongo }) => mongo.end('SIGKILL'),
    end: ({ mongo }) => mongo.start(),
    statuses: WITHOUT_MONGODB,
    seconds: Math.max(12, SECONDS),
  },
  {
    what: 'while Redis is silent',
    begin: ({ redis }) => redis.signal('SIGSTOP'),
    end: ({ redis }) => redis.signal('SIGCONT'),
    statuses: HEALTHY,
  },
  {
    what: 'while Redis is killed',
    begin: ({ redis }) => redis.end('SIGKILL'),
    end: ({ redis }) => redis.start(),
    statuses: HEALTHY,
  },
  {
    what: 'while EventStoreDB is silent',
    begin: ({ facts }) => facts.signal('SIGSTOP'),
    end: ({ facts }) => facts.signal('SIGCONT'),
    statuses: WITHOUT_FACTS,
  },
  {
    what: 'while EventStoreDB is killed',
    begin: ({ facts }) => facts.kill(),
    end: ({ facts }) => facts.start(),
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
    engines = enginesOf(set, facts);
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

  /** Resolves when the writers have received 20 more responses. */
  const moreAnswers = async (): Promise<void> => {
    const acknowledged = load.acknowledged + 20;
    await eventually(() => expect(load.acknowledged).toBeGreaterThanOrEqual(acknowledged));
  };

  const expectDuring = async (expected: Statuses, seconds: number): Promise<void> => {
    const until = Date.now() + seconds * 1_000;
    for (; Date.now() < until; await pause(REST_MS)) expect(await probe(server, known)).toEqual(expected);
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

  /** Expects no acknowledged write to be lost, and every open request to succeed when it is repeated. */
  const expectNothingLost = async (): Promise<void> => {
    await load.halt();
    await load.settle();
    await expectSound(engines, load.journal);
    await expectReadModelsAsFresh(engines);
  };

  it.each(outages)(
    'serves what it can $what, refuses the rest in time, and recovers without a restart',
    async ({ begin, end, statuses, seconds = SECONDS }) => {
      await load.resume();
      await moreAnswers();
      const servers = { mongo: set.mongo, redis: set.redis, facts };
      await begin(servers);
      try {
        await expectReadiness(statuses['/readyz']);
        await expectDuring(statuses, seconds);
      } finally {
        await end(servers);
      }
      await eventually(async () => expect(await probe(server, known)).toEqual(HEALTHY));
      await moreAnswers();
      await expectNothingLost();
      expect(server.uncaught).toEqual([]);
    },
    120_000 + SECONDS * 2_000,
  );

  it('shuts down cleanly on request while MongoDB is silent', async () => {
    const other = await startedOn(engines);
    await set.mongo.signal('SIGSTOP');
    onTestFinished(() => set.mongo.signal('SIGCONT'));
    expect(await other.stop()).toBe(0);
  });

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

  it('enqueues jobs again once Redis is available, and has the jobs that were queued', async () => {
    const work = new BullMqWork(set.redis.url, { onError: () => undefined });
    onTestFinished(() => work.close());
    const queue = { ...UPKEEP_QUEUE, name: 'of this test' };
    const later = { queue, id: 'later', data: {}, runAt: Date.now() + 3_600_000 };
    const now = { queue, id: 'now', data: {} };
    await work.enqueue(later);
    await set.redis.end('SIGKILL');
    await expect(work.enqueue(now)).rejects.toThrow(/Redis/);
    await set.redis.start();
    await eventually(() => work.enqueue(now));
    await work.enqueue(later);
    expect(await work.pending(queue)).toBe(2);
  });
});
