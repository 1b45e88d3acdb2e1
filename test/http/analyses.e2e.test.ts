// Analyses over HTTP: of stored forms, of questionnaires that are not stored, of strict requests and before publishing.
import { beforeAll, describe, expect, it } from 'vitest';
import { Analysis, type Finding, type Score } from '../../src/domain/scoring/schemas.js';
import { first, nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused } from './support/refusals.js';
import type { Form, ProtocolAndForm, SentQuestion, SentQuestionnaire } from './support/samples.js';
import {
  createInstitution,
  createQuestionnaire,
  numbered,
  option,
  question,
  questionnaire,
  select,
  successful,
} from './support/samples.js';

type Analysed = Analysis & { readonly formId: string | null; readonly revision: number | null };

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});

const SOUND = { questions: [select(1, 2)], scoreRanges: [{ minScore: 0, maxScore: 2, classification: 'Any' }] };
const FAULTY = { ...SOUND, scoreRanges: [{ minScore: 0, maxScore: 1, classification: 'Low' }] };

const formPath = ({ protocol, form }: ProtocolAndForm) => `/protocols/${protocol.id}/forms/${form.id}`;
const analysisOf = (made: ProtocolAndForm, query = '') => server.get<Analysed>(`${formPath(made)}/analysis${query}`);
const Findings = Analysis.pick({ findings: true });
const codesOf = ({ findings }: { readonly findings: readonly Finding[] }) => findings.map(({ code }) => code);
const publish = (made: ProtocolAndForm, headers = {}, query = '') =>
  server.post<Form>(`${formPath(made)}/publish${query}`, {}, headers);
const replace = (made: ProtocolAndForm, sent: Partial<SentQuestionnaire>, query = '', headers = {}) =>
  server.put<ProtocolAndForm>(
    `/protocols/${made.protocol.id}/questionnaire${query}`,
    { formId: made.form.id, ...sent },
    headers,
  );

describe('GET /protocols/{id}/forms/{formId}/analysis', () => {
  it('shows the totals, and findings whose answers can be scored as they are', async () => {
    const made = await createQuestionnaire(server, institutionId, FAULTY);
    const { body, headers } = await expectNothingStored(server, () => analysisOf(made));
    expect(headers.get('etag')).toBe(`"${body.revision}"`);
    expect(body).toMatchObject({
      formId: made.form.id,
      undecided: false,
      totals: { min: 1, max: 2, count: 2, values: [1, 2], intervals: [] },
      truncated: false,
    });
    expect(codesOf(body)).toEqual(['total-without-range']);
    const { answers } = first(body.findings);
    const score = successful(await server.post<Score>(`${formPath(made)}/score`, { answers })).body;
    expect(score).toMatchObject({ total: 2, range: null, complete: true });
  });

  it('has the ETag of the form, and is 304 until the protocol changes', async () => {
    const made = await createQuestionnaire(server, institutionId, SOUND);
    const path = `${formPath(made)}/analysis`;
    const etag = `${(await server.get(path)).headers.get('etag')}`;
    expect(etag).toBe((await server.get(formPath(made))).headers.get('etag'));
    expect((await server.get(path, { 'If-None-Match': etag })).status).toBe(304);
    successful(await replace(made, FAULTY));
    expect((await server.get(path, { 'If-None-Match': etag })).status).toBe(200);
  });
});

describe('POST /protocols/questionnaires/analysis', () => {
  const analyse = (body: unknown) => server.post<Analysed>('/protocols/questionnaires/analysis', body);

  it('analyses the body of endpoint 1 without storing it, and names items by their pointers', async () => {
    const sent = questionnaire('018f4c3e-0000-7000-8000-00000000dead', {
      questions: [question(2, { questionText: 'a' }), question(1, { questionText: ' A' }), select(3, 2)],
      scoreRanges: [{ minScore: 0, maxScore: 1, classification: 'Low' }],
    });
    const { body } = await expectNothingStored(server, () => analyse(sent));
    expect(body).toMatchObject({ formId: null, revision: null });
    expect(body.findings.map(({ code, questionIds }) => [code, questionIds])).toEqual([
      ['total-without-range', []],
      ['equal-texts', ['/questions/1', '/questions/0']],
    ]);
    expect(first(body.findings).answers).toEqual([
      { questionId: '/questions/1', value: '-' },
      { questionId: '/questions/0', value: '-' },
      { questionId: '/questions/2', optionIds: ['/questions/2/options/1'] },
    ]);
  });

  it('analyses the body of endpoint 2, names items by their ids, and infers types', async () => {
    const made = await createQuestionnaire(server, institutionId, SOUND);
    const { id, options } = first(made.form.questions);
    const kept = {
      id,
      questionText: 'Pain',
      required: true,
      options: [{ ...option(1), id: first(options).id }, option(5)],
    };
    const { body } = await analyse({ formId: made.form.id, questions: [kept], scoreRanges: [] });
    expect(body.totals.values).toEqual([1, 5]);
    expect(codesOf(body)).toEqual(['ranges-missing']);
    const faulty = await analyse({ questions: [kept], scoreRanges: FAULTY.scoreRanges });
    expect(first(faulty.body.findings).answers).toEqual([{ questionId: id, optionIds: ['/questions/0/options/1'] }]);
  });

  it('refuses what endpoints 1 and 2 would refuse', async () => {
    const misfit = {
      ...question(1),
      responseType: undefined,
      options: [option(1)],
      metadata: { minValue: '2020-01-01' },
    };
    expectRefused(
      await analyse({ questions: [misfit], scoreRanges: [] }),
      '/questions/0/metadata/minValue invalid-type',
    );
    expectRefused(await analyse({}), '/questions required', '/scoreRanges required');
  });
});

describe('an analysis', () => {
  it('of which too many of one caller wait is 429, and other callers are served', async () => {
    const heavy = (n: number) => ({
      questions: numbered(60, (place) => ({
        ...select(place, 10),
        options: numbered(10, (m) => option(m, { score: Math.sin(m * place * (n + 2)) / 3 })),
      })),
      scoreRanges: [],
    });
    const analyse = (n: number, address: string) =>
      server.post('/protocols/questionnaires/analysis', heavy(n), { 'X-Forwarded-For': address });
    const busy = numbered(14, (n) => analyse(n, '198.19.0.1'));
    const other = analyse(99, '198.19.0.2');
    const responses = await Promise.all(busy);
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const response of refused) {
      expectProblem(response, 429, 'analysis-busy');
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    const served = responses.filter(({ status }) => status === 200);
    expect([served.length >= 6, served.length + refused.length]).toEqual([true, 14]);
    for (const { body } of served) expect(body).toMatchObject({ undecided: true });
    expect((await other).status).toBe(200);
  });
});

const gap = { code: 'total-without-range', severity: 'error', min: 2, max: 2 };

describe('?strict=true', () => {
  it('refuses a new questionnaire with an error, and stores a sound one', async () => {
    const path = '/protocols/questionnaires?strict=true';
    const refused = await expectNothingStored(server, () => server.post(path, questionnaire(institutionId, FAULTY)));
    const document = expectProblem(refused, 422, 'questionnaire-faulty');
    expect(document).toMatchObject({ findings: [{ ...gap, answers: [{ questionId: '/questions/0' }] }] });
    const { status, headers, body } = await server.post<ProtocolAndForm>(path, questionnaire(institutionId, SOUND));
    expect([status, headers.get('location')]).toEqual([201, `/protocols/${body.protocol.id}`]);
  });

  it('refuses a replacement with an error, and stores a sound one', async () => {
    const made = await createQuestionnaire(server, institutionId, FAULTY);
    const { id } = first(made.form.questions);
    const sent = { ...FAULTY, questions: [{ ...select(1, 2), id }] };
    const refused = await expectNothingStored(server, () => replace(made, sent, '?strict=true'));
    expect(expectProblem(refused, 422, 'questionnaire-faulty')).toMatchObject({
      findings: [{ ...gap, answers: [{ questionId: id, optionIds: ['/questions/0/options/1'] }] }],
    });
    const { body, headers } = successful(await replace(made, { ...SOUND, questions: sent.questions }, '?strict=true'));
    expect(first(body.form.questions).id).toBe(id);
    expect(headers.get('etag')).toBe((await server.get(formPath(made))).headers.get('etag'));
  });

  it('refuses a stored form with an error, even if the request changes nothing', async () => {
    const made = await createQuestionnaire(server, institutionId, FAULTY);
    const asked = first(FAULTY.questions);
    const kept = first(made.form.questions);
    const options = kept.options.map(({ id, optionText, score, position }) => ({ id, optionText, score, position }));
    const { name, prompt } = made.protocol;
    const same = { name, prompt, questions: [{ ...asked, id: kept.id, options }], scoreRanges: FAULTY.scoreRanges };
    expectProblem(await replace(made, same, '?strict=true'), 422, 'questionnaire-faulty');
    successful(await replace(made, same));
  });

  it('analyses a replacement with the types that the questions keep', async () => {
    const questions = [question(1, { responseType: 'NUMBER', metadata: { minValue: 1, maxValue: 1 } })];
    const made = await createQuestionnaire(server, institutionId, { ...SOUND, questions });
    const { responseType: _, ...kept } = first(questions);
    const scoreRanges = [{ minScore: 2, maxScore: 3, classification: 'Never' }];
    const sent = { formId: made.form.id, questions: [{ ...kept, metadata: {} }], scoreRanges };
    const refused = await server.put(`/protocols/${made.protocol.id}/questionnaire?strict=true`, sent);
    expect(expectProblem(refused, 422, 'questionnaire-faulty')).toMatchObject({
      findings: [
        { min: null, max: 2 },
        { min: 3, max: null },
      ],
    });
  });

  it('honours If-Match and Idempotency-Key, and the query belongs to the path of a key', async () => {
    const made = await createQuestionnaire(server, institutionId, SOUND);
    const headers = { 'If-Match': '"99"' };
    expectProblem(await replace(made, FAULTY, '?strict=true', headers), 412, 'revision-mismatch');
    const key = { 'Idempotency-Key': `strict ${made.form.id}` };
    expectProblem(await replace(made, FAULTY, '?strict=true', key), 422, 'questionnaire-faulty');
    const stored = successful(await replace(made, { ...SOUND, name: 'New' }, '?strict=true', key));
    const again = await replace(made, { ...SOUND, name: 'New' }, '?strict=true', key);
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', stored.body]);
    successful(await replace(made, FAULTY, '', key));
  });

  it('is as absent if it is false, and refused with another value', async () => {
    const made = await createQuestionnaire(server, institutionId, FAULTY);
    successful(await replace(made, FAULTY, '?strict=false'));
    successful(await server.post('/protocols/questionnaires?strict=false', questionnaire(institutionId, FAULTY)));
    expectRefused(await replace(made, FAULTY, '?strict=yes'), 'strict invalid-value');
  });
});

describe('POST /protocols/{id}/forms/{formId}/publish', () => {
  it('refuses a form with an error, until it is corrected', async () => {
    const made = await createQuestionnaire(server, institutionId, FAULTY);
    const refused = await expectNothingStored(server, () => publish(made));
    const { findings } = Findings.parse(expectProblem(refused, 409, 'form-faulty'));
    expect(findings).toEqual([expect.objectContaining(gap)]);
    const { answers } = first(findings);
    const score = successful(await server.post<Score>(`${formPath(made)}/score`, { answers })).body;
    expect([score.total, score.range]).toEqual([2, null]);
    successful(await replace(made, SOUND));
    expect(successful(await publish(made)).body.status).toBe('PUBLISHED');
  });

  it('refuses a form with a required choice without options', async () => {
    const questions = [select(1, 2), { ...select(2, 0), questionText: 'Which?' }];
    const made = await createQuestionnaire(server, institutionId, { ...SOUND, questions });
    const document = expectProblem(await publish(made), 409, 'form-faulty');
    const questionIds = [nth(made.form.questions, 1).id];
    expect(document).toMatchObject({ findings: [{ code: 'required-question-without-options', questionIds }] });
  });

  it('needs no analysis for a stale ETag, and records nothing for a published form', async () => {
    const made = await createQuestionnaire(server, institutionId, FAULTY);
    expectProblem(await publish(made, { 'If-Match': '"99"' }), 412, 'revision-mismatch');
    const sound = await createQuestionnaire(server, institutionId, SOUND);
    const { headers } = successful(await publish(sound, { 'If-Match': '*' }));
    const again = await expectNothingStored(server, () => publish(sound));
    expect(again.headers.get('etag')).toBe(headers.get('etag'));
  });
});

describe('a form with totals that are too many to decide', () => {
  const many: SentQuestion = { ...select(2, 24), required: false, responseType: 'MULTIPLE_SELECT' };
  const powers = many.options?.map((each, index) => ({ ...each, score: 3 ** index }));
  const far = question(3, { responseType: 'NUMBER', metadata: { integer: true, minValue: 0, maxValue: 2 ** 60 } });
  const wide = [{ minScore: 0, maxScore: 2 ** 62, classification: 'Any' }];
  const FORMS: readonly (readonly [string, Partial<SentQuestionnaire>])[] = [
    ['many options', { questions: [select(1, 2), { ...many, options: powers ?? [] }], scoreRanges: wide }],
    ['a number that is not required', { questions: [{ ...far, required: false }, select(1, 1)], scoreRanges: wide }],
    ['a number that is required', { questions: [far], scoreRanges: wide }],
  ];
  const undecided = { code: 'totals-undecided', severity: 'warning', questionIds: [] };
  const create = (content: Partial<SentQuestionnaire>, query: string) =>
    server.post<ProtocolAndForm>(`/protocols/questionnaires${query}`, questionnaire(institutionId, content));
  const expectUndecided = (document: unknown) => expect(document).toMatchObject({ findings: [undecided] });

  it.each(FORMS)('is stored, and published only if the client accepts that: %s', async (_, content) => {
    const made = successful(await create(content, '')).body;
    expect((await analysisOf(made)).body).toMatchObject({
      undecided: true,
      findings: expect.arrayContaining([expect.objectContaining(undecided)]),
    });
    for (const query of ['', '?undecided=false']) {
      const refused = await expectNothingStored(server, () => publish(made, {}, query));
      expectUndecided(expectProblem(refused, 409, 'form-faulty'));
    }
    expect(successful(await publish(made, {}, '?undecided=true')).body.status).toBe('PUBLISHED');
    const { body } = await server.get<{ items: readonly object[] }>(`/protocols/${made.protocol.id}/history`);
    expect(body.items.at(-1)).toMatchObject({ type: 'ProtocolFormPublished', undecided: true });
    expect(body.items.filter((step) => 'undecided' in step)).toHaveLength(1);
  });

  it.each(FORMS)('is refused by a strict request unless the client accepts that: %s', async (_, content) => {
    for (const query of ['?strict=true', '?strict=true&undecided=false']) {
      expectUndecided(expectProblem(await create(content, query), 422, 'questionnaire-faulty'));
    }
    const made = successful(await create(content, '?undecided=true&strict=true')).body;
    const changed = { ...content, scoreRanges: wide.map((range) => ({ ...range, classification: 'All' })) };
    const refused = await expectNothingStored(server, () => replace(made, changed, '?strict=true'));
    expectUndecided(expectProblem(refused, 422, 'questionnaire-faulty'));
    successful(await replace(made, changed, '?strict=true&undecided=true'));
    successful(await replace(made, content, '?undecided=false'));
  });

  it('has its certain errors all the same', async () => {
    const [, content] = first(FORMS);
    const scoreRanges = [{ minScore: 0, maxScore: 1, classification: 'Low' }];
    const faulty = { ...content, scoreRanges };
    const refused = await create(faulty, '?strict=true&undecided=true');
    const { findings } = Findings.parse(expectProblem(refused, 422, 'questionnaire-faulty'));
    expect(codesOf({ findings })).toEqual(['total-without-range']);
    const made = successful(await create(faulty, '')).body;
    expect(codesOf(Findings.parse(expectProblem(await publish(made), 409, 'form-faulty')))).toEqual([
      'total-without-range',
      'totals-undecided',
    ]);
    expectProblem(await publish(made, {}, '?undecided=true'), 409, 'form-faulty');
  });

  it('is not recorded as such if its totals are decided', async () => {
    const made = await createQuestionnaire(server, institutionId, SOUND);
    successful(await publish(made, {}, '?undecided=true'));
    const { body } = await server.get<{ items: readonly object[] }>(`/protocols/${made.protocol.id}/history`);
    expect(body.items.filter((step) => 'undecided' in step)).toEqual([]);
  });

  it('refuses another value of the parameter', async () => {
    const made = await createQuestionnaire(server, institutionId, SOUND);
    for (const value of ['yes', '', '1']) {
      expectRefused(await publish(made, {}, `?undecided=${value}`), 'undecided invalid-value');
      expectRefused(await replace(made, SOUND, `?undecided=${value}`), 'undecided invalid-value');
      expectRefused(await create(SOUND, `?undecided=${value}`), 'undecided invalid-value');
    }
  });
});
