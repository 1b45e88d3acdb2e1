// Endpoints 7 and 8: adding and revising one question of a form.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './refusals.js';
import {
  createInstitution,
  createQuestionnaire,
  type Form,
  first,
  nth,
  numbered,
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
  it('responds with 201 and the question, and the form has it', async () => {
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

  it('adds a question without a position at the end', async () => {
    await add({ questionText: 'Last' });
    expect((await places()).at(-1)).toBe('8 Last');
  });

  it('moves the question at a taken position, and those up to the next gap, down by one', async () => {
    await add({ questionText: 'New', position: 2 });
    expect(await places()).toEqual(['1 Question 1', '2 New', '3 Question 2', '4 Question 3', '7 Question 7']);
  });

  it('moves no other question if the position is free', async () => {
    await add({ questionText: 'New', position: 5 });
    expect((await form()).questions.toSpliced(3, 1)).toEqual(made.form.questions);
  });

  it.each([
    { fields: {}, type: 'TEXT' },
    { fields: { metadata: { minValue: 0 } }, type: 'NUMBER' },
    { fields: { metadata: { maxValue: 0 } }, type: 'NUMBER' },
    { fields: { metadata: { dateFormat: 'dd/MM/yyyy' } }, type: 'DATE' },
    { fields: { metadata: { dateFormat: "yyyy-MM-dd'T'HH:mm" } }, type: 'DATETIME' },
    { fields: { metadata: { dateFormat: '%d.%m.%Y %H:%M' } }, type: 'DATETIME' },
    { fields: { metadata: { minValue: 0 }, responseType: 'TEXT' }, type: 'TEXT' },
    { fields: { responseType: 'MULTIPLE_SELECT' }, type: 'MULTIPLE_SELECT' },
  ])('infers the type of $fields as $type', async ({ fields, type }) => {
    expect((await add({ questionText: 'What?', ...fields })).body.responseType).toBe(type);
  });

  it('stores metadata as sent, with any keys', async () => {
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

  it('is 409 for the 501st question and leaves the form unchanged', async () => {
    made = await createQuestionnaire(server, institutionId, { questions: numbered(500, (n) => question(n)) });
    expectProblem(await add({ questionText: 'One too many' }), 409, 'too-many-questions');
    expect(await form()).toEqual(made.form);
  });

  it('is 404 for an unknown form, a form of another protocol and an unknown protocol', async () => {
    const other = await createQuestionnaire(server, institutionId);
    const to = (id: string, formId: string) =>
      server.post(`/protocols/${id}/forms/${formId}/questions`, { questionText: 'What?' });
    expectProblem(await to(made.protocol.id, UNKNOWN_ID), 404, 'form-not-found');
    expectProblem(await to(made.protocol.id, other.form.id), 404, 'form-not-found');
    expectProblem(await to(UNKNOWN_ID, made.form.id), 404, 'protocol-not-found');
  });

  it('refuses a position above the maximum, and one that would push another question above it', async () => {
    expectRefused(await add({ questionText: 'What?', position: 1_000_000_001 }), '/position too-big');
    successful(await add({ questionText: 'At the end', position: 1_000_000_000 }));
    expectRefused(await add({ questionText: 'Again', position: 1_000_000_000 }), '/position too-big');
  });
});

describe('PUT /protocols/{id}/questions/{questionId}', () => {
  it('responds with 200 and the revised question', async () => {
    const sent = { questionText: 'New', metadata: { maxLength: 3 }, required: false, weight: 0, position: 1 };
    const { status, headers, body } = await revise(questionId(0), sent);
    expect([status, headers.get('etag')]).toEqual([200, '"2"']);
    expect(body).toEqual({ ...first(made.form.questions), ...sent, updatedAt: body.updatedAt });
    expect(first((await form()).questions)).toEqual(body);
  });

  it('keeps what the request omits, also the options and the response type', async () => {
    const before = nth(made.form.questions, 3);
    const { body } = await revise(before.id, { required: false });
    expect(body).toEqual({ ...before, required: false, updatedAt: body.updatedAt });
  });

  it('replaces metadata as a whole', async () => {
    const id = questionId(0);
    await revise(id, { metadata: { a: 1, b: 2 } });
    expect((await revise(id, { metadata: { b: 3 } })).body.metadata).toEqual({ b: 3 });
  });

  it('moves the question at its new position, and those up to the next gap, down by one', async () => {
    await revise(questionId(3), { position: 1 });
    expect(await places()).toEqual(['1 Question 7', '2 Question 1', '3 Question 2', '4 Question 3']);
  });

  it('records nothing if nothing changes', async () => {
    const before = await server.recorded();
    const existing = nth(made.form.questions, 3);
    const { id, questionText, position } = existing;
    const { headers, body } = await revise(id, { questionText, position });
    expect([headers.get('etag'), body]).toEqual(['"1"', existing]);
    expect(await server.recorded()).toEqual(before);
  });

  it('changes the response type, unless the question has options and the new type takes none', async () => {
    expect((await revise(questionId(0), { responseType: 'DATE' })).body.responseType).toBe('DATE');
    expectProblem(await revise(questionId(3), { responseType: 'NUMBER' }), 409, 'options-not-taken');
    expect((await revise(questionId(3), { responseType: 'BOOLEAN' })).body.responseType).toBe('BOOLEAN');
  });

  it('is 404 for an unknown question, a question of another protocol and a replaced question', async () => {
    const other = await createQuestionnaire(server, institutionId);
    for (const id of [UNKNOWN_ID, made.form.id, first(other.form.questions).id]) {
      expectProblem(await revise(id, { required: true }), 404, 'question-not-found');
    }
    const replaced = questionId(0);
    const lists = { questions: [question(1)], scoreRanges: [] };
    successful(await server.put(`/protocols/${made.protocol.id}/questionnaire`, { formId: made.form.id, ...lists }));
    expectProblem(await revise(replaced, { required: true }), 404, 'question-not-found');
    expectProblem(
      await server.put(`/protocols/${UNKNOWN_ID}/questions/${replaced}`, { required: true }),
      404,
      'protocol-not-found',
    );
  });
});
