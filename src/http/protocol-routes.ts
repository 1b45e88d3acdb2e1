// Protocols, their forms, questions and options: endpoints 1 to 10 of the contract, and the reads beside them.
import { z } from 'zod';
import { institutionMustExist } from '../commands/references.js';
import { getById } from '../domain/by-id.js';
import { DomainError } from '../domain/errors.js';
import { folded } from '../domain/fields.js';
import { protocol, protocolCommands } from '../domain/protocol.js';
import { formOf, optionOf, type Protocol as ProtocolState, questionOf } from '../domain/protocol-state.js';
import { formDocumentId, protocols } from '../projections/protocols.js';
import { addOption, addQuestion, questionnaire, replacement } from './protocol-examples.js';
import type { Resource } from './reading.js';
import { type Answer, get, post, put, type Route } from './route.js';
import {
  idFilter,
  nameFilter,
  Protocol,
  ProtocolAndForm,
  ProtocolForm,
  ProtocolFormVersion,
  ProtocolQuestion,
  ProtocolQuestionOption,
  pageOf,
  paging,
  Questionnaire,
  versionFilter,
} from './schemas.js';
import { type Service, written } from './service.js';

const fieldsOf = (state: ProtocolState) => {
  if (state.status === 'unknown') throw new DomainError('protocol-not-found', {});
  return state.fields;
};

const latestFormOf = (state: ProtocolState) =>
  state.status === 'active' && state.latestFormId !== null ? (getById(state.forms, state.latestFormId) ?? null) : null;

const commands = protocolCommands;

/** The routes of protocols. */
export const protocolRoutes = (service: Service): readonly Route[] => [...writes(service), ...reads(service)];

const writes = ({ handle, streams }: Service): readonly Route[] => [
  post('/protocols/questionnaires', {
    summary: 'Creates a protocol with its first form',
    description:
      'One request, one event: the protocol, its form with version 1, the questions, options and score ranges.',
    body: commands.CreateQuestionnaire,
    example: questionnaire,
    answers: { 201: ProtocolAndForm },
    handle: async ({ body, by }) => {
      await institutionMustExist(streams, body.institutionId);
      const outcome = await handle(protocol, 'new', { type: 'CreateQuestionnaire', data: body }, by);
      const answer = written(outcome, { protocol: fieldsOf(outcome.state), form: latestFormOf(outcome.state) });
      return { ...answer, location: `/protocols/${outcome.id}` };
    },
  }),
  put('/protocols/{id}/questionnaire', {
    summary: 'Revises a protocol and replaces the questions and score ranges of one of its forms',
    description: 'The caller sends the complete lists. An item that carries the id of an existing one keeps it.',
    body: commands.ReplaceQuestionnaire,
    example: replacement,
    answers: { 200: ProtocolAndForm },
    handle: async ({ params, body, by }) => {
      const outcome = await handle(protocol, params.id, { type: 'ReplaceQuestionnaire', data: body }, by);
      return written(outcome, { protocol: fieldsOf(outcome.state), form: formOf(outcome.state, body.formId) });
    },
  }),
  post('/protocols', {
    summary: 'Creates a protocol without a form',
    body: commands.CreateProtocol,
    example: { institutionId: questionnaire.institutionId, name: 'Falls', prompt: 'Ask at every admission.' },
    answers: { 201: Protocol },
    handle: async ({ body, by }) => {
      await institutionMustExist(streams, body.institutionId);
      const outcome = await handle(protocol, 'new', { type: 'CreateProtocol', data: body }, by);
      return { ...written(outcome, fieldsOf(outcome.state)), location: `/protocols/${outcome.id}` };
    },
  }),
  put('/protocols/{id}', {
    summary: 'Revises the name and the prompt of a protocol',
    description: 'A field that is absent stays as it is; `prompt: null` clears the prompt.',
    body: commands.ReviseProtocol,
    example: { name: 'Falls, adults', prompt: null },
    answers: { 200: Protocol },
    handle: async ({ params, body, by }) => {
      const outcome = await handle(protocol, params.id, { type: 'ReviseProtocol', data: body }, by);
      return written(outcome, fieldsOf(outcome.state));
    },
  }),
  post('/protocols/{id}/forms/versions', {
    summary: 'Creates the next version of the form',
    description: 'A copy of the latest form with new ids; each item names the one that it was copied from.',
    answers: { 201: ProtocolForm },
    handle: async ({ params, by }) => {
      const outcome = await handle(protocol, params.id, { type: 'CreateFormVersion', data: {} }, by);
      const form = latestFormOf(outcome.state);
      return { ...written(outcome, form), location: `/protocols/${params.id}/forms/${form?.id}` };
    },
  }),
  post('/protocols/{id}/forms/{formId}/questions', {
    summary: 'Adds a question to a form',
    body: commands.AddQuestion.omit({ formId: true }),
    example: addQuestion,
    answers: { 201: ProtocolQuestion },
    problems: [409],
    handle: async ({ params: { id, formId }, body, by }) => {
      const outcome = await handle(protocol, id, { type: 'AddQuestion', data: { formId, ...body } }, by);
      const added = outcome.events[0] as { data: { question: { id: string } } } | undefined;
      const { question } = questionOf(outcome.state, added?.data.question.id ?? '');
      return { ...written(outcome, question), location: `/protocols/${id}/forms/${formId}` };
    },
  }),
  put('/protocols/{id}/questions/{questionId}', {
    summary: 'Revises a question',
    description: 'A field that is absent stays as it is; `metadata` is replaced as a whole.',
    body: commands.ReviseQuestion.omit({ questionId: true }),
    example: {
      questionText: 'Little interest or pleasure in doing things',
      required: true,
      weight: 1,
      position: 1,
      metadata: {},
    },
    answers: { 200: ProtocolQuestion },
    problems: [409],
    handle: async ({ params: { id, questionId }, body, by }) => {
      const outcome = await handle(protocol, id, { type: 'ReviseQuestion', data: { questionId, ...body } }, by);
      return written(outcome, questionOf(outcome.state, questionId).question);
    },
  }),
  post('/protocols/{id}/questions/{questionId}/options', {
    summary: 'Adds an option to a question',
    body: commands.AddOption.omit({ questionId: true }),
    example: addOption,
    answers: { 201: ProtocolQuestionOption },
    problems: [409],
    handle: async ({ params: { id, questionId }, body, by }) => {
      const outcome = await handle(protocol, id, { type: 'AddOption', data: { questionId, ...body } }, by);
      const added = outcome.events[0] as { data: { option: { id: string } } } | undefined;
      const { form, option } = optionOf(outcome.state, added?.data.option.id ?? '');
      return { ...written(outcome, option), location: `/protocols/${id}/forms/${form.id}` };
    },
  }),
  put('/protocols/{id}/options/{optionId}', {
    summary: 'Revises an option',
    description: 'A field that is absent stays as it is.',
    body: commands.ReviseOption.omit({ optionId: true }),
    example: addOption,
    answers: { 200: ProtocolQuestionOption },
    handle: async ({ params: { id, optionId }, body, by }) => {
      const outcome = await handle(protocol, id, { type: 'ReviseOption', data: { optionId, ...body } }, by);
      return written(outcome, optionOf(outcome.state, optionId).option);
    },
  }),
];

const reads = (service: Service): readonly Route[] => {
  const { reader } = service;
  return [
    get('/protocols', {
      summary: 'Lists protocols by ascending creation',
      query: z.object({ institutionId: idFilter, name: nameFilter, ...paging }),
      answers: { 200: pageOf(Protocol) },
      handle: ({ query: { institutionId, name, cursor, limit }, asked }) => {
        const where = institutionId === undefined ? {} : { institutionId };
        const prefix = name === undefined ? {} : { name: folded(name) };
        const query = { collection: 'protocols', where, prefix, order: 'oldest-first', after: cursor, limit } as const;
        return reader.list(protocols.name, query, asked);
      },
    }),
    get('/protocols/{id}', {
      summary: 'Reads a protocol',
      answers: { 200: Protocol },
      travelsInTime: true,
      handle: ({ params, asked }) => reader.one(protocolOf(service, params.id), asked),
    }),
    get('/protocols/{id}/questionnaire', {
      summary: 'Reads a protocol with a form and its score ranges',
      query: z.object({ version: versionFilter.describe('Absent: the latest version.') }),
      answers: { 200: Questionnaire },
      travelsInTime: true,
      handle: ({ params, query, asked }) => reader.one(questionnaireOf(service, params.id, query.version), asked),
    }),
    get('/protocols/{id}/forms', {
      summary: "Lists the versions of a protocol's form, newest first, without their questions",
      query: z.object(paging),
      answers: { 200: pageOf(ProtocolFormVersion) },
      handle: async ({ params: { id }, query: { cursor, limit }, asked }) => {
        await reader.one(protocolOf(service, id), asked);
        const where = { protocolId: id };
        const query = {
          collection: 'formVersions',
          where,
          prefix: {},
          order: 'newest-first',
          after: cursor,
          limit,
        } as const;
        return reader.list(protocols.name, query, asked);
      },
    }),
    get('/protocols/{id}/forms/{formId}', {
      summary: 'Reads a form with its questions, options and score ranges',
      answers: { 200: ProtocolForm },
      travelsInTime: true,
      handle: ({ params: { id, formId }, asked }) => reader.one(formResource(service, id, formId), asked),
    }),
  ];
};

const protocolOf = ({ views }: Service, id: string): Resource<ProtocolState> => ({
  decider: protocol,
  id,
  projection: protocols.name,
  fromViews: async () => {
    const document = await views.get('protocols', id);
    return document && { json: document.body, revision: document.revision };
  },
  fromState: fieldsOf,
});

// The protocol is read first: its revision, the ETag, is then never newer than the form that is answered with it.
const formResource = ({ views }: Service, id: string, formId: string): Resource<ProtocolState> => ({
  decider: protocol,
  id,
  projection: protocols.name,
  fromViews: async () => {
    const root = await views.get('protocols', id);
    const form = root && (await views.get('forms', formDocumentId(id, formId)));
    return root && form && { json: form.body, revision: root.revision };
  },
  fromState: (state) => formOf(state, formId),
});

const questionnaireOf = ({ views }: Service, id: string, version: number | undefined): Resource<ProtocolState> => ({
  decider: protocol,
  id,
  projection: protocols.name,
  fromViews: async () => {
    const root = await views.get('protocols', id);
    const where = { protocolId: id, ...(version !== undefined && { version: String(version) }) };
    const list = { collection: 'forms', where, prefix: {}, order: 'newest-first', after: undefined, limit: 1 } as const;
    const form = root && (await views.list(list)).bodies[0];
    if (root === undefined || (form === undefined && version !== undefined)) return undefined;
    return { json: questionnaireJson(root.body, form), revision: root.revision };
  },
  fromState: (state) => {
    const fields = fieldsOf(state);
    const form = version === undefined ? latestFormOf(state) : formOfVersion(state, version);
    return { protocol: fields, form, scoreRanges: form?.scoreRanges ?? [] };
  },
});

const questionnaireJson = (protocolJson: string, formJson: string | undefined): Answer['json'] => {
  const form = formJson === undefined ? undefined : (JSON.parse(formJson) as z.infer<typeof ProtocolForm>);
  return `{"protocol":${protocolJson},"form":${formJson ?? 'null'},"scoreRanges":${JSON.stringify(form?.scoreRanges ?? [])}}`;
};

// Only the latest form is at hand by its place; an older version is found by walking back along what it was copied from.
const formOfVersion = (state: ProtocolState, version: number) => {
  let form = latestFormOf(state);
  while (form !== null && form.version !== version)
    form = form.copiedFrom === null ? null : formOf(state, form.copiedFrom);
  if (form === null) throw new DomainError('form-not-found', { formId: `version ${version}` });
  return form;
};
