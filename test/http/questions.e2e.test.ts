// Endpoints 7 and 8: questions of a form, added and revised one at a time.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './refusals.js';
import {
  createInstitution,
  createQuestionnaire,
  type Form,
  first,
  NOWHERE,
  nth,
  numbered,
  type ProtocolAndForm,
  type Question,
  question,
  select,
  successful,
  UUID,
} from './samples.js';

const server = sharedService();
let institutionId: string;
let made: ProtocolAndForm;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});
beforeEach(async () => {
  made = await createQuestionnaire(server, institutionId, {
    questions: [question(1), question(2), question(3, { responseType: 'NUMBER' }), select(7, 2)],
  });
});

const formPath = () => `/protocols/${made.protocol.id}/forms/${made.form.id}`;
const add = (body: object) => server.post<Question>(`${formPath()}/questions`, body);
const revise = (id: string, body: object) =>
  server.put<Question>(`/protocols/${made.protocol.id}/questions/${id}`, body);
const questionId = (index: number) => nth(made.form.questions, index).id;
const form = async () => successful(await server.get<Form>(formPath())).body;
const places = async () => (await form()).questions.map(({ questionText, position }) => `${position} ${questionText}`);

describe('POST /protocols/{id}/forms/{formId}/questions', () => {
  it('answers 201 with the question, and the form has it', async () => {
    const sent = { questionText: 'How long?', metadata: { unit: 'h' }, required: true, weight: 2.5, position: 9 };
    const { status, headers, body } = await add(sent);
    expect([status, headers.get('etag'), headers.get('location')]).toEqual([201, '"2"', formPath()]);
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      protocolFormId: made.form.id,
      copiedFrom: null,
      ...sent,
      responseType: 'TEXT',
      options: [],
      createdAt: expect.any(String),
      updatedAt: body.createdAt,
    });
    expect((await form()).questions.at(-1)).toEqual(body);
  });

  it('goes last where no position is sent', async () => {
    await add({ questionText: 'Last' });
    expect((await places()).at(-1)).toBe('8 Last');
  });

  it('pushes those at a taken position, and those that they meet, down by one; a gap ends it', async () => {
    await add({ questionText: 'New', position: 2 });
    expect(await places()).toEqual(['1 Question 1', '2 New', '3 Question 2', '4 Question 3', '7 Question 7']);
  });

  it('moves nothing where the position is free', async () => {
    await add({ questionText: 'New', position: 5 });
    expect((await form()).questions.toSpliced(3, 1)).toEqual(made.form.questions);
  });

  it.each([
    { said: {}, is: 'TEXT' },
    { said: { metadata: { minValue: 0 } }, is: 'NUMBER' },
    { said: { metadata: { maxValue: 0 } }, is: 'NUMBER' },
    { said: { metadata: { dateFormat: 'dd/MM/yyyy' } }, is: 'DATE' },
    { said: { metadata: { dateFormat: "yyyy-MM-dd'T'HH:mm" } }, is: 'DATETIME' },
    { said: { metadata: { dateFormat: '%d.%m.%Y %H:%M' } }, is: 'DATETIME' },
    { said: { metadata: { minValue: 0 }, responseType: 'TEXT' }, is: 'TEXT' },
    { said: { responseType: 'MULTIPLE_SELECT' }, is: 'MULTIPLE_SELECT' },
  ])('$said is a $is', async ({ said, is }) => {
    expect((await add({ questionText: 'What?', ...said })).body.responseType).toBe(is);
  });

  it('keeps metadata as sent, whatever its keys', async () => {
    const metadata = {
      'a.b': 1,
      $set: { 'c.$d': null },
      '': '',
      constructor: { prototype: [] },
      toString: 'x',
      'ключ/~': [[{}], true, -0.5, 1e-300],
    };
    const { body } = await add({ questionText: 'What?', metadata });
    expect(body.metadata).toEqual(metadata);
    expect((await form()).questions.at(-1)?.metadata).toEqual(metadata);
  });

  it('answers 409 for the 501st question and leaves the form as it is', async () => {
    made = await createQuestionnaire(server, institutionId, { questions: numbered(500, (n) => question(n)) });
    expectProblem(await add({ questionText: 'One too many' }), 409, 'too-many-questions');
    expect(await form()).toEqual(made.form);
  });

  it('answers 404 for a form that there is not, or of another protocol, or of none', async () => {
    const other = await createQuestionnaire(server, institutionId);
    const to = (id: string, formId: string) =>
      server.post(`/protocols/${id}/forms/${formId}/questions`, { questionText: 'What?' });
    expectProblem(await to(made.protocol.id, NOWHERE), 404, 'form-not-found');
    expectProblem(await to(made.protocol.id, other.form.id), 404, 'form-not-found');
    expectProblem(await to(NOWHERE, made.form.id), 404, 'protocol-not-found');
  });

  it('refuses a position beyond the highest, and one that would push another beyond it', async () => {
    expectRefused(await add({ questionText: 'What?', position: 1_000_000_001 }), '/position too-big');
    successful(await add({ questionText: 'At the end', position: 1_000_000_000 }));
    expectRefused(await add({ questionText: 'Again', position: 1_000_000_000 }), '/position too-big');
  });
});

describe('PUT /protocols/{id}/questions/{questionId}', () => {
  it('answers 200 with the question as it is now', async () => {
    const sent = { questionText: 'New', metadata: { maxLength: 3 }, required: false, weight: 0, position: 1 };
    const { status, headers, body } = await revise(questionId(0), sent);
    expect([status, headers.get('etag')]).toEqual([200, '"2"']);
    expect(body).toEqual({ ...first(made.form.questions), ...sent, updatedAt: body.updatedAt });
    expect(first((await form()).questions)).toEqual(body);
  });

  it('leaves what is absent as it is, options and response type too', async () => {
    const was = nth(made.form.questions, 3);
    const { body } = await revise(was.id, { required: false });
    expect(body).toEqual({ ...was, required: false, updatedAt: body.updatedAt });
  });

  it('replaces metadata as a whole', async () => {
    const id = questionId(0);
    await revise(id, { metadata: { a: 1, b: 2 } });
    expect((await revise(id, { metadata: { b: 3 } })).body.metadata).toEqual({ b: 3 });
  });

  it('pushes those that it meets at its new position down by one', async () => {
    await revise(questionId(3), { position: 1 });
    expect(await places()).toEqual(['1 Question 7', '2 Question 1', '3 Question 2', '4 Question 3']);
  });

  it('records nothing where nothing changes', async () => {
    const before = await server.recorded();
    const was = nth(made.form.questions, 3);
    const { headers, body } = await revise(was.id, { questionText: was.questionText, position: was.position });
    expect([headers.get('etag'), body]).toEqual(['"1"', was]);
    expect(await server.recorded()).toEqual(before);
  });

  it('changes the response type where one is sent, unless the question has options that it does not take', async () => {
    expect((await revise(questionId(0), { responseType: 'DATE' })).body.responseType).toBe('DATE');
    expectProblem(await revise(questionId(3), { responseType: 'NUMBER' }), 409, 'options-not-taken');
    expect((await revise(questionId(3), { responseType: 'BOOLEAN' })).body.responseType).toBe('BOOLEAN');
  });

  it('answers 404 for a question that there is not, of another protocol, or replaced', async () => {
    const other = await createQuestionnaire(server, institutionId);
    for (const id of [NOWHERE, made.form.id, first(other.form.questions).id]) {
      expectProblem(await revise(id, { required: true }), 404, 'question-not-found');
    }
    const gone = questionId(0);
    const lists = { questions: [question(1)], scoreRanges: [] };
    successful(await server.put(`/protocols/${made.protocol.id}/questionnaire`, { formId: made.form.id, ...lists }));
    expectProblem(await revise(gone, { required: true }), 404, 'question-not-found');
    expectProblem(
      await server.put(`/protocols/${NOWHERE}/questions/${gone}`, { required: true }),
      404,
      'protocol-not-found',
    );
  });
});
