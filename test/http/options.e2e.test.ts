// Endpoints 9 and 10: adding and revising one option of a question.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TYPES_WITH_OPTIONS, TYPES_WITHOUT_OPTIONS } from '../domain/protocol/samples.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './refusals.js';
import {
  createInstitution,
  createQuestionnaire,
  type Form,
  first,
  nth,
  numbered,
  type Option,
  option,
  type ProtocolAndForm,
  type Question,
  question,
  select,
  successful,
  UNKNOWN_ID,
  UUID,
} from './samples.js';

const server = sharedService();
let institutionId: string;
let made: ProtocolAndForm;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});
beforeEach(async () => {
  made = await createQuestionnaire(server, institutionId, { questions: [select(1, 3), question(2)] });
});

const questionId = () => first(made.form.questions).id;
const optionAt = (index: number) => nth(first(made.form.questions).options, index);
const add = (to: string, body: object) =>
  server.post<Option>(`/protocols/${made.protocol.id}/questions/${to}/options`, body);
const revise = (id: string, body: object) => server.put<Option>(`/protocols/${made.protocol.id}/options/${id}`, body);
const addQuestion = async (fields: object) =>
  successful(
    await server.post<Question>(`/protocols/${made.protocol.id}/forms/${made.form.id}/questions`, {
      questionText: 'What?',
      ...fields,
    }),
  ).body.id;
const questionNow = async (id = questionId()) => {
  const { body } = successful(await server.get<Form>(`/protocols/${made.protocol.id}/forms/${made.form.id}`));
  return first(body.questions.filter((item) => item.id === id));
};
const places = async () => (await questionNow()).options.map(({ optionText, position }) => `${position} ${optionText}`);

describe('POST /protocols/{id}/questions/{questionId}/options', () => {
  it('responds with 201 and the option, and the question has it', async () => {
    const sent = { optionText: 'Rather not say', score: -0.5, position: 9 };
    const { status, headers, body } = await add(questionId(), sent);
    expect([status, headers.get('etag')]).toEqual([201, '"2"']);
    expect(headers.get('location')).toBe(`/protocols/${made.protocol.id}/forms/${made.form.id}`);
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      protocolQuestionId: questionId(),
      copiedFrom: null,
      ...sent,
      createdAt: expect.any(String),
      updatedAt: body.createdAt,
    });
    expect((await questionNow()).options.at(-1)).toEqual(body);
  });

  it('adds an option without a position at the end', async () => {
    await add(questionId(), { optionText: 'Last', score: 0 });
    expect(await places()).toEqual(['1 Option 1', '2 Option 2', '3 Option 3', '4 Last']);
  });

  it('moves the option at a taken position, and those up to the next gap, down by one', async () => {
    await add(questionId(), { optionText: 'New', score: 0, position: 2 });
    expect(await places()).toEqual(['1 Option 1', '2 New', '3 Option 2', '4 Option 3']);
  });

  it('turns a question whose type was inferred as TEXT into a SELECT', async () => {
    const id = await addQuestion({});
    expect((await add(id, { optionText: 'Yes', score: 1 })).status).toBe(201);
    expect(await questionNow(id)).toMatchObject({
      responseType: 'SELECT',
      options: [{ optionText: 'Yes', position: 1 }],
    });
  });

  it.each(TYPES_WITH_OPTIONS)('keeps the type of a %s', async (responseType) => {
    const id = await addQuestion({ responseType });
    expect((await add(id, { optionText: 'Yes', score: 1 })).status).toBe(201);
    expect((await questionNow(id)).responseType).toBe(responseType);
  });

  it.each([
    ...TYPES_WITHOUT_OPTIONS.map((responseType) => ({ responseType })),
    { metadata: { minValue: 1 } },
    { metadata: { dateFormat: 'yyyy' } },
  ])('is 409 for a question with %o, which takes no options', async (fields) => {
    const id = await addQuestion(fields);
    const before = await questionNow(id);
    expectProblem(await add(id, { optionText: 'Yes', score: 1 }), 409, 'options-not-taken');
    expect(await questionNow(id)).toEqual(before);
  });

  it('is 409 for the 201st option', async () => {
    made = await createQuestionnaire(server, institutionId, { questions: [select(1, 200)] });
    expectProblem(await add(questionId(), option(201)), 409, 'too-many-options');
    expect((await questionNow()).options).toHaveLength(200);
  });

  it('is 404 for an unknown question, a question of another protocol and an unknown protocol', async () => {
    const other = await createQuestionnaire(server, institutionId);
    for (const id of [UNKNOWN_ID, first(other.form.questions).id, optionAt(0).id]) {
      expectProblem(await add(id, option(1)), 404, 'question-not-found');
    }
    const inUnknown = await server.post(`/protocols/${UNKNOWN_ID}/questions/${questionId()}/options`, option(1));
    expectProblem(inUnknown, 404, 'protocol-not-found');
  });

  it('requires a text and a score', async () => {
    expectRefused(await add(questionId(), {}), '/optionText required', '/score required');
  });
});

describe('PUT /protocols/{id}/options/{optionId}', () => {
  it('responds with 200 and the revised option', async () => {
    const sent = { optionText: 'New', score: 2.25, position: 1 };
    const { status, headers, body } = await revise(optionAt(0).id, sent);
    expect([status, headers.get('etag')]).toEqual([200, '"2"']);
    expect(body).toEqual({ ...optionAt(0), ...sent, updatedAt: body.updatedAt });
    expect(first((await questionNow()).options)).toEqual(body);
  });

  it('keeps the fields that the request omits', async () => {
    const { body } = await revise(optionAt(1).id, { score: 0 });
    expect(body).toEqual({ ...optionAt(1), score: 0, updatedAt: body.updatedAt });
  });

  it('moves the option at its new position, and those up to the next gap, down by one', async () => {
    await revise(optionAt(2).id, { position: 1 });
    expect(await places()).toEqual(['1 Option 3', '2 Option 1', '3 Option 2']);
  });

  it('records nothing if nothing changes', async () => {
    const before = await server.recorded();
    const { optionText, score, position } = optionAt(0);
    const { headers, body } = await revise(optionAt(0).id, { optionText, score, position });
    expect([headers.get('etag'), body]).toEqual(['"1"', optionAt(0)]);
    expect(await server.recorded()).toEqual(before);
  });

  it('is 404 for an unknown option, an option of another protocol and an unknown protocol', async () => {
    const other = await createQuestionnaire(server, institutionId);
    const foreign = first(first(other.form.questions).options).id;
    for (const id of [UNKNOWN_ID, foreign, questionId()]) {
      expectProblem(await revise(id, { score: 1 }), 404, 'option-not-found');
    }
    const inUnknown = await server.put(`/protocols/${UNKNOWN_ID}/options/${optionAt(0).id}`, { score: 1 });
    expectProblem(inUnknown, 404, 'protocol-not-found');
  });

  it('does not change the original when it revises the copy in another version', async () => {
    const version = successful(await server.post<Form>(`/protocols/${made.protocol.id}/forms/versions`)).body;
    await revise(first(first(version.questions).options).id, { score: 99 });
    expect(numbered(3, (n) => optionAt(n - 1))).toEqual((await questionNow()).options);
  });
});
