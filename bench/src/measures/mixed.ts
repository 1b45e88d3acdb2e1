// Measures four GETs of protocols to one POST /protocols, compared with CRUD with the same fsync.
import { below } from '../lib/below.js';
import { type Load, loadInTurn, loadRow, type Repeated } from '../lib/load.js';
import { type Server, startCrud, startReady } from '../lib/processes.js';
import { anInstitution, post, protocolBody } from '../lib/samples.js';
import type { Measure } from '../measure.js';

const READ = 100;
const READS_TO_A_WRITE = 4;

/** Creates protocols and returns the load that reads them in turn and creates another one after every fourth read. */
const mixOn = async (server: Server, institutionId: string): Promise<Load> => {
  const body = protocolBody(institutionId);
  const write: Repeated = { method: 'POST', path: '/protocols', body };
  const requests: Repeated[] = [];
  for (let n = 1; n <= READ; n += 1) {
    const { id } = await post<{ readonly id: string }>(`${server.url}/protocols`, body);
    requests.push({ method: 'GET', path: `/protocols/${id}` }, ...(n % READS_TO_A_WRITE === 0 ? [write] : []));
  }
  // Each connection starts at a different request, so that the writes do not all come at the same time.
  return { server, requestsOf: (connection) => [...requests.slice(connection), ...requests.slice(0, connection)] };
};

export const mixed: Measure = {
  name: 'mixed',
  title: '80 % GET, 20 % POST',
  run: async (bench) => {
    const product = await startReady(below(bench, 'product'));
    const crud = await startCrud(below(bench, 'crud'));
    const institution = await anInstitution(product.url);
    const { ours, theirs } = await loadInTurn(bench, {
      ours: await mixOn(product, institution),
      theirs: await mixOn(crud, institution),
    });
    const row = { what: 'mixed, 80 % reads', target: 'mixed-crud', than: 'CRUD, the same fsync' } as const;
    return [loadRow(row, ours, theirs)];
  },
};
