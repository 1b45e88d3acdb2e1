// The routes of protocols, forms, questions and options: endpoints 1 to 10 of the contract, and related reads.
import { z } from 'zod';
import { institutionMustExist } from '../../../commands/references.js';
import { getById } from '../../../domain/by-id.js';
import { DomainError } from '../../../domain/errors.js';
import { protocol, protocolCommands } from '../../../domain/protocol/protocol.js';
import {
  active,
  formOf,
  optionOf,
  type Protocol as ProtocolState,
  questionOf,
} from '../../../domain/protocol/state.js';
import { formDocumentId, protocols } from '../../../projections/protocols.js';
import { administrators, approvedUsers } from '../../access/access.js';
import { type RouteContext, recordedPayload, writeResult } from '../../route/context.js';
import { idFilter, integerText, nameFilter, pageOf, paging, pagingBy } from '../../route/paging.js';
import type { Resource } from '../../route/reading.js';
import { get, post, put, type Route, type RouteResult } from '../../route/route.js';
import { addOption, addQuestion, questionnaire, replacement } from './examples.js';
import { orderRoutes } from './orders.js';
import {
  Protocol,
  ProtocolAndForm,
  ProtocolForm,
  ProtocolFormVersion,
  ProtocolQuestion,
  ProtocolQuestionOption,
  Questionnaire,
} from './schemas.js';

const protocolFields = (state: ProtocolState) => active(state).fields;

const latestFormOf = (state: ProtocolState) =>
  state.status === 'active' && state.latestFormId !== null ? (getById(state.forms, state.latestFormId) ?? null) : null;

const resource = { name: protocols.name, decider: protocol, show: protocolFields };

/** Returns the resource of a protocol together with one of its forms. */
const withForm = (form: (state: ProtocolState) => unknown) => ({
  ...resource,
  show: (state: ProtocolState) => ({ protocol: protocolFields(state), form: form(state) }),
});

const commands = protocolCommands;

const versionFilter = integerText(1, 999_999_999)
  .optional()
  .meta({ openapi: { type: 'integer', minimum: 1, maximum: 999_999_999 } });

/** Returns the routes of protocols. */
export const protocolRoutes = (app: RouteContext): readonly Route[] => [
  ...writes(app),
  ...orderRoutes(app),
  ...reads(app),
];

const writes = (app: RouteContext): readonly Route[] => [
  post('/protocols/questionnaires', {
    access: { who: administrators, rate: 'unapproved', personal: false },
    name: 'createQuestionnaire',
    summary: 'Creates a protocol with its first form',
    description:
      'Creates the protocol, version 1 of its form, and the questions, options and score ranges in one request. A form may have at most 900 KiB as JSON, including the ids of its items.',
    body: commands.CreateQuestionnaire,
    example: questionnaire,
    responses: { 201: ProtocolAndForm },
    creates: true,
    refuses: ['form-too-large'],
    handle: async ({ body, by }) => {
      await institutionMustExist(app.streams, body.institutionId);
      return app.write(withForm(latestFormOf), 'new', { type: 'CreateQuestionnaire', data: body }, by);
    },
  }),
  put('/protocols/{id}/questionnaire', {
    access: { who: administrators, rate: 'unapproved', personal: false },
    name: 'updateQuestionnaire',
    summary: 'Revises a protocol and replaces the questions and score ranges of one of its forms',
    description:
      'Send the complete lists. An item with the id of an existing item keeps that id; other items get new ids.',
    body: commands.ReplaceQuestionnaire,
    example: replacement,
    responses: { 200: ProtocolAndForm },
    refuses: ['protocol-not-found', 'form-too-large'],
    handle: ({ params, body, by }) => {
      const shown = withForm((state) => formOf(state, body.formId));
      return app.write(shown, params.id, { type: 'ReplaceQuestionnaire', data: body }, by);
    },
  }),
  post('/protocols', {
    access: { who: administrators, rate: 'unapproved', personal: false },
    name: 'createProtocol',
    summary: 'Creates a protocol without a form',
    body: commands.CreateProtocol,
    example: { institutionId: questionnaire.institutionId, name: 'Falls', prompt: 'Ask at every admission.' },
    responses: { 201: Protocol },
    creates: true,
    handle: async ({ body, by }) => {
      await institutionMustExist(app.streams, body.institutionId);
      return app.write(resource, 'new', { type: 'CreateProtocol', data: body }, by);
    },
  }),
  put('/protocols/{id}', {
    access: { who: administrators, rate: 'unapproved', personal: false },
    name: 'updateProtocol',
    summary: 'Revises the name and the prompt of a protocol',
    description: 'Absent fields stay unchanged; `prompt: null` clears the prompt.',
    body: commands.ReviseProtocol,
    example: { name: 'Falls, adults', prompt: null },
    responses: { 200: Protocol },
    refuses: ['protocol-not-found'],
    handle: ({ params, body, by }) => app.write(resource, params.id, { type: 'ReviseProtocol', data: body }, by),
  }),
  post('/protocols/{id}/forms/versions', {
    access: { who: administrators, rate: 'unapproved', personal: false },
    name: 'createFormVersion',
    summary: 'Creates the next version of the form',
    description: 'Copies the latest form with new ids. Each item names its original in `copiedFrom`.',
    responses: { 201: ProtocolForm },
    refuses: ['protocol-not-found', 'form-too-large'],
    handle: async ({ params, by }) => {
      const outcome = await app.handle(protocol, params.id, { type: 'CreateFormVersion', data: {} }, by);
      const form = latestFormOf(outcome.state);
      return { ...writeResult(outcome, form), location: `/protocols/${params.id}/forms/${form?.id}` };
    },
  }),
  post('/protocols/{id}/forms/{formId}/questions', {
    access: { who: administrators, rate: 'unapproved', personal: false },
    name: 'addQuestion',
    summary: 'Adds a question to a form',
    body: commands.AddQuestion.omit({ formId: true }),
    example: addQuestion,
    responses: { 201: ProtocolQuestion },
    refuses: ['protocol-not-found', 'form-not-found', 'too-many-questions', 'form-too-large'],
    handle: async ({ params: { id, formId }, body, by }) => {
      const outcome = await app.handle(protocol, id, { type: 'AddQuestion', data: { formId, ...body } }, by);
      const { question } = questionOf(outcome.state, recordedPayload(outcome, 'ProtocolQuestionAdded').question.id);
      // A question is read with its form, because it has no GET route of its own.
      return { ...writeResult(outcome, question), location: `/protocols/${id}/forms/${formId}` };
    },
  }),
  put('/protocols/{id}/questions/{questionId}', {
    access: { who: administrators, rate: 'unapproved', personal: false },
    name: 'updateQuestion',
    summary: 'Revises a question',
    description: 'Absent fields stay unchanged; `metadata` is replaced as a whole.',
    body: commands.ReviseQuestion.omit({ questionId: true }),
    example: {
      questionText: 'Little interest or pleasure in doing things',
      required: true,
      weight: 1,
      position: 1,
      metadata: {},
    },
    responses: { 200: ProtocolQuestion },
    refuses: ['protocol-not-found', 'question-not-found', 'options-not-taken', 'form-too-large'],
    handle: ({ params: { id, questionId }, body, by }) => {
      const question = { ...resource, show: (state: ProtocolState) => questionOf(state, questionId).question };
      return app.write(question, id, { type: 'ReviseQuestion', data: { questionId, ...body } }, by);
    },
  }),
  post('/protocols/{id}/questions/{questionId}/options', {
    access: { who: administrators, rate: 'unapproved', personal: false },
    name: 'addOption',
    summary: 'Adds an option to a question',
    body: commands.AddOption.omit({ questionId: true }),
    example: addOption,
    responses: { 201: ProtocolQuestionOption },
    refuses: ['protocol-not-found', 'question-not-found', 'options-not-taken', 'too-many-options', 'form-too-large'],
    handle: async ({ params: { id, questionId }, body, by }) => {
      const outcome = await app.handle(protocol, id, { type: 'AddOption', data: { questionId, ...body } }, by);
      const { form, option } = optionOf(outcome.state, recordedPayload(outcome, 'ProtocolOptionAdded').option.id);
      return { ...writeResult(outcome, option), location: `/protocols/${id}/forms/${form.id}` };
    },
  }),
  put('/protocols/{id}/options/{optionId}', {
    access: { who: administrators, rate: 'unapproved', personal: false },
    name: 'updateOption',
    summary: 'Revises an option',
    description: 'Absent fields stay unchanged.',
    body: commands.ReviseOption.omit({ optionId: true }),
    example: addOption,
    responses: { 200: ProtocolQuestionOption },
    refuses: ['protocol-not-found', 'option-not-found', 'form-too-large'],
    handle: ({ params: { id, optionId }, body, by }) => {
      const option = { ...resource, show: (state: ProtocolState) => optionOf(state, optionId).option };
      return app.write(option, id, { type: 'ReviseOption', data: { optionId, ...body } }, by);
    },
  }),
];

const reads = ({ reader }: RouteContext): readonly Route[] => [
  get('/protocols', {
    access: { who: approvedUsers, rate: 'unlimited', personal: false },
    name: 'listProtocols',
    summary: 'Lists protocols, oldest first',
    query: z.object({ institutionId: idFilter, name: nameFilter, ...paging }),
    responses: { 200: pageOf(Protocol) },
    handle: ({ query, readOptions }) => {
      const where = { institutionId: query.institutionId };
      return reader.list({ projection: protocols.name, where, query }, readOptions);
    },
  }),
  get('/protocols/{id}', {
    access: { who: approvedUsers, rate: 'unlimited', personal: false },
    name: 'getProtocol',
    summary: 'Reads a protocol',
    responses: { 200: Protocol },
    travelsInTime: true,
    refuses: ['protocol-not-found'],
    handle: ({ params, readOptions }) => reader.one(resource, params.id, readOptions),
  }),
  get('/protocols/{id}/questionnaire', {
    access: { who: approvedUsers, rate: 'unlimited', personal: false },
    name: 'getQuestionnaire',
    summary: 'Reads a protocol with a form and its score ranges',
    query: z.object({ version: versionFilter.describe('The version of the form. Default: the latest version.') }),
    responses: { 200: Questionnaire },
    travelsInTime: true,
    refuses: ['protocol-not-found', 'form-not-found'],
    handle: ({ params, query, readOptions }) => reader.one(questionnaireOf(query.version), params.id, readOptions),
  }),
  get('/protocols/{id}/forms', {
    access: { who: approvedUsers, rate: 'unlimited', personal: false },
    name: 'listFormVersions',
    summary: "Lists the versions of a protocol's form, newest first, without their questions",
    query: z.object(pagingBy('-createdAt')),
    responses: { 200: pageOf(ProtocolFormVersion) },
    refuses: ['protocol-not-found'],
    handle: async ({ params: { id }, query, readOptions }) => {
      await reader.one(resource, id, readOptions);
      const within = { protocolId: id };
      return reader.list({ projection: protocols.name, collection: 'formVersions', within, query }, readOptions);
    },
  }),
  get('/protocols/{id}/forms/{formId}', {
    access: { who: approvedUsers, rate: 'unlimited', personal: false },
    name: 'getForm',
    summary: 'Reads a form with its questions, options and score ranges',
    responses: { 200: ProtocolForm },
    travelsInTime: true,
    ignoresUnknownParameters: true,
    refuses: ['protocol-not-found', 'form-not-found'],
    handle: ({ params: { id, formId }, readOptions }) => reader.one(formWith(formId), id, readOptions),
  }),
];

// The revision of the protocol is the ETag of its forms.
const formWith = (formId: string): Resource<ProtocolState> => ({
  ...resource,
  show: (state) => formOf(state, formId),
  fromViews: async (views, id) => {
    const protocolOfForm = { collection: 'protocols', id };
    const form = await views.getPart(protocolOfForm, { collection: 'forms', id: formDocumentId(id, formId) });
    return form && { json: form.body, revision: form.revision };
  },
});

// Reads the protocol first, so that its revision (the ETag) is never newer than the form in the response.
const questionnaireOf = (version: number | undefined): Resource<ProtocolState> => ({
  ...resource,
  fromViews: async (views, id) => {
    const root = await views.get('protocols', id);
    const where = { protocolId: id, ...(version !== undefined && { version: String(version) }) };
    const list = { collection: 'forms', where, prefix: {}, order: 'newest-first', after: undefined, limit: 1 } as const;
    // The list has at most one document, so the text between the brackets is the document.
    const form = root && ((await views.list(list)).json.slice(1, -1) || undefined);
    if (root === undefined || (form === undefined && version !== undefined)) return undefined;
    return { json: questionnaireJson(root.body, form), revision: root.revision };
  },
  show: (state) => {
    const fields = protocolFields(state);
    const form = version === undefined ? latestFormOf(state) : formOfVersion(state, version);
    return { protocol: fields, form, scoreRanges: form?.scoreRanges ?? [] };
  },
});

const questionnaireJson = (protocolJson: string, formJson: string | undefined): RouteResult['json'] => {
  const form = formJson === undefined ? undefined : (JSON.parse(formJson) as z.infer<typeof ProtocolForm>);
  return `{"protocol":${protocolJson},"form":${formJson ?? 'null'},"scoreRanges":${JSON.stringify(form?.scoreRanges ?? [])}}`;
};

// The state indexes only the latest form. Older versions are found by following `copiedFrom`.
const formOfVersion = (state: ProtocolState, version: number) => {
  let form = latestFormOf(state);
  while (form !== null && form.version !== version)
    form = form.copiedFrom === null ? null : formOf(state, form.copiedFrom);
  if (form === null) throw new DomainError('form-not-found', { version });
  return form;
};
