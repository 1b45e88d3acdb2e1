// Scores over HTTP: of real instruments, of forms of every status, and what a refusal reveals.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Score } from '../../src/domain/scoring/schemas.js';
import { answersTo, instruments } from '../support/instruments.js';
import { first, nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused } from './support/refusals.js';
import type { Form, Protocol, ProtocolAndForm } from './support/samples.js';
import {
  createInstitution,
  createQuestionnaire,
  numbered,
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

const pathOf = ({ protocol, form }: ProtocolAndForm) => `/protocols/${protocol.id}/forms/${form.id}`;
const score = (made: ProtocolAndForm, answers: readonly unknown[]) =>
  server.post<Score>(`${pathOf(made)}/score`, { answers });

describe.each(instruments.map((instrument) => [instrument.name, instrument] as const))('%s', (_, instrument) => {
  it('has the totals and the classifications of its publication', async () => {
    const { name, questions, scoreRanges } = instrument;
    const sent = questions.map((each) => ({ ...each, options: [...each.options] }));
    const made = await createQuestionnaire(server, institutionId, {
      name,
      questions: sent,
      scoreRanges: [...scoreRanges],
    });
    successful(await server.post(`${pathOf(made)}/publish`));
    for (const each of instrument.cases) {
      const { body } = successful(await score(made, answersTo(made.form.questions, each)));
      expect([body.total, body.classification, body.complete]).toEqual([each.total, each.classification, true]);
      expect(made.form.scoreRanges).toContainEqual(body.range);
    }
  });
});

describe('POST /protocols/{id}/forms/{formId}/score', () => {
  const questions = [
    select(1, 2),
    question(2, { responseType: 'NUMBER', metadata: { minValue: 0, maxValue: 10, integer: true } }),
    question(3, { required: false }),
  ];
  const create = () => createQuestionnaire(server, institutionId, { questions });
  const answersOf = ({ form }: ProtocolAndForm, number: unknown) => [
    { questionId: nth(form.questions, 0).id, optionIds: [nth(nth(form.questions, 0).options, 1).id] },
    { questionId: nth(form.questions, 1).id, value: number },
  ];

  it('records and stores nothing, and no cache may store it', async () => {
    const made = await create();
    const response = await expectNothingStored(server, () => score(made, answersOf(made, 4)));
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect([response.headers.get('etag'), response.headers.get('consistency-token')]).toEqual([null, null]);
    expect(response.body).toMatchObject({ total: 6, classification: 'Positive', possible: { min: 6, max: 6 } });
    expect(response.body.items.map(({ explanation }) => explanation)).toEqual([
      '“Option 2” scores 2.',
      'The number counts.',
      'Not answered.',
    ]);
  });

  it('scores answers as they arrive', async () => {
    const made = await create();
    const { body } = await score(made, answersOf(made, null));
    const missing = [nth(made.form.questions, 1).id];
    expect(body).toMatchObject({ total: 2, complete: false, missing, range: null, possible: { min: 2, max: 12 } });
  });

  it('refuses all faults at once, in a response that no cache may store and that repeats no answer', async () => {
    const made = await create();
    const [chosen, ...others] = answersOf(made, 'seven of ten');
    const answers = [
      { ...chosen, value: 'seven of ten' },
      ...others,
      { questionId: UNKNOWN_ID, value: 7_654_321 },
      { questionId: nth(made.form.questions, 2).id, value: 7_654_321 },
    ];
    const refused = await expectNothingStored(server, () => score(made, answers));
    expectRefused(
      refused,
      '/answers/0/value excluded',
      '/answers/1/value invalid-type',
      '/answers/2/questionId not-found',
      '/answers/3/value invalid-type',
    );
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(refused.body)).not.toMatch(/seven|7654321/);
  });

  it('refuses faults of the shape together with those that only the form shows', async () => {
    const made = await create();
    const [choice, number, text] = made.form.questions;
    const answers = [
      { questionId: choice?.id, optionIds: ['none', UNKNOWN_ID, choice?.options[0]?.id], value: 'seven' },
      { questionId: number?.id.toUpperCase(), value: 11 },
      { questionId: number?.id, value: { secret: 7_654_321 } },
      { value: 7_654_321 },
      null,
      { questionId: UNKNOWN_ID, value: 'seven\u0000' },
      { questionId: text?.id, value: 7_654_321 },
    ];
    const headers = { 'Consistency-Token': 'of another service' };
    const refused = await server.post(`${pathOf(made)}/score`, { answers }, headers);
    expectRefused(
      refused,
      'consistency-token invalid-format',
      ...['/answers/0/optionIds too-big', '/answers/0/optionIds/0 invalid-format', '/answers/0/optionIds/1 not-found'],
      ...['/answers/0/value excluded', '/answers/1/value too-big', '/answers/2/questionId duplicate'],
      ...['/answers/2/value invalid-type', '/answers/3/questionId required', '/answers/4 invalid-type'],
      ...['/answers/5/questionId not-found', '/answers/5/value control-character', '/answers/6/value invalid-type'],
    );
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(refused.body)).not.toMatch(/seven|secret|7654321/);
  });

  it('refuses the shape of a body also if the path names no form', async () => {
    const made = await create();
    const [, ...rest] = pathOf(made).split('/').toReversed();
    const path = rest.toReversed().join('/');
    expectRefused(
      await server.post(`${path}/none/score`, { answers: [{ questionId: 'none' }] }),
      'formId invalid-format',
      '/answers/0/questionId invalid-format',
    );
    for (const id of [UNKNOWN_ID, made.form.id]) {
      expectRefused(await server.post(`${path}/${id}/score`, { answers: {} }), '/answers invalid-type');
    }
    expectProblem(await server.post(`${path}/${UNKNOWN_ID}/score`, { answers: [] }), 404, 'form-not-found');
  });

  it.each(['{"answers":[{"value":9007199254740993}', '{"answers":[{"value":"secret"', '["secret"]'])(
    'repeats nothing of a body that is not valid: %s',
    async (bytes) => {
      const { status, body } = await server.send('POST', `${pathOf(await create())}/score`, { bytes });
      expect(status).toBe(400);
      expect(JSON.stringify(body)).not.toMatch(/secret|9007199254740993/);
    },
  );

  it('scores forms of every status, also in an archived protocol', async () => {
    const made = await createQuestionnaire(server, institutionId, { questions, scoreRanges: [] });
    const expectScored = async (shown: object, of = made) => {
      const { total, version, status, archived } = (await score(of, answersOf(of, 1))).body as Score &
        Partial<Form & Protocol>;
      expect({ total, version, status, ...(archived !== undefined && { archived }) }).toEqual({ total: 3, ...shown });
    };
    await expectScored({ version: 1, status: 'DRAFT' });
    const { body: form } = successful(await server.post<Form>(`/protocols/${made.protocol.id}/forms/versions`));
    for (const [step, status] of [
      ['publish', 'PUBLISHED'],
      ['retire', 'RETIRED'],
    ] as const) {
      successful(await server.post(`${pathOf(made)}/${step}`));
      await expectScored({ version: 1, status });
    }
    successful(await server.post(`/protocols/${made.protocol.id}/archive`));
    await expectScored({ version: 1, status: 'RETIRED', archived: true });
    await expectScored({ version: 2, status: 'DRAFT', archived: true }, { ...made, form });
    successful(await server.post(`/protocols/${made.protocol.id}/restore`));
    await expectScored({ version: 2, status: 'DRAFT' }, { ...made, form });
    successful(await server.post(`/protocols/${made.protocol.id}/archive`));
    expect(successful(await server.get<{ undecided: boolean }>(`${pathOf(made)}/analysis`)).body.undecided).toBe(false);
  });

  it('reads its own writes', async () => {
    const made = await create();
    const added = { questionText: 'More?', responseType: 'NUMBER', metadata: { minValue: 1, maxValue: 2 } };
    const { body } = successful(await server.post<{ id: string }>(`${pathOf(made)}/questions`, added));
    const answers = [...answersOf(made, 1), { questionId: body.id, value: 1.5 }];
    expect((await score(made, answers)).body.total).toBe(4.5);
  });

  it('has a body of at most 256 KiB', async () => {
    const made = await create();
    const { id: questionId } = nth(made.form.questions, 2);
    const answers = numbered(5, () => ({ questionId, value: 'x'.repeat(60_000) }));
    expect(expectProblem(await score(made, answers), 413, 'too-large')).toMatchObject({ limit: 262_144 });
    successful(await score(made, first(answers) === undefined ? [] : [first(answers)]));
  });
});
