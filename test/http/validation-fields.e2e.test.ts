// The rules for fields: one response lists every invalid field, and a refused request stores nothing.
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused, faultsOf } from './refusals.js';
import {
  createInstitution,
  createQuestionnaire,
  first,
  numbered,
  option,
  type ProtocolAndForm,
  question,
  questionnaire,
  select,
  UNKNOWN_ID,
} from './samples.js';

const server = sharedService();
let institutionId: string;
let made: ProtocolAndForm;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
  made = await createQuestionnaire(server, institutionId);
});

const sendQuestionnaire = (overrides: object) =>
  expectNothingStored(server, () =>
    server.post('/protocols/questionnaires', { ...questionnaire(institutionId), ...overrides }),
  );
const range = (minScore: unknown, maxScore: unknown) => ({ minScore, maxScore, classification: 'Class' });

describe('a refused request', () => {
  it('lists every error in path, headers and body in one response', async () => {
    const response = await expectNothingStored(server, () =>
      server.put(
        '/protocols/not-an-id/questionnaire',
        {
          formId: 'x',
          name: ' ',
          prompt: 5,
          questions: [
            {
              id: 7,
              questionText: '',
              responseType: 'MAYBE',
              metadata: [],
              required: 'yes',
              weight: '1',
              position: -1,
              options: [{ optionText: 1, score: null, position: 1.5 }, 'nothing'],
            },
            null,
          ],
          scoreRanges: [range(5, 1), {}],
        },
        { 'If-Match': 'nonsense', 'Idempotency-Key': 'k'.repeat(256) },
      ),
    );
    expectRefused(
      response,
      'id invalid-format',
      'if-match invalid-format',
      'idempotency-key too-big',
      '/formId invalid-format',
      '/name blank',
      '/prompt invalid-type',
      '/questions/0/id invalid-type',
      '/questions/0/questionText blank',
      '/questions/0/responseType invalid-value',
      '/questions/0/metadata invalid-type',
      '/questions/0/required invalid-type',
      '/questions/0/weight invalid-type',
      '/questions/0/position too-small',
      '/questions/0/options/0/optionText invalid-type',
      '/questions/0/options/0/score invalid-type',
      '/questions/0/options/0/position invalid-type',
      '/questions/0/options/1 invalid-type',
      '/questions/1 invalid-type',
      '/scoreRanges/0 inverted',
      '/scoreRanges/1/minScore required',
      '/scoreRanges/1/maxScore required',
      '/scoreRanges/1/classification required',
    );
  });

  it('lists the first 100 errors and says that there are more', async () => {
    const response = await sendQuestionnaire({ questions: numbered(150, (n) => question(n, { questionText: '' })) });
    const document = expectProblem(response, 400, 'fields-refused');
    expect(document).toMatchObject({ errorsTruncated: true });
    const faults = numbered(100, (n) => `/questions/${n - 1}/questionText blank`);
    expect(faultsOf(response)).toEqual(faults.toSorted());
  });

  it('lists at most 100 unknown ids', async () => {
    const ids = numbered(150, (n) => `${UNKNOWN_ID.slice(0, -3)}${n + 100}`);
    const response = await expectNothingStored(server, () =>
      server.post(`/institutions/${institutionId}/users`, { userIds: ids }),
    );
    expect(expectProblem(response, 400, 'fields-refused')).toMatchObject({ errorsTruncated: true });
    expect(faultsOf(response)).toHaveLength(100);
  });

  it('lists errors of single fields and of rules across fields together', async () => {
    const response = await sendQuestionnaire({
      name: '',
      questions: [question(1, { metadata: { minValue: 2, maxValue: 1 } }), question(1), select(1, 1)],
      scoreRanges: [range(0, 5), range(5, 9), range(9, 8)],
    });
    expectRefused(
      response,
      '/name blank',
      '/questions/0/metadata inverted',
      '/questions/1/position duplicate',
      '/questions/2/position duplicate',
      '/scoreRanges/1 overlap',
      '/scoreRanges/2 inverted',
    );
  });
});

describe('the required fields', () => {
  const at = (path: string) => path.replace('{id}', made.protocol.id).replace('{formId}', made.form.id);
  it.each([
    ['POST', '/protocols/questionnaires', ['/institutionId', '/name', '/questions', '/scoreRanges']],
    ['PUT', '/protocols/{id}/questionnaire', ['/formId', '/questions', '/scoreRanges']],
    ['POST', '/protocols', ['/institutionId', '/name']],
    ['POST', '/protocols/{id}/forms/{formId}/questions', ['/questionText']],
    ['POST', '/institutions', ['/name']],
  ])('of %s %s are %j', async (method, path, fields) => {
    const faults = fields.map((field) => `${field} required`);
    expectRefused(await expectNothingStored(server, () => server.send(method, at(path), { json: {} })), ...faults);
  });

  it.each([[[]], ['text'], [5], [true], [null]])('are in an object: %j is refused', async (json) => {
    const response = await expectNothingStored(server, () => server.post('/protocols', json));
    expectRefused(response, ' invalid-type');
  });

  it('are in a body: a request without one is refused', async () => {
    expectRefused(await expectNothingStored(server, () => server.post('/protocols')), ' required');
  });
});

describe('a field', () => {
  it.each([
    ['a name that is null', { name: null }, '/name invalid-type'],
    ['a name that is a number', { name: 5 }, '/name invalid-type'],
    ['an empty name', { name: '' }, '/name blank'],
    ['a name of white space', { name: ' \t\n' }, '/name blank'],
    ['a name of invisible characters', { name: '\u200b\u200d\ufeff\u00ad\u3164\u2800' }, '/name control-character'],
    ['a name that changes its direction', { name: 'Pain\u202e' }, '/name control-character'],
    ['a name of 501 characters', { name: 'x'.repeat(501) }, '/name too-big'],
    ['a prompt of 100001 characters', { prompt: 'x'.repeat(100_001) }, '/prompt too-big'],
    ['a prompt that is an object', { prompt: {} }, '/prompt invalid-type'],
    ['a malformed institutionId', { institutionId: '123' }, '/institutionId invalid-format'],
    ['an institutionId that is null', { institutionId: null }, '/institutionId invalid-type'],
    ['an unknown institutionId', { institutionId: UNKNOWN_ID }, '/institutionId not-found'],
    ['questions that are not a list', { questions: {} }, '/questions invalid-type'],
    ['no question', { questions: [] }, '/questions too-small'],
    ['501 questions', { questions: numbered(501, (n) => question(n)) }, '/questions too-big'],
    ['score ranges that are null', { scoreRanges: null }, '/scoreRanges invalid-type'],
    ['501 score ranges', { scoreRanges: numbered(501, (n) => range(n, n)) }, '/scoreRanges too-big'],
  ])('of a questionnaire is refused: %s', async (_, fields, fault) => {
    expectRefused(await sendQuestionnaire(fields), fault);
  });

  it.each([
    ['a blank text', { questionText: '\n' }, 'questionText blank'],
    ['a text of 10001 characters', { questionText: 'x'.repeat(10_001) }, 'questionText too-big'],
    ['a response type in lower case', { responseType: 'select' }, 'responseType invalid-value'],
    ['a response type that is null', { responseType: null }, 'responseType invalid-value'],
    ['no response type', { responseType: undefined }, 'responseType required'],
    ['metadata that is null', { metadata: null }, 'metadata invalid-type'],
    ['a minValue that is text', { metadata: { minValue: '1' } }, 'metadata/minValue invalid-type'],
    ['a maxLength that is not an integer', { metadata: { maxLength: 1.5 } }, 'metadata/maxLength invalid-type'],
    ['a minValue above maxValue', { metadata: { minValue: 2, maxValue: 1 } }, 'metadata inverted'],
    ['a minLength above maxLength', { metadata: { minLength: 3, maxLength: 2 } }, 'metadata inverted'],
    ['a dateFormat that is a number', { metadata: { dateFormat: 5 } }, 'metadata/dateFormat invalid-type'],
    ['metadata with 201 keys', { metadata: Object.fromEntries(numbered(201, (n) => [`${n}`, n])) }, 'metadata too-big'],
    ['a required that is a number', { required: 1 }, 'required invalid-type'],
    ['a weight that is null', { weight: null }, 'weight invalid-type'],
    ['a position that is text', { position: '1' }, 'position invalid-type'],
    ['a position that is not an integer', { position: 1.5 }, 'position invalid-type'],
    ['a position below 0', { position: -1 }, 'position too-small'],
    ['a position above the maximum', { position: 1e9 + 1 }, 'position too-big'],
    ['options that are null', { options: null }, 'options invalid-type'],
    ['options on a TEXT', { options: [option(1)] }, 'options options-not-taken'],
  ])('of a question is refused: %s', async (_, fields, fault) => {
    expectRefused(await sendQuestionnaire({ questions: [{ ...question(1), ...fields }] }), `/questions/0/${fault}`);
  });

  it.each([
    ['201 options', numbered(201, (n) => option(n)), 'options too-big'],
    ['the same position twice', [option(1), option(1)], 'options/1/position duplicate'],
    [
      'a position that another option has by default',
      [option(2), { optionText: 'A', score: 1 }],
      'options/1/position duplicate',
    ],
    ['an empty text', [option(1, { optionText: '' })], 'options/0/optionText blank'],
    ['no score', [{ optionText: 'A' }], 'options/0/score required'],
    ['a score that is text', [{ optionText: 'A', score: '1' }], 'options/0/score invalid-type'],
  ])('of the options is refused: %s', async (_, options, fault) => {
    const questions = [{ ...question(1), responseType: 'SELECT', options }];
    expectRefused(await sendQuestionnaire({ questions }), `/questions/0/${fault}`);
  });

  it.each([
    ['a range that begins where another ends', [range(0, 2), range(2, 4)], '/scoreRanges/1 overlap'],
    ['a range around another', [range(3, 4), range(0, 9)], '/scoreRanges/0 overlap'],
    ['the same range twice', [range(1, 1), range(1, 1)], '/scoreRanges/1 overlap'],
    ['a range that ends before it begins', [range(2, 1.5)], '/scoreRanges/0 inverted'],
    ['a score that is text', [range('0', 1)], '/scoreRanges/0/minScore invalid-type'],
    ['a blank classification', [{ ...range(0, 1), classification: ' ' }], '/scoreRanges/0/classification blank'],
  ])('of the score ranges is refused: %s', async (_, scoreRanges, fault) => {
    expectRefused(await sendQuestionnaire({ scoreRanges }), fault);
  });

  it('may hold adjacent score ranges, ranges of a single score, or no ranges', async () => {
    for (const scoreRanges of [[range(0, 2), range(2.0001, 4)], [range(-1, -1), range(0, 0)], []]) {
      const body = { ...questionnaire(institutionId), scoreRanges };
      expect((await server.post('/protocols/questionnaires', body)).status).toBe(201);
    }
  });

  it('may be as long as its limit', async () => {
    const longest = {
      name: 'x'.repeat(500),
      prompt: 'x'.repeat(100_000),
      questions: [
        question(1, { questionText: 'x'.repeat(10_000) }),
        select(2, 200),
        ...numbered(498, (n) => question(n + 2)),
      ],
    };
    expect((await createQuestionnaire(server, institutionId, longest)).form.questions).toHaveLength(500);
  });

  it('that is the id of an item may occur only once in a request', async () => {
    const { protocol, form } = made;
    const kept = first(form.questions);
    const keptOption = first(kept.options);
    const keptRange = first(form.scoreRanges);
    const response = await expectNothingStored(server, () =>
      server.put(`/protocols/${protocol.id}/questionnaire`, {
        formId: form.id,
        questions: [kept, { ...kept, position: 2, options: [{ ...option(1), id: keptOption.id }] }],
        scoreRanges: [keptRange, { ...range(50, 60), id: keptRange.id }],
      }),
    );
    expectRefused(
      response,
      '/questions/1/id duplicate',
      '/questions/1/options/0/id duplicate',
      '/scoreRanges/1/id duplicate',
    );
  });
});
