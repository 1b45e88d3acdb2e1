// Publications of forms that nobody can answer, or that a complete set of answers leaves without a classification.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis, Score } from '../../src/domain/scoring/schemas.js';
import { first } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import type { Form, ProtocolAndForm } from './support/samples.js';
import { createInstitution, createQuestionnaire, select, successful } from './support/samples.js';

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});

const scoreRanges = [
  { minScore: 0, maxScore: 1, classification: 'Low' },
  { minScore: 2, maxScore: 2, classification: 'High' },
];
const post = async <T>(path: string, body: unknown = {}) => successful(await server.post<T>(path, body)).body;
const formPath = (protocolId: string, form: Pick<Form, 'id'>) => `/protocols/${protocolId}/forms/${form.id}`;

const withoutForm = () => post<{ readonly id: string }>('/protocols', { institutionId, name: 'Empty' });
const WITHOUT_QUESTIONS: readonly (readonly [string, () => Promise<string>])[] = [
  [
    'whose only question was deleted',
    async () => {
      const { protocol, form } = await createQuestionnaire(server, institutionId, {
        questions: [select(1, 2)],
        scoreRanges,
      });
      successful(await server.send('DELETE', `/protocols/${protocol.id}/questions/${first(form.questions).id}`));
      return formPath(protocol.id, form);
    },
  ],
  [
    'that is the first of its protocol',
    async () => {
      const { id } = await withoutForm();
      return formPath(id, await post<Form>(`/protocols/${id}/forms/versions`));
    },
  ],
  [
    'of the copy of a protocol without a form',
    async () => {
      const { id } = await withoutForm();
      const { protocol, form } = await post<ProtocolAndForm>(`/protocols/${id}/copies`, { institutionId });
      return formPath(protocol.id, form);
    },
  ],
];

describe('the publication of a form', () => {
  it.each(WITHOUT_QUESTIONS)('is refused without questions: one %s', async (_, make) => {
    const refused = await server.post(`${await make()}/publish?undecided=true`);
    const fault = { code: 'form-without-questions', severity: 'error', questionIds: [] };
    expect(expectProblem(refused, 409, 'form-faulty')).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining(fault)]),
    });
  });

  it('accepts warnings about questions that are not required', async () => {
    const questions = [
      { ...select(1, 2), required: false },
      { ...select(2, 0), required: false },
    ];
    const { protocol, form } = await createQuestionnaire(server, institutionId, { questions, scoreRanges });
    const path = formPath(protocol.id, form);
    const [counts, empty] = form.questions.map(({ id }) => [id]);
    expect(successful(await server.get<Analysis>(`${path}/analysis`)).body.findings).toMatchObject([
      { code: 'optional-question-counts', severity: 'warning', questionIds: counts },
      { code: 'question-without-answer', severity: 'warning', questionIds: empty },
    ]);
    expect(await post<Form>(`${path}/publish`)).toMatchObject({ status: 'PUBLISHED' });
    const score = await post<Score>(`${path}/score`, { answers: [] });
    expect(score).toMatchObject({ total: 0, classification: null, range: null, complete: true });
  });
});
