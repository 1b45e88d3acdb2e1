// Endpoints 1 and 2: creating and replacing a questionnaire in one request.
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ResponseType } from '../../src/domain/protocol/response-type.js';
import { first, nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectRefused } from './support/refusals.js';
import type { ProtocolAndForm, SentQuestionnaire } from './support/samples.js';
import {
  content,
  createInstitution,
  createQuestionnaire,
  option,
  question,
  questionnaire,
  UNKNOWN_ID,
} from './support/samples.js';

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

  it('accepts an institution that the same client just created, and refuses an unknown one', async () => {
    const { id } = await createInstitution(server);
    const { protocol } = await createQuestionnaire(server, id);
    expect(protocol.institutionId).toBe(id);
    for (const path of ['/protocols', '/protocols/questionnaires']) {
      for (const other of [UNKNOWN_ID, protocol.id]) {
        expectRefused(await server.post(path, questionnaire(other)), '/institutionId not-found');
      }
    }
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

  it('refuses a repeated id, and options for a question whose type takes none', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const kept = first(form.questions);
    const range = { ...first(form.scoreRanges), minScore: 50, maxScore: 60 };
    const repeated = [kept, { ...kept, position: 2, options: [{ ...option(1), id: first(kept.options).id }] }];
    const sent = { formId: form.id, questions: repeated, scoreRanges: [first(form.scoreRanges), range] };
    expectRefused(
      await replace(protocol.id, sent),
      ...['/questions/1/id duplicate', '/questions/1/options/0/id duplicate', '/scoreRanges/1/id duplicate'],
    );
  });

  it('keeps the response types for a client that knows only the contract', async () => {
    const types = ['BOOLEAN', 'NUMBER', 'DATE', 'MULTIPLE_SELECT'] as const;
    const sent = types.map((responseType, n) => question(n + 1, { responseType, options: [] }));
    const { protocol, form } = await createQuestionnaire(server, institutionId, { questions: sent });
    const texts = sent.map(({ questionText }) => questionText);
    const typesAfter = async (list: readonly string[]) => {
      const questions = list.map((questionText, index) => ({
        ...{ questionText, metadata: {}, required: true, weight: 1, position: index + 1, options: [] },
      }));
      const { body } = await replace(protocol.id, { formId: form.id, questions, scoreRanges: [] });
      return body.form.questions.map(({ responseType }) => responseType);
    };
    expect(await typesAfter(['First', ...texts])).toEqual(['TEXT', ...types]);
    expect(await typesAfter(texts.toReversed())).toEqual(types.toReversed());
    expect(await typesAfter(texts.toReversed().map((text) => `${text}.`))).toEqual(types.toReversed());
  });
});

describe('the bounds of a question', () => {
  const day = { minValue: '2020-02-29', maxValue: '2024-12-31' };
  const instant = { minValue: '2020-02-29T23:00:00-03:00', maxValue: '2020-03-01T02:00:00.001Z' };
  const at = '/questions/0/metadata';
  const sent = (responseType: ResponseType, metadata: Readonly<Record<string, unknown>>) =>
    questionnaire(institutionId, { questions: [question(1, { responseType, metadata, options: [] })] });

  it.each<[ResponseType, Readonly<Record<string, unknown>>]>([
    ['DATE', day],
    ['DATE', { maxValue: '0001-01-01', minValue: null }],
    ['DATETIME', instant],
    ['NUMBER', { minValue: -1.5, maxValue: 0 }],
    ['TEXT', { minValue: 1 }],
    ['SELECT', { minValue: 1 }],
  ])('of a %s are accepted and stored: %o', async (responseType, metadata) => {
    const { status, body } = await server.post<ProtocolAndForm>(
      '/protocols/questionnaires',
      sent(responseType, metadata),
    );
    expect([status, body.form?.questions[0]?.metadata]).toEqual([201, metadata]);
  });
  it.each<[ResponseType, Readonly<Record<string, unknown>>, readonly string[]]>([
    ['DATE', { minValue: 1, maxValue: '2023-02-29' }, [`${at}/minValue invalid-type`, `${at}/maxValue invalid-format`]],
    ['DATE', { minValue: '2020-02-29T00:00:00Z' }, [`${at}/minValue invalid-type`]],
    ['DATE', { minValue: day.maxValue, maxValue: day.minValue }, [`${at} inverted`]],
    [
      'DATETIME',
      { minValue: '2020-02-29', maxValue: 5 },
      [`${at}/minValue invalid-type`, `${at}/maxValue invalid-type`],
    ],
    ['DATETIME', { maxValue: '2020-02-29T00:00:00' }, [`${at}/maxValue invalid-format`]],
    ['DATETIME', { minValue: instant.maxValue, maxValue: instant.minValue }, [`${at} inverted`]],
    [
      'NUMBER',
      { minValue: '1', maxValue: '2020-01-01' },
      [`${at}/minValue invalid-format`, `${at}/maxValue invalid-type`],
    ],
    ['BOOLEAN', { minValue: '2020-01-01' }, [`${at}/minValue invalid-type`]],
  ])('of a %s are refused if another type would take them: %o', async (responseType, metadata, errors) =>
    expectRefused(await server.post('/protocols/questionnaires', sent(responseType, metadata)), ...errors),
  );
  it('follow the type of the question on every route, whether it is sent, kept or inferred', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId, sent('DATE', day));
    const questions = `/protocols/${protocol.id}/forms/${form.id}/questions`;
    const one = `/protocols/${protocol.id}/questions/${first(form.questions).id}`;
    const added = { questionText: 'When?', metadata: { dateFormat: 'dd/MM/yyyy', ...day } };
    expect((await server.post(questions, added)).body).toMatchObject({
      responseType: 'DATE',
      metadata: added.metadata,
    });
    expectRefused(
      await server.post(questions, { questionText: 'When?', metadata: day }),
      ...['/metadata/minValue invalid-type', '/metadata/maxValue invalid-type'],
    );
    expectRefused(
      await server.post(questions, { ...added, responseType: 'DATETIME' }),
      '/metadata/minValue invalid-type',
      '/metadata/maxValue invalid-type',
    );
    expect((await server.put(one, { metadata: { maxValue: '2021-01-01' } })).body).toMatchObject({
      responseType: 'DATE',
    });
    expectRefused(await server.put(one, { responseType: 'NUMBER' }), '/metadata/maxValue invalid-type');
    expect((await server.put(one, { metadata: { maxValue: 5 } })).body).toMatchObject({ responseType: 'NUMBER' });
    expect((await server.put(one, { responseType: 'DATETIME', metadata: instant })).body).toMatchObject({
      metadata: instant,
    });
  });
});

describe('GET /protocols/{id}', () => {
  it('accepts an id in upper case, and names the parameter of a malformed id', async () => {
    const { protocol } = await createQuestionnaire(server, institutionId);
    expect((await server.get(`/protocols/${protocol.id.toUpperCase()}`)).body).toEqual(protocol);
    for (const id of ['1', `${protocol.id}0`, '%00', 'null', '%20']) {
      expectRefused(await server.get(`/protocols/${id}`), 'id invalid-format');
    }
    expectRefused(await server.get('/protocols/1/forms/2'), 'formId invalid-format', 'id invalid-format');
  });
});
