// One response lists every error of a request, and a refused request stores nothing. test/http/routes has each field.
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused, faultsOf } from './support/refusals.js';
import {
  createInstitution,
  createQuestionnaire,
  numbered,
  question,
  questionnaire,
  select,
  UNKNOWN_ID,
} from './support/samples.js';

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});
const range = (minScore: unknown, maxScore: unknown) => ({ minScore, maxScore, classification: 'Class' });
const sendQuestionnaire = (overrides: object) =>
  expectNothingStored(server, () =>
    server.post('/protocols/questionnaires', { ...questionnaire(institutionId), ...overrides }),
  );

describe('a refused request', () => {
  it('lists every error in path, headers and body in one response', async () => {
    const sent = {
      formId: 'x',
      name: ' ',
      prompt: 5,
      questions: [{ id: 7, questionText: '' }, null],
      scoreRanges: [{}],
    };
    const headers = { 'If-Match': 'nonsense', 'Idempotency-Key': 'k'.repeat(256) };
    expectRefused(
      await expectNothingStored(server, () => server.put('/protocols/not-an-id/questionnaire', sent, headers)),
      ...['id invalid-format', 'if-match invalid-format', 'idempotency-key too-big', '/formId invalid-format'],
      ...['/name blank', '/prompt invalid-type', '/questions/0/id invalid-type', '/questions/0/questionText blank'],
      ...['/questions/1 invalid-type', '/scoreRanges/0/minScore required', '/scoreRanges/0/maxScore required'],
      '/scoreRanges/0/classification required',
    );
  });

  it('lists errors of single fields and of rules across fields together', async () => {
    const response = await sendQuestionnaire({
      name: '',
      questions: [question(1, { metadata: { minValue: 2, maxValue: 1 } }), question(1), select(1, 1)],
      scoreRanges: [range(0, 5), range(5, 9), range(9, 8)],
    });
    expectRefused(
      response,
      ...['/name blank', '/questions/0/metadata inverted', '/questions/1/position duplicate'],
      ...['/questions/2/position duplicate', '/scoreRanges/1 overlap', '/scoreRanges/2 inverted'],
    );
  });

  it('lists the first 100 errors and says that there are more', async () => {
    const response = await sendQuestionnaire({ questions: numbered(150, (n) => question(n, { questionText: '' })) });
    expect(expectProblem(response, 400, 'fields-refused')).toMatchObject({ errorsTruncated: true });
    const faults = numbered(100, (n) => `/questions/${n - 1}/questionText blank`);
    expect(faultsOf(response)).toEqual(faults.toSorted());
  });

  it('lists at most 100 unknown ids', async () => {
    const userIds = numbered(150, (n) => `${UNKNOWN_ID.slice(0, -3)}${n + 100}`);
    const attach = () => server.post(`/institutions/${institutionId}/users`, { userIds });
    const response = await expectNothingStored(server, attach);
    expect(expectProblem(response, 400, 'fields-refused')).toMatchObject({ errorsTruncated: true });
    expect(faultsOf(response)).toHaveLength(100);
  });
});

describe('a body', () => {
  it.each([[[]], ['text'], [5], [true], [null]])('is an object: %j is refused', async (json) => {
    const response = await expectNothingStored(server, () => server.post('/protocols', json));
    expectRefused(response, ' invalid-type');
  });

  it('is required', async () => {
    expectRefused(await expectNothingStored(server, () => server.post('/protocols')), ' required');
  });

  it('may be as long as its limits', async () => {
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
});
