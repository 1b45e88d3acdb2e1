// POST /protocols/questionnaires/score: answers to a questionnaire that is not stored.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Score } from '../../src/domain/scoring/schemas.js';
import { answersTo, instruments } from '../support/instruments.js';
import { first, nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused } from './support/refusals.js';
import {
  createInstitution,
  createQuestionnaire,
  numbered,
  option,
  question,
  select,
  successful,
  UNKNOWN_ID,
} from './support/samples.js';

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});

const PATH = '/protocols/questionnaires/score';
const score = (content: object, answers: unknown, path = PATH) =>
  server.post<Score>(path, { scoreRanges: [], ...content, answers });

const pain = question(3, { responseType: 'NUMBER', metadata: { minValue: 0, maxValue: 10, integer: true } });
const content = {
  questions: [
    { ...select(2, 2), position: 2 },
    { ...select(1, 3), position: 1, id: UNKNOWN_ID },
    { ...pain, position: 3 },
  ],
  scoreRanges: [
    { minScore: 6, maxScore: 20, classification: 'High' },
    { minScore: 0, maxScore: 5, classification: 'Low' },
  ],
};
const answers = [
  { questionId: '/questions/0', optionIds: ['/questions/0/options/1'] },
  { questionId: UNKNOWN_ID.toUpperCase(), optionIds: ['/questions/1/options/2'] },
];

describe('the score of a questionnaire that is not stored', () => {
  it('names items by their ids, or else by their pointers, and records nothing', async () => {
    const response = await expectNothingStored(server, () =>
      score(content, [...answers, { questionId: '/questions/2', value: 1 }]),
    );
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect([response.headers.get('etag'), response.headers.get('consistency-token')]).toEqual([null, null]);
    expect(response.body).toMatchObject({
      ...{ version: null, status: null, total: 6, classification: 'High', complete: true, missing: [] },
      range: { id: '/scoreRanges/0', minScore: 6, maxScore: 20, classification: 'High' },
      possible: { min: 6, max: 6 },
    });
    expect(response.body.items.map(({ questionId, contribution }) => [questionId, contribution])).toEqual([
      [UNKNOWN_ID, 3],
      ['/questions/0', 2],
      ['/questions/2', 1],
    ]);
    expect(Object.keys(response.body)).not.toContain('archived');
  });

  it('names what is missing, below the prefix of the administration, too', async () => {
    const { body } = successful(await score(content, answers.slice(0, 1), `/admin-service${PATH}`));
    expect(body).toMatchObject({ total: 2, range: null, complete: false, missing: [UNKNOWN_ID, '/questions/2'] });
  });

  it.each(instruments.slice(0, 3).map((each) => [each.name, each] as const))(
    'is that of the stored form: %s',
    async (_, instrument) => {
      const sent = {
        name: instrument.name,
        questions: instrument.questions.map((each) => ({ ...each, options: [...each.options] })),
        scoreRanges: [...instrument.scoreRanges],
      };
      const { protocol, form } = await createQuestionnaire(server, institutionId, sent);
      const pointers = sent.questions.map(({ options }, index) => ({
        id: `/questions/${index}`,
        options: options.map((_, place) => ({ id: `/questions/${index}/options/${place}` })),
      }));
      for (const each of instrument.cases) {
        const stored = successful(
          await server.post<Score>(`/protocols/${protocol.id}/forms/${form.id}/score`, {
            answers: answersTo(form.questions, each),
          }),
        ).body;
        const unstored = successful(await score(sent, answersTo(pointers, each))).body;
        const shown = ({ total, classification, possible, items }: Score) => [
          total,
          classification,
          possible,
          items.map(({ contribution, explanation }) => [contribution, explanation]),
        ];
        expect(shown(unstored)).toEqual(shown(stored));
      }
    },
  );

  it('scores the answers that its analysis shows', async () => {
    const gap = { questions: [select(1, 2)], scoreRanges: [{ minScore: 0, maxScore: 1, classification: 'Low' }] };
    const { body } = await server.post<{ findings: readonly { answers?: unknown }[] }>(
      '/protocols/questionnaires/analysis',
      gap,
    );
    expect(successful(await score(gap, first(body.findings).answers)).body).toMatchObject({
      total: 2,
      range: null,
      complete: true,
    });
  });

  it('refuses all faults of answers at once, repeats no answer, and may not be cached', async () => {
    const refused = await score(content, [
      { ...nth(answers, 0), optionIds: ['/questions/1/options/0', UNKNOWN_ID, 'secret'], value: 'secret' },
      { questionId: '/questions/0', value: 'secret' },
      { questionId: '/questions/1', optionIds: [] },
      { questionId: '/questions/2', value: 10.5 },
      { questionId: 'secret', value: {} },
    ]);
    expectRefused(
      refused,
      ...['/answers/0/optionIds too-big', '/answers/0/optionIds/0 not-found', '/answers/0/optionIds/1 not-found'],
      ...['/answers/0/optionIds/2 not-found', '/answers/0/value excluded', '/answers/1/questionId duplicate'],
      ...['/answers/1/value excluded', '/answers/2/questionId not-found', '/answers/3/value invalid-value'],
      ...['/answers/4/questionId not-found', '/answers/4/value invalid-type'],
    );
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(refused.body)).not.toContain('secret');
  });

  it('refuses what its analysis would refuse', async () => {
    const misfit = {
      ...question(1),
      responseType: undefined,
      options: [option(1)],
      metadata: { minValue: '2020-01-01', integer: 1 },
    };
    expectRefused(
      await score({ questions: [misfit] }, []),
      '/questions/0/metadata/minValue invalid-type',
      '/questions/0/metadata/integer invalid-type',
    );
    expectRefused(
      await score({ questions: [question(1, { questionText: '' })] }, [{}]),
      '/questions/0/questionText blank',
      '/answers/0/questionId required',
    );
    expectRefused(await server.post(PATH, {}), '/questions required', '/scoreRanges required', '/answers required');
  });

  it('has a body of at most 1 MiB', async () => {
    const long = { questions: [question(1, { required: false })], note: 'x'.repeat(1_048_000) };
    successful(await score(long, [{ questionId: '/questions/0', value: 'x' }]));
    const texts = numbered(11, () => ({ questionId: '/questions/0', value: 'x'.repeat(100_000) }));
    expect(expectProblem(await score(long, texts), 413, 'too-large')).toMatchObject({ limit: 1_048_576 });
  });
});
