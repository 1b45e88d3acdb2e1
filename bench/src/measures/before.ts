// Measures the service beside an earlier build of it: `BENCH_BEFORE=CHECKOUT npm run bench -- before`.
import { below } from '../lib/below.js';
import { CONNECTIONS, inTurn, type Load, loadInTurn, loadRow, repeating, sendEach } from '../lib/load.js';
import { type Server, startReady } from '../lib/processes.js';
import { anInstitution, protocolBody, questionnaireBody } from '../lib/samples.js';
import type { Bench, Measure, Row } from '../measure.js';
import { decidingOn, profilesOn } from './decisions.js';
import { aForm, aList, type Make } from './get.js';

const WRITES = 1_000;

/** A work: the load of it on a server that has an institution. */
interface Work {
  readonly what: string;
  readonly loadOn: (server: Server, institutionId: string) => Promise<Load>;
}

const getting =
  (make: Make): Work['loadOn'] =>
  async (server, institutionId) =>
    repeating(server, { method: 'GET', path: await make(server.url, institutionId) });

const posting =
  (path: string, bodyOf: (institutionId: string) => object): Work['loadOn'] =>
  async (server, institutionId) =>
    repeating(server, { method: 'POST', path, body: bodyOf(institutionId) });

const writing = posting('/protocols/questionnaires', questionnaireBody);

const afterWrites: Work['loadOn'] = async (server, institutionId) => {
  const { requests } = await writing(server, institutionId);
  const load = await getting(aForm)(server, institutionId);
  return { ...load, before: () => sendEach(server, inTurn(requests, WRITES)) };
};

const works: readonly Work[] = [
  { what: 'POST /protocols', loadOn: posting('/protocols', protocolBody) },
  { what: 'POST questionnaire 9x4', loadOn: writing },
  { what: 'GET form, idle', loadOn: getting(aForm) },
  { what: 'GET form, after writes', loadOn: afterWrites },
  { what: 'GET list of 50', loadOn: getting(aList) },
  {
    what: 'approve and reject',
    loadOn: async (server) => ({ server, requests: decidingOn(await profilesOn(server.url, 4 * CONNECTIONS)) }),
  },
];

const compared = async (bench: Bench, { what, loadOn }: Work, build: string): Promise<Row> => {
  const on = async (name: string, of?: string) => {
    const server = await startReady(below(bench, `${what.replaceAll(/\W/g, '-')}-${name}`), {}, of);
    return loadOn(server, await anInstitution(server.url));
  };
  const { ours, theirs } = await loadInTurn(bench, { ours: await on('now'), theirs: await on('before', build) });
  return loadRow({ what, than: 'the build before' }, ours, theirs);
};

/** Returns the measure that compares the service with the build in another checkout. */
export const before = (checkout: string): Measure => ({
  name: 'before',
  title: `the service beside the build in ${checkout}`,
  run: async (bench) => {
    const rows: Row[] = [];
    for (const work of works) rows.push(await compared(bench, work, checkout));
    return rows;
  },
});
