// Tests the service on a cluster of EventStoreDB whose leader is killed under load. KILLS sets how often; `npm run
// test:long` kills many times.
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { startEngineSet } from '../support/engine-set.js';
import { EventStoreDbCluster } from '../support/eventstoredb/cluster.js';
import { eventually } from '../support/eventually.js';
import { repetitions } from '../support/repetitions.js';
import { expectSound } from './kill-check.js';
import { Load } from './load.js';
import { enginesOf, expectReadModelsAsFresh, onRealSet, startedOn } from './sets.js';

const KILLS = repetitions('KILLS');
const REST_MS = 50;
const SEED = Number(process.env['SEED'] ?? 20_260_214);

// With the first URL the client searches for a leader for longer than an election takes, with the second for only 1 s.
const URLS = [
  ['a plain URL', ''],
  ['a URL that ends the search before the election', '&maxDiscoverAttempts=10'],
] as const;

onRealSet('a service on a cluster of EventStoreDB', () => {
  /** Starts a cluster and a service on it under load. */
  const start = async (parameters: string) => {
    const cluster = await EventStoreDbCluster.start({ directory: temporaryDirectory() });
    onTestFinished(() => cluster.stop());
    const engines = enginesOf(await startEngineSet(), { url: cluster.url + parameters, log: cluster.log });
    const server = await startedOn(engines);
    const load = new Load(server, SEED, { restMs: REST_MS });
    await load.resume();
    /** Resolves when the writers have received 20 more responses. */
    const moreAnswers = async () => {
      const acknowledged = load.acknowledged + 20;
      await eventually(() => expect(load.acknowledged).toBeGreaterThanOrEqual(acknowledged));
    };
    /** Expects the process to run, no acknowledged write to be lost, and the read models to have every write. */
    const expectNothingLost = async () => {
      await load.halt();
      await load.settle();
      await expectSound(engines, load.journal);
      await expectReadModelsAsFresh(engines);
      expect((await server.get('/readyz')).status).toBe(200);
      expect(server.uncaught).toEqual([]);
    };
    return { cluster, moreAnswers, expectNothingLost };
  };

  it.each(URLS)(
    `with %s survives ${KILLS} kills and a freeze of the leader and loses no write (seed ${SEED})`,
    async (_, parameters) => {
      const { cluster, moreAnswers, expectNothingLost } = await start(parameters);
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await moreAnswers();
        await cluster.killLeader();
        await eventually(() => expect(cluster.leader).toBeDefined());
        await moreAnswers();
        await cluster.revive();
      }
      await moreAnswers();
      await cluster.freezeLeader();
      await moreAnswers();
      await cluster.revive();
      await moreAnswers();
      await expectNothingLost();
    },
    60_000 + KILLS * 30_000,
  );
});
