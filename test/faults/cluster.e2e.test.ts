// The service on a cluster of EventStoreDB whose leader is killed under load. KILLS says how often: `npm run test:long` is
// the long form.
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

// How a client looks for the leader: for longer than an election takes, and with the client's own limit of 1 s.
const URLS = [
  ['a plain URL', ''],
  ['a URL by which the search ends before the election', '&maxDiscoverAttempts=10'],
] as const;

onRealSet('a service on a cluster of EventStoreDB', () => {
  /** A service under load, and what it has to show in the end. */
  const start = async (parameters: string) => {
    const cluster = await EventStoreDbCluster.start({ directory: temporaryDirectory() });
    onTestFinished(() => cluster.stop());
    const engines = enginesOf(await startEngineSet(), { url: cluster.url + parameters, log: cluster.log });
    const server = await startedOn(engines);
    const load = new Load(server, SEED, { restMs: REST_MS });
    await load.resume();
    /** Resolves when the writers have had some more answers. */
    const goesOn = async () => {
      const answered = load.answered + 20;
      await eventually(() => expect(load.answered).toBeGreaterThanOrEqual(answered));
    };
    /** The process that was started lives, nothing that was acknowledged is lost, and the read models have all of it. */
    const expectWell = async () => {
      await load.halt();
      await load.settle();
      await expectSound(engines, load.journal);
      await expectReadModelsAsFresh(engines);
      expect((await server.get('/readyz')).status).toBe(200);
      expect(server.uncaught).toEqual([]);
    };
    return { cluster, goesOn, expectWell };
  };

  it.each(URLS)(
    `that has %s lives through ${KILLS} kills and a freeze of the leader and loses no write (seed ${SEED})`,
    async (_, parameters) => {
      const { cluster, goesOn, expectWell } = await start(parameters);
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await goesOn();
        await cluster.killLeader();
        await eventually(() => expect(cluster.leader).toBeDefined());
        await goesOn();
        await cluster.revive();
      }
      await goesOn();
      await cluster.freezeLeader();
      await goesOn();
      await cluster.revive();
      await goesOn();
      await expectWell();
    },
    60_000 + KILLS * 30_000,
  );
});
