// Measures the CPU time of the service for a POST /protocols with the facts on EventStoreDB, compared with SQLite.
import { below } from '../lib/below.js';
import { startEventStoreDb } from '../lib/engines.js';
import { type LoadSample, loadInTurn, repeating } from '../lib/load.js';
import { type Server, startReady } from '../lib/processes.js';
import { comparedRow } from '../lib/rounds.js';
import { anInstitution, protocolBody } from '../lib/samples.js';
import type { Measure } from '../measure.js';

const WHAT = 'service CPU of POST /protocols, facts on EventStoreDB';

const posting = async (server: Server) => {
  const body = protocolBody(await anInstitution(server.url));
  return repeating(server, { method: 'POST', path: '/protocols', body });
};

/** Returns the CPU time of the service per request, in microseconds. */
const cpuOf = (samples: readonly LoadSample[]): readonly number[] =>
  samples.map(({ serverCpu = Number.NaN, perSecond }) => (serverCpu / perSecond) * 1e6);

export const eventStoreDb: Measure = {
  name: 'eventstoredb',
  title: WHAT,
  run: async (bench) => {
    const engine = await startEventStoreDb(below(bench, 'engine'));
    try {
      const { ours, theirs } = await loadInTurn(bench, {
        ours: await posting(await startReady(below(bench, 'on-eventstoredb'), { EVENTSTORE_URL: engine.url })),
        theirs: await posting(await startReady(below(bench, 'on-sqlite'))),
      });
      const row = { what: WHAT, unit: 'µs a request', target: 'eventstoredb-cpu', than: 'facts on SQLite' } as const;
      return [comparedRow(row, cpuOf(ours), cpuOf(theirs))];
    } finally {
      await engine.stop();
    }
  },
};
