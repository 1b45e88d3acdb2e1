// Measures durable POSTs, compared with an Express server that returns the body without storing it, and with CRUD with
// the same fsync.
import { below } from '../lib/below.js';
import { loadInTurn, loadRow, repeating } from '../lib/load.js';
import { type Server, startCrud, startEcho, startReady } from '../lib/processes.js';
import { anInstitution, protocolBody, questionnaireBody } from '../lib/samples.js';
import { median } from '../lib/stats.js';
import type { Bench, Measure, Row } from '../measure.js';

const ECHO = 'Express + zod echo';
const CRUD = 'CRUD, the same fsync';
const WHAT = 'POST /protocols';

const start = (bench: Bench) => startReady(below(bench, 'product'));
const echo = (bench: Bench) => startEcho(below(bench, 'echo'));
const crud = (bench: Bench) => startCrud(below(bench, 'crud'));

/**
 * Returns a function that creates the load of POST /protocols on a server. The product has the institution of the body.
 */
const postingTo = async (product: Server, connections: number) => {
  const body = protocolBody(await anInstitution(product.url));
  return (server: Server) => repeating(server, { method: 'POST', path: '/protocols', body }, connections);
};

export const post32: Measure = {
  name: 'post-32',
  title: WHAT,
  run: async (bench) => {
    const product = await start(bench);
    const posting = await postingTo(product, 32);
    const samples = await loadInTurn(bench, {
      ours: posting(product),
      echo: posting(await echo(bench)),
      crud: posting(await crud(bench)),
    });
    return [
      loadRow({ what: WHAT, target: 'post-echo', than: ECHO }, samples.ours, samples.echo),
      loadRow({ what: WHAT, target: 'post-crud', than: CRUD }, samples.ours, samples.crud),
    ];
  },
};

export const post256: Measure = {
  name: 'post-256',
  title: `${WHAT}, 256 connections`,
  run: async (bench) => {
    const product = await start(bench);
    const posting = await postingTo(product, 256);
    const { ours, theirs } = await loadInTurn(bench, { ours: posting(product), theirs: posting(await echo(bench)) });
    const what = `${WHAT}, 256 connections`;
    const p99 = ours.map((sample) => sample.p99);
    const tail: Row = { what: `${what}, p99`, unit: 'ms', ours: median(p99), target: 'post-256-p99' };
    return [loadRow({ what, target: 'post-256-echo', than: ECHO }, ours, theirs), tail];
  },
};

export const post1: Measure = {
  name: 'post-1',
  title: `${WHAT}, 1 connection`,
  run: async (bench) => {
    const product = await start(bench);
    const posting = await postingTo(product, 1);
    const { ours, theirs } = await loadInTurn(bench, { ours: posting(product), theirs: posting(await crud(bench)) });
    return [loadRow({ what: `${WHAT}, 1 connection`, target: 'post-1-crud', than: CRUD }, ours, theirs)];
  },
};

export const postQuestionnaire: Measure = {
  name: 'questionnaire',
  title: 'POST /protocols/questionnaires, 9 questions x 4 options',
  run: async (bench) => {
    const product = await start(bench);
    const body = questionnaireBody(await anInstitution(product.url));
    const posting = (server: Server) => repeating(server, { method: 'POST', path: '/protocols/questionnaires', body });
    const { ours, theirs } = await loadInTurn(bench, { ours: posting(product), theirs: posting(await crud(bench)) });
    return [loadRow({ what: 'POST questionnaire 9x4', target: 'questionnaire-crud', than: CRUD }, ours, theirs)];
  },
};
