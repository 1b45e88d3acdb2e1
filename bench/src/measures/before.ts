// Measures the service beside an earlier build of it: `BENCH_BEFORE=CHECKOUT npm run bench -- before`.
import { below } from '../lib/below.js';
import {
  CONNECTIONS,
  inTurn,
  type Load,
  type LoadSample,
  loadInTurn,
  loadRow,
  repeating,
  sendEach,
} from '../lib/load.js';
import { type Server, startReady } from '../lib/processes.js';
import { anInstitution, protocolBody, questionnaireBody } from '../lib/samples.js';
import type { Bench, Measure, Row } from '../measure.js';
import { decidingOn, profilesOn } from './decisions.js';
import { aForm, aList, type Make } from './get.js';

const WRITES = 1_000;
const PAIRS = 8;

/** A work: the load of it on a server that has an institution. */
interface Work {
  readonly name: string;
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
  { name: 'post', what: 'POST /protocols', loadOn: posting('/protocols', protocolBody) },
  { name: 'questionnaire', what: 'POST questionnaire 9x4', loadOn: writing },
  { name: 'form', what: 'GET form, idle', loadOn: getting(aForm) },
  { name: 'form-after-writes', what: 'GET form, after writes', loadOn: afterWrites },
  { name: 'list', what: 'GET list of 50', loadOn: getting(aList) },
  {
    name: 'decisions',
    what: 'approve and reject',
    loadOn: async (server) => ({ server, requests: decidingOn(await profilesOn(server.url, 4 * CONNECTIONS)) }),
  },
];

/** Loads a fresh pair of servers for some seconds: the rate of one build differs from one start to the next. */
const pairOf = async (bench: Bench, { loadOn }: Work, build: string) => {
  const on = async (name: string, of?: string) => {
    const server = await startReady(below(bench, name), {}, of);
    return loadOn(server, await anInstitution(server.url));
  };
  return loadInTurn(bench, { now: await on('now'), before: await on('before', build) });
};

const compared = async (bench: Bench, work: Work, build: string): Promise<Row> => {
  const [now, earlier]: [LoadSample[], LoadSample[]] = [[], []];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const samples = await pairOf({ ...bench, directory: below(bench, String(pair)), quick: true }, work, build);
    now.push(...samples.now);
    earlier.push(...samples.before);
  }
  const row = loadRow({ what: work.what, than: 'the build before' }, now, earlier);
  const [ours, theirs] = [undisturbed(now), undisturbed(earlier)];
  return { ...row, notes: [...(row.notes ?? []), `upper quartiles of the rates: ${(ours / theirs).toFixed(2)}`] };
};

/** Returns the upper quartile of the rates. Other work on the machine lowers the median more. */
const undisturbed = (samples: readonly LoadSample[]): number => {
  const rates = samples.map(({ perSecond }) => perSecond).toSorted((a, b) => b - a);
  return rates[Math.floor(rates.length / 4)] ?? Number.NaN;
};

/** Returns the measures that compare the service with the build in another checkout. */
export const before = (checkout: string): readonly Measure[] =>
  works.map((work) => ({
    name: `before-${work.name}`,
    title: `${work.what}, beside the build in ${checkout}`,
    run: async (bench) => [await compared(bench, work, checkout)],
  }));
