// Tests the service on a cluster of EventStoreDB whose leader is killed under load. KILLS sets how often.
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { onRealSet, startEngineSet } from '../support/engine-set.js';
import { EventStoreDbCluster } from '../support/eventstoredb/cluster.js';
import { eventually } from '../support/eventually.js';
import { repetitions } from '../support/repetitions.js';
import { Load } from './support/load.js';
import { expectNothingLost } from './support/log-checks.js';
import { enginesOf, startedOn } from './support/sets.js';

const KILLS = repetitions('KILLS');
const SEED = Number(process.env['SEED'] ?? 20_260_214);

// With the first URL the client searches for a leader for longer than an election takes, with the second for only 1 s.
const URLS = [
  ['a plain URL', ''],
  ['a URL that ends the search before the election', '&maxDiscoverAttempts=10'],
] as const;

onRealSet('a service on a cluster of EventStoreDB', () => {
  it.each(URLS)(
    `with %s survives ${KILLS} kills and a freeze of the leader and loses no write (seed ${SEED})`,
    async (_, parameters) => {
      const cluster = await EventStoreDbCluster.start({ directory: temporaryDirectory() });
      onTestFinished(() => cluster.stop());
      const engines = enginesOf(await startEngineSet(), cluster.url + parameters);
      const server = await startedOn(engines);
      const load = new Load(server, SEED, { restMs: 50 });
      await load.resume();
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await load.waitForMore();
        await cluster.killLeader();
        await eventually(() => expect(cluster.leader).toBeDefined());
        await load.waitForMore();
        await cluster.revive();
      }
      await load.waitForMore();
      await cluster.freezeLeader();
      await load.waitForMore();
      await cluster.revive();
      await load.waitForMore();
      await expectNothingLost(engines, load);
      expect((await server.get('/readyz')).status).toBe(200);
      expect(server.uncaught).toEqual([]);
    },
    60_000 + KILLS * 30_000,
  );
});
