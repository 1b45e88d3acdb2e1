// Measures durable POSTs, compared with Express without a store, and with CRUD with the same fsync.
import { below } from '../lib/below.js';
import { CONNECTIONS, type LoadSample, loadInTurn, repeating, rowsBeside } from '../lib/load.js';
import { type Server, startBare, startCrud, startReady } from '../lib/processes.js';
import { anInstitution, protocolBody, questionnaireBody } from '../lib/samples.js';
import { median } from '../lib/stats.js';
import type { Bench, Measure, Row } from '../measure.js';
import type { TargetName } from '../targets.js';

interface Posted {
  readonly what: string;
  readonly target: TargetName;
  readonly path: string;
  readonly bodyOf: (institutionId: string) => object;
  readonly connections: number;
}

/** Starts the servers. Returns the loads of a POST on each. The product has the institution of the body. */
const loadsOf = async (bench: Bench, { path, bodyOf, connections }: Omit<Posted, 'what' | 'target'>) => {
  const product = await startReady(below(bench, 'product'));
  const body = bodyOf(await anInstitution(product.url));
  const posting = (server: Server) => repeating(server, { method: 'POST', path, body }, connections);
  return {
    ours: posting(product),
    bare: posting(await startBare(below(bench, 'bare'))),
    crud: posting(await startCrud(below(bench, 'crud'))),
  };
};

/** Measures a POST. `more` returns further rows from the samples of the product. */
const posting = (
  name: string,
  posted: Posted,
  more: (ours: readonly LoadSample[]) => readonly Row[] = () => [],
): Measure => ({
  name,
  title: posted.what,
  run: async (bench) => {
    const samples = await loadInTurn(bench, await loadsOf(bench, posted));
    return [...rowsBeside(posted, samples), ...more(samples.ours)];
  },
});

const protocolOver = (connections: number, target: TargetName): Posted => ({
  what: connections === CONNECTIONS ? 'POST /protocols' : `POST /protocols, connections: ${connections}`,
  target,
  path: '/protocols',
  bodyOf: protocolBody,
  connections,
});

export const post32 = posting('post-32', protocolOver(CONNECTIONS, 'post-crud'));
export const post1 = posting('post-1', protocolOver(1, 'post-1-crud'));
export const post256 = posting('post-256', protocolOver(256, 'post-256-crud'), (ours) => [
  { what: 'its p99', unit: 'ms', ours: median(ours.map(({ p99 }) => p99)), target: 'post-256-p99' },
]);
export const postQuestionnaire = posting('questionnaire', {
  what: 'POST questionnaire 9x4',
  target: 'questionnaire-crud',
  path: '/protocols/questionnaires',
  bodyOf: questionnaireBody,
  connections: CONNECTIONS,
});
