// Measures a POST /protocols with the facts on EventStoreDB: the CPU time of the service, compared with SQLite, and the
// latency.
import { below } from '../lib/below.js';
import { startEngine } from '../lib/engines.js';
import { cpuEach, loadInTurn, repeating } from '../lib/load.js';
import { type Server, startReady } from '../lib/processes.js';
import { comparedRow } from '../lib/rounds.js';
import { anInstitution, protocolBody } from '../lib/samples.js';
import { spreadOf } from '../lib/stats.js';
import type { Measure } from '../measure.js';

const WHAT = 'POST /protocols on EventStoreDB';
const CONNECTIONS = 128;

const posting = async (server: Server) => {
  const body = protocolBody(await anInstitution(server.url));
  return repeating(server, { method: 'POST', path: '/protocols', body }, CONNECTIONS);
};

export const eventStoreDb: Measure = {
  name: 'eventstoredb',
  title: `${WHAT}, ${CONNECTIONS} connections`,
  run: async (bench) => {
    const engine = await startEngine(below(bench, 'engine'), 'eventstoredb');
    try {
      const { ours, theirs } = await loadInTurn(bench, {
        ours: await posting(await startReady(below(bench, 'on-eventstoredb'), engine.environment)),
        theirs: await posting(await startReady(below(bench, 'on-sqlite'))),
      });
      const tails = spreadOf(ours.map(({ p50, p99 }) => p99 / p50));
      const notes = [`p99: ${spreadOf(ours.map(({ p99 }) => p99)).median.toFixed(0)} ms`];
      const cpu = { what: `${WHAT}, service CPU`, unit: 'µs a request', target: 'eventstoredb-cpu' } as const;
      return [
        comparedRow({ ...cpu, than: 'facts on SQLite' }, cpuEach(ours), cpuEach(theirs)),
        { what: `${WHAT}, p99 / p50`, unit: 'times', ours: tails.median, target: 'eventstoredb-p99', notes },
      ];
    } finally {
      await engine.stop();
    }
  },
};
