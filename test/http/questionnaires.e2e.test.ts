// Endpoints 1 and 2: creating and replacing a questionnaire in one request.
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './refusals.js';
import {
  content,
  createInstitution,
  createQuestionnaire,
  first,
  nth,
  option,
  type ProtocolAndForm,
  question,
  questionnaire,
  type SentQuestionnaire,
  select,
  UNKNOWN_ID,
  UUID,
} from './samples.js';

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});

const examples = new URL('../../examples/', import.meta.url);
const exampleNames = readdirSync(examples).filter((name) => name.endsWith('.json'));
const exampleOf = (name: string) =>
  JSON.parse(readFileSync(new URL(name, examples), 'utf8')) as Omit<SentQuestionnaire, 'institutionId'>;

describe('POST /protocols/questionnaires', () => {
  it('responds with 201, the protocol and version 1 of its form, as they were sent', async () => {
    const sent = questionnaire(institutionId);
    const { status, headers, body } = await server.post<ProtocolAndForm>('/protocols/questionnaires', sent);
    expect(status).toBe(201);
    expect(Object.keys(body).toSorted()).toEqual(['form', 'protocol']);
    expect(content(body)).toEqual({
      protocol: { institutionId, name: sent.name, prompt: sent.prompt },
      form: { version: 1, questions: sent.questions, scoreRanges: sent.scoreRanges },
    });
    expect(headers.get('location')).toBe(`/protocols/${body.protocol.id}`);
  });

  it('gives every item a UUID v7, the id of its parent and its time of creation', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const at = protocol.createdAt;
    expect(new Date(at).toISOString()).toBe(at);
    const options = form.questions.flatMap((item) => item.options);
    const all = [protocol, form, ...form.questions, ...options, ...form.scoreRanges];
    for (const { id, createdAt, updatedAt } of all) {
      expect(id).toMatch(UUID);
      expect([createdAt, updatedAt]).toEqual([at, at]);
    }
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(form.protocolId).toBe(protocol.id);
    for (const item of form.questions) expect(item.protocolFormId).toBe(form.id);
    for (const item of options) expect(item.protocolQuestionId).toBe(first(form.questions).id);
  });

  it('returns each published example questionnaire as it was sent', async () => {
    expect(exampleNames).not.toEqual([]);
    for (const name of exampleNames) {
      const example = exampleOf(name);
      const { protocol, form } = await createQuestionnaire(server, institutionId, example);
      const read = await server.get(`/protocols/${protocol.id}/forms/${form.id}`);
      expect(read.body).toEqual(form);
      expect(content(form)).toMatchObject({ questions: example.questions, scoreRanges: example.scoreRanges });
    }
  });

  it('fills in the optional fields', async () => {
    const sent = {
      institutionId,
      name: 'Bare',
      questions: [
        {
          questionText: 'A?',
          responseType: 'SELECT',
          options: [
            { optionText: 'yes', score: 1 },
            { optionText: 'no', score: 0 },
          ],
        },
        { questionText: 'B?', responseType: 'DATE' },
      ],
      scoreRanges: [],
    };
    const { status, body } = await server.post<ProtocolAndForm>('/protocols/questionnaires', sent);
    expect(status).toBe(201);
    expect(body.protocol.prompt).toBeNull();
    expect(content(body.form)).toEqual({
      version: 1,
      questions: [
        {
          ...question(1),
          questionText: 'A?',
          responseType: 'SELECT',
          required: false,
          options: [option(1, { optionText: 'yes', score: 1 }), option(2, { optionText: 'no', score: 0 })],
        },
        { ...question(2), questionText: 'B?', responseType: 'DATE', required: false },
      ],
      scoreRanges: [],
    });
  });

  it('sorts questions and options by position and score ranges by minScore', async () => {
    const { form } = await createQuestionnaire(server, institutionId, {
      questions: [question(7), question(0), { ...select(3, 0), options: [option(9), option(2)] }],
      scoreRanges: [
        { minScore: 5, maxScore: 9, classification: 'High' },
        { minScore: -1.5, maxScore: 4.5, classification: 'Low' },
      ],
    });
    expect(form.questions.map(({ position }) => position)).toEqual([0, 3, 7]);
    expect(nth(form.questions, 1).options.map(({ position }) => position)).toEqual([2, 9]);
    expect(form.scoreRanges.map(({ minScore }) => minScore)).toEqual([-1.5, 5]);
  });

  it('ignores unknown fields', async () => {
    const sent = { ...questionnaire(institutionId), id: UNKNOWN_ID, createdAt: '2001-01-01T00:00:00Z', colour: 'red' };
    const { status, body } = await server.post<ProtocolAndForm>('/protocols/questionnaires', sent);
    expect(status).toBe(201);
    expect(body.protocol.id).not.toBe(UNKNOWN_ID);
    expect(body.protocol).not.toHaveProperty('colour');
  });

  it('records the protocol and its form in one append', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const events = await server.recorded(`protocol-${protocol.id}`);
    expect(events.map(({ type, revision }) => ({ type, revision }))).toEqual([
      { type: 'ProtocolCreated', revision: 0 },
      { type: 'ProtocolFormVersionCreated', revision: 1 },
    ]);
    expect(nth(events, 1).data).toMatchObject({ formId: form.id, version: 1 });
  });
});

describe('PUT /protocols/{id}/questionnaire', () => {
  const replace = (id: string, body: unknown) => server.put<ProtocolAndForm>(`/protocols/${id}/questionnaire`, body);

  it('replaces name, prompt, questions and score ranges and responds with 200, the protocol and the form', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const lists = {
      questions: [question(1, { questionText: 'New?', responseType: 'BOOLEAN', options: [option(1)] })],
      scoreRanges: [{ minScore: 0, maxScore: 1, classification: 'All' }],
    };
    const { status, body } = await replace(protocol.id, { formId: form.id, name: 'New', prompt: null, ...lists });
    expect(status).toBe(200);
    expect(body.protocol).toMatchObject({ id: protocol.id, name: 'New', prompt: null });
    expect(body.form).toMatchObject({ id: form.id, version: 1 });
    expect(content(body.form)).toEqual({ version: 1, ...lists });
    expect((await server.get(`/protocols/${protocol.id}`)).body).toEqual(body.protocol);
    expect((await server.get(`/protocols/${protocol.id}/forms/${form.id}`)).body).toEqual(body.form);
  });

  it('keeps the name and the prompt if the request omits them', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const { body } = await replace(protocol.id, { formId: form.id, questions: [question(1)], scoreRanges: [] });
    expect(body.protocol).toEqual(protocol);
  });

  it('keeps the ids that the request names and gives every other item a new id', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const [kept, replaced] = [first(form.questions), nth(form.questions, 1)];
    const keptOption = nth(kept.options, 1);
    const questions = [
      { ...question(2), responseType: undefined },
      { ...select(1, 0), id: kept.id, options: [option(1), { ...option(2), id: keptOption.id }] },
    ];
    const { body } = await replace(protocol.id, { formId: form.id, questions, scoreRanges: [] });
    expect(first(body.form.questions)).toMatchObject({ id: kept.id, createdAt: kept.createdAt });
    expect(first(body.form.questions).options.map(({ id }) => id)).toEqual([
      expect.stringMatching(UUID),
      keptOption.id,
    ]);
    expect(nth(first(body.form.questions).options, 1)).toEqual(keptOption);
    expect(nth(body.form.questions, 1).id).not.toBe(replaced.id);
  });

  it('infers an omitted response type from the existing question, or else from the options and the metadata', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId, {
      questions: [question(1, { responseType: 'DATETIME' }), question(2, { responseType: 'NUMBER' })],
    });
    const untyped = (n: number, fields: object = {}) => ({ ...question(n), responseType: undefined, ...fields });
    const questions = [
      untyped(1),
      { ...untyped(3), id: nth(form.questions, 1).id, questionText: 'Another text' },
      untyped(4, { options: [option(1)] }),
      untyped(5, { metadata: { dateFormat: 'yyyy-MM-dd' } }),
      untyped(6, { metadata: { dateFormat: 'yyyy-MM-dd HH:mm' } }),
      untyped(7, { metadata: { maxValue: 10 } }),
      untyped(8),
    ];
    const { body } = await replace(protocol.id, { formId: form.id, questions, scoreRanges: [] });
    expect(body.form.questions.map(({ responseType }) => responseType)).toEqual([
      'DATETIME',
      'NUMBER',
      'SELECT',
      'DATE',
      'DATETIME',
      'NUMBER',
      'TEXT',
    ]);
  });

  it('records nothing if nothing changes', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const before = await server.recorded();
    const { status, headers, body } = await replace(protocol.id, {
      formId: form.id,
      name: protocol.name,
      prompt: protocol.prompt,
      questions: form.questions,
      scoreRanges: form.scoreRanges,
    });
    expect([status, headers.get('etag')]).toEqual([200, '"1"']);
    expect(body).toEqual({ protocol, form });
    expect(await server.recorded()).toEqual(before);
  });

  it('changes only the form that formId names, even if it is not the latest', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const second = await server.post(`/protocols/${protocol.id}/forms/versions`);
    const { body } = await replace(protocol.id, { formId: form.id, questions: [question(1)], scoreRanges: [] });
    expect(body.form).toMatchObject({ id: form.id, version: 1, questions: [{ questionText: 'Question 1' }] });
    expect((await server.get(`${second.headers.get('location')}`)).body).toEqual(second.body);
  });

  it('is 400 for a formId that names no form of this protocol', async () => {
    const { protocol } = await createQuestionnaire(server, institutionId);
    const other = await createQuestionnaire(server, institutionId);
    for (const formId of [UNKNOWN_ID, other.form.id]) {
      expectRefused(
        await replace(protocol.id, { formId, questions: [question(1)], scoreRanges: [] }),
        '/formId not-found',
      );
    }
  });

  it('is 404 for an unknown protocol', async () => {
    const { form } = await createQuestionnaire(server, institutionId);
    const response = await replace(UNKNOWN_ID, { formId: form.id, questions: [question(1)], scoreRanges: [] });
    expectProblem(response, 404, 'protocol-not-found');
  });

  it('refuses options for a type without options, whether the request names the type or keeps it', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const withOptions = { options: [option(1)] };
    const named = [question(1, { responseType: 'DATE', ...withOptions })];
    expectRefused(
      await replace(protocol.id, { formId: form.id, questions: named, scoreRanges: [] }),
      '/questions/0/options options-not-taken',
    );
    const kept = [{ ...question(2), responseType: undefined, ...withOptions }];
    expectRefused(
      await replace(protocol.id, { formId: form.id, questions: kept, scoreRanges: [] }),
      '/questions/0/options options-not-taken',
    );
  });
});
