// Measures GETs, compared with an Express server that responds with the same text from a variable, and with CRUD.
import { setTimeout as pause } from 'node:timers/promises';
import { doctorBody } from '../lib/accounts.js';
import { below } from '../lib/below.js';
import { BARE, inTurn, type Load, loadInTurn, loadRow, repeating, rowsBeside, sendEach } from '../lib/load.js';
import { type Server, startBare, startCrud, startReady } from '../lib/processes.js';
import { anInstitution, phq9Body, post, protocolBody, questionnaireBody } from '../lib/samples.js';
import type { Bench, Measure } from '../measure.js';
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

/** Creates a resource on a server, and returns its path. */
export type Make = (url: string, institutionId: string) => Promise<string>;

const LISTED = 50;

export const aForm: Make = async (url, institutionId) => {
  const { protocol, form } = await post<Questionnaire>(`${url}/protocols/questionnaires`, phq9Body(institutionId));
  return `/protocols/${protocol.id}/forms/${form.id}`;
};

const aProtocol: Make = async (url, institutionId) =>
  `/protocols/${(await post<Created>(`${url}/protocols`, protocolBody(institutionId))).id}`;

const aUser: Make = async (url) => `/users/${(await post<Created>(`${url}/users/doctor`, doctorBody(1))).id}`;

export const aList: Make = async (url, institutionId) => {
  for (let n = 0; n < LISTED; n += 1) await post(`${url}/protocols`, protocolBody(institutionId));
  const path = `/protocols?limit=${LISTED}`;
  const isFull = async () => ((await (await fetch(`${url}${path}`)).json()) as Page).items.length === LISTED;
  while (!(await isFull())) await pause(10);
  return path;
};

/** Starts the product, and Express with the text of the resource. Returns the loads of a GET on both. */
const gettingFrom = async (bench: Bench, make: Make) => {
  const product = await startReady(below(bench, 'product'));
  const institutionId = await anInstitution(product.url);
  const path = await make(product.url, institutionId);
  const text = await (await fetch(`${product.url}${path}`)).text();
  const bare = await startBare(below(bench, 'bare'), path.split('?')[0], text);
  const getting = (server: Server) => repeating(server, { method: 'GET', path });
  const size = `${Buffer.byteLength(text).toLocaleString('en-GB')} bytes`;
  return { ours: getting(product), bare: getting(bare), institutionId, size };
};

const WRITES = 2_000;

/** Has a server store questionnaires before each sample of a load. */
const afterWrites = (load: Load, institutionId: string, amount: number): Load => {
  const write = { method: 'POST', path: '/protocols/questionnaires', body: questionnaireBody(institutionId) } as const;
  return { ...load, before: () => sendEach(load.server, inTurn([write], amount)) };
};

const reading = (target: TargetName, what: string, make: Make, writes: number): Measure => ({
  name: target.replace('-crud', ''),
  title: what,
  run: async (bench) => {
    const { ours, bare, institutionId, size } = await gettingFrom(bench, make);
    const server = await startCrud(below(bench, 'crud'));
    const crud = repeating(server, { method: 'GET', path: await make(server.url, institutionId) });
    const amount = bench.quick ? writes / 4 : writes;
    const prepared = (load: Load) => (writes === 0 ? load : afterWrites(load, institutionId, amount));
    const loads = { ours: prepared(ours), bare: prepared(bare), crud: prepared(crud) };
    return rowsBeside({ what: `${what}, ${size}`, target }, await loadInTurn(bench, loads));
  },
});

const getUser: Measure = {
  name: 'get-user',
  title: 'GET user',
  run: async (bench) => {
    const { ours, bare, size } = await gettingFrom(bench, aUser);
    const samples = await loadInTurn(bench, { ours, bare });
    return [loadRow({ what: `GET user, ${size}`, target: 'get-user', than: BARE }, samples.ours, samples.bare)];
  },
};

export const reads: readonly Measure[] = [
  reading('get-form-after-writes-crud', 'GET form, after writes', aForm, WRITES),
  reading('get-form-crud', 'GET form, idle', aForm, 0),
  reading('get-list-crud', 'GET list of 50', aList, 0),
];
export const smallReads: readonly Measure[] = [reading('get-protocol-crud', 'GET protocol', aProtocol, 0), getUser];
