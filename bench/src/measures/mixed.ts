// Measures four GETs of protocols to one POST /protocols, compared with Express without a store, and with CRUD with the
// same fsync.
import { below } from '../lib/below.js';
import { type Load, loadInTurn, rowsBeside } from '../lib/load.js';
import { type Server, startBare, startCrud, startReady } from '../lib/processes.js';
import { anInstitution, post, protocolBody } from '../lib/samples.js';
import type { Repeated } from '../lib/wrk.js';
import type { Measure } from '../measure.js';

const READ = 100;
const READS_TO_A_WRITE = 4;
const MIXED_CONNECTIONS = 64;

/** Creates protocols and returns their paths. */
const protocolsOn = async ({ url }: Server, body: object): Promise<readonly string[]> => {
  const paths: string[] = [];
  for (let n = 0; n < READ; n += 1) {
    paths.push(`/protocols/${(await post<{ readonly id: string }>(`${url}/protocols`, body)).id}`);
  }
  return paths;
};

/** Returns the load that reads protocols in turn and creates another one after every fourth read. */
const mixOn = (server: Server, paths: readonly string[], body: object): Load => {
  const write: Repeated = { method: 'POST', path: '/protocols', body };
  const requests = paths.flatMap((path, n) => {
    const read: Repeated = { method: 'GET', path };
    return (n + 1) % READS_TO_A_WRITE === 0 ? [read, write] : [read];
  });
  return { server, requests, connections: MIXED_CONNECTIONS };
};

export const mixed: Measure = {
  name: 'mixed',
  title: '80 % GET, 20 % POST',
  run: async (bench) => {
    const product = await startReady(below(bench, 'product'));
    const body = protocolBody(await anInstitution(product.url));
    const paths = await protocolsOn(product, body);
    const text = await (await fetch(`${product.url}${paths[0]}`)).text();
    const bare = await startBare(below(bench, 'bare'), '/protocols/:id', text);
    const crud = await startCrud(below(bench, 'crud'));
    const samples = await loadInTurn(bench, {
      ours: mixOn(product, paths, body),
      bare: mixOn(bare, paths, body),
      crud: mixOn(crud, await protocolsOn(crud, body), body),
    });
    return rowsBeside({ what: '4 GET, 1 POST', target: 'mixed-crud' }, samples);
  },
};
