// Measures GETs, compared with an Express server that responds with the same text from a variable.
import { setTimeout as pause } from 'node:timers/promises';
import { doctorBody } from '../lib/accounts.js';
import { below } from '../lib/below.js';
import { loadInTurn, loadRow, repeating } from '../lib/load.js';
import { startReady, startStored } from '../lib/processes.js';
import { anInstitution, phq9Body, post, protocolBody } from '../lib/samples.js';
import type { Measure } from '../measure.js';
import type { TargetName } from '../targets.js';

interface Created {
  readonly id: string;
}

interface Questionnaire {
  readonly protocol: Created;
  readonly form: Created;
}

interface Page {
  readonly items: readonly unknown[];
}

const LISTED = 50;

const aForm = async (url: string): Promise<string> => {
  const body = phq9Body(await anInstitution(url));
  const { protocol, form } = await post<Questionnaire>(`${url}/protocols/questionnaires`, body);
  return `/protocols/${protocol.id}/forms/${form.id}`;
};

const aProtocol = async (url: string): Promise<string> =>
  `/protocols/${(await post<Created>(`${url}/protocols`, protocolBody(await anInstitution(url)))).id}`;

const aUser = async (url: string): Promise<string> =>
  `/users/${(await post<Created>(`${url}/users/doctor`, doctorBody(1))).id}`;

const aList = async (url: string): Promise<string> => {
  const body = protocolBody(await anInstitution(url));
  for (let n = 0; n < LISTED; n += 1) await post(`${url}/protocols`, body);
  const path = `/protocols?limit=${LISTED}`;
  const isFull = async () => ((await (await fetch(`${url}${path}`)).json()) as Page).items.length === LISTED;
  while (!(await isFull())) await pause(10);
  return path;
};

/** Measures the GET of a path. `make` creates the resource and returns the path. */
const reading = (name: TargetName, what: string, make: (url: string) => Promise<string>): Measure => ({
  name,
  title: what,
  run: async (bench) => {
    const product = await startReady(below(bench, 'product'));
    const path = await make(product.url);
    const text = await (await fetch(`${product.url}${path}`)).text();
    const stored = await startStored(below(bench, 'stored'), path, text);
    const { ours, theirs } = await loadInTurn(bench, {
      ours: repeating(product, { method: 'GET', path }),
      theirs: repeating(stored, { method: 'GET', path }),
    });
    const bytes = `${what}, ${Buffer.byteLength(text).toLocaleString('en-GB')} bytes`;
    return [loadRow({ what: bytes, target: name, than: 'Express, the text' }, ours, theirs)];
  },
});

export const reads: readonly Measure[] = [
  reading('get-form', 'GET form', aForm),
  reading('get-protocol', 'GET protocol', aProtocol),
  reading('get-user', 'GET user', aUser),
  reading('get-list', 'GET list of 50', aList),
];
