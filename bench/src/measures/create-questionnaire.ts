// POST /protocols/questionnaires of 9 x 4 against plain CRUD with the same fsync: one transaction a request, and again
// with group commit on that side too.
import { join } from 'node:path';
import { startBaseline, startReady } from '../lib/processes.js';
import { anInstitution, questionnaireBody } from '../lib/samples.js';
import type { Bench, Measure } from '../measure.js';
import { below, loadInTurn, loadRow } from './http.js';

const startCrud = (bench: Bench, name: string, group: '0' | '1') => {
  const directory = below(bench, name);
  return startBaseline('crud', directory, { DATABASE: join(directory, 'crud.sqlite'), GROUP: group });
};

export const createQuestionnaire: Measure = {
  name: 'create-questionnaire',
  title: 'POST /protocols/questionnaires, 9 questions x 4 options',
  run: async (bench) => {
    const product = await startReady(below(bench, 'product'));
    const alone = await startCrud(bench, 'crud', '0');
    const grouped = await startCrud(bench, 'crud-grouped', '1');
    const body = JSON.stringify(questionnaireBody(await anInstitution(product.url)));
    const request = { method: 'POST', path: '/protocols/questionnaires', body } as const;
    const samples = await loadInTurn(bench, {
      ours: { server: product, request },
      alone: { server: alone, request },
      grouped: { server: grouped, request },
    });
    const what = 'POST /protocols/questionnaires, 9 x 4';
    return [
      loadRow(what, samples.ours, { name: 'CRUD, a transaction a request', samples: samples.alone }),
      loadRow(what, samples.ours, { name: 'CRUD, with group commit too', samples: samples.grouped }),
    ];
  },
};
