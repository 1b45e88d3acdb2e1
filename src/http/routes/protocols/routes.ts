// The routes of protocols, forms, questions and options: endpoints 1 to 10 of the contract, and related routes.
import { institutionMustExist } from '../../../commands/references.js';
import { contentOf, noContent } from '../../../domain/protocol/content.js';
import { protocol } from '../../../domain/protocol/decide.js';
import { active, formOf, latestFormOf, optionOf, type Protocol, questionOf } from '../../../domain/protocol/fold.js';
import { fitsType } from '../../../domain/protocol/response-type.js';
import {
  protocolCommands as commands,
  Form,
  FormOption,
  FormQuestion,
  ProtocolFields,
} from '../../../domain/protocol/schemas.js';
import { sentForm } from '../../../domain/scoring/sent.js';
import { administrators } from '../../access/access.js';
import { type RouteContext, recordedPayload, writeResult } from '../../route/context.js';
import { LARGE_BODY, post, put, type Route } from '../../route/route.js';
import { checkOf, enterIfStrict, strictQuery } from './checks.js';
import { addOption, addQuestion, fromForm, order, questionnaire, replacement } from './examples.js';
import { lifeRoutes } from './life.js';
import { protocolReads } from './reads.js';
import { scoringRoutes } from './scoring.js';
import { ProtocolAndForm, part, resource, withForm } from './shown.js';

/** Why a form cannot be changed. */
const unchangeable = ['form-published', 'form-retired', 'protocol-archived'] as const;

const reordering = {
  description:
    'Send the ids of all items in their new order. The items get the positions 1 to n. If the order does not change, nothing is recorded.',
  example: order,
  responses: { 200: Form },
} as const;

export const protocolRoutes = (app: RouteContext): readonly Route[] => [
  post('/protocols/questionnaires', {
    access: { who: administrators, personal: false },
    name: 'createQuestionnaire',
    summary: 'Creates a protocol with its first form',
    description:
      'Creates the protocol, version 1 of its form, and the questions, options and score ranges in one request. A form may have at most 900 KiB as JSON, including the ids of its items.',
    query: strictQuery,
    enter: enterIfStrict(app),
    body: commands.CreateQuestionnaire,
    bodyLimit: LARGE_BODY,
    example: questionnaire,
    responses: { 201: ProtocolAndForm },
    kind: 'creation',
    refuses: ['form-too-large', 'questionnaire-faulty', 'analysis-busy'],
    handle: async ({ body, query, caller, by }) => {
      await institutionMustExist(app.streams, body.institutionId);
      const command = { type: 'CreateQuestionnaire' as const, data: body };
      const check = checkOf('questionnaire-faulty', () => sentForm(body, noContent), { query, caller });
      const given = { check: query.strict === 'true' ? check : undefined, by };
      return app.writeChecked(withForm(latestFormOf), 'new', command, given);
    },
  }),
  put('/protocols/{id}/questionnaire', {
    access: { who: administrators, personal: false },
    name: 'updateQuestionnaire',
    summary: 'Revises a protocol and replaces the questions and score ranges of one of its forms',
    description:
      'Send the complete lists. An item with the id of an existing item, or of its original (`copiedFrom`), keeps the id of this item; other items get new ids. A question without `responseType` keeps the type of the existing question with its id, or else with its text, or else at its position. Otherwise its type follows from its options and metadata.',
    query: strictQuery,
    enter: enterIfStrict(app),
    body: commands.ReplaceQuestionnaire,
    bodyLimit: LARGE_BODY,
    example: replacement,
    responses: { 200: ProtocolAndForm },
    refuses: ['protocol-not-found', 'form-too-large', 'questionnaire-faulty', 'analysis-busy', ...unchangeable],
    handle: ({ params, body, query, caller, by }) => {
      const shown = withForm((state) => formOf(state, body.formId));
      const formIn = (state: Protocol) =>
        sentForm(body, contentOf(formOf(state, body.formId), active(state).questions));
      const command = { type: 'ReplaceQuestionnaire' as const, data: body };
      const check = checkOf('questionnaire-faulty', formIn, { query, caller });
      const given = { check: query.strict === 'true' ? check : undefined, by };
      return app.writeChecked(shown, params.id, command, given);
    },
  }),
  post('/protocols', {
    access: { who: administrators, personal: false },
    name: 'createProtocol',
    summary: 'Creates a protocol without a form',
    body: commands.CreateProtocol,
    bodyLimit: LARGE_BODY,
    example: { institutionId: questionnaire.institutionId, name: 'Falls', prompt: 'Ask at every admission.' },
    responses: { 201: ProtocolFields },
    kind: 'creation',
    handle: async ({ body, by }) => {
      await institutionMustExist(app.streams, body.institutionId);
      return app.write(resource, 'new', { type: 'CreateProtocol', data: body }, by);
    },
  }),
  put('/protocols/{id}', {
    access: { who: administrators, personal: false },
    name: 'updateProtocol',
    summary: 'Revises the name and the prompt of a protocol',
    description: 'Absent fields stay unchanged; `prompt: null` clears the prompt.',
    body: commands.ReviseProtocol,
    bodyLimit: LARGE_BODY,
    example: { name: 'Falls, adults', prompt: null },
    responses: { 200: ProtocolFields },
    refuses: ['protocol-not-found', 'protocol-archived'],
    handle: ({ params, body, by }) => app.write(resource, params.id, { type: 'ReviseProtocol', data: body }, by),
  }),
  post('/protocols/{id}/forms/versions', {
    access: { who: administrators, personal: false },
    name: 'createFormVersion',
    summary: 'Creates the next version of the form',
    description:
      'Copies the newest form, or the form that `fromFormId` names, with new ids. Each item names its original in `copiedFrom`. The version is a DRAFT. The body may be absent or null.',
    // No body, null and an empty object are one request, also under an Idempotency-Key.
    body: commands.CreateFormVersion.meta({ id: 'NewFormVersion' })
      .nullish()
      .transform((sent) => sent ?? {}),
    example: fromForm,
    responses: { 201: Form },
    refuses: ['protocol-not-found', 'form-too-large', 'protocol-archived'],
    handle: async ({ params, body, by }) => {
      const outcome = await app.handle(protocol, params.id, { type: 'CreateFormVersion', data: body }, by);
      const form = latestFormOf(outcome.state);
      return { ...writeResult(outcome, form), location: `/protocols/${params.id}/forms/${form?.id}` };
    },
  }),
  post('/protocols/{id}/forms/{formId}/questions', {
    access: { who: administrators, personal: false },
    name: 'addQuestion',
    summary: 'Adds a question to a form',
    body: commands.AddQuestion.omit({ formId: true }).superRefine(...fitsType),
    bodyLimit: LARGE_BODY,
    example: addQuestion,
    responses: { 201: FormQuestion },
    refuses: ['protocol-not-found', 'form-not-found', 'too-many-questions', 'form-too-large', ...unchangeable],
    handle: async ({ params: { id, formId }, body, by }) => {
      const outcome = await app.handle(protocol, id, { type: 'AddQuestion', data: { formId, ...body } }, by);
      const { question } = questionOf(outcome.state, recordedPayload(outcome, 'ProtocolQuestionAdded').question.id);
      // A question is read with its form, because it has no GET route of its own.
      return { ...writeResult(outcome, question), location: `/protocols/${id}/forms/${formId}` };
    },
  }),
  put('/protocols/{id}/questions/{questionId}', {
    access: { who: administrators, personal: false },
    name: 'updateQuestion',
    summary: 'Revises a question',
    description: 'Absent fields stay unchanged; `metadata` is replaced as a whole.',
    body: commands.ReviseQuestion.omit({ questionId: true }).superRefine(...fitsType),
    bodyLimit: LARGE_BODY,
    example: {
      questionText: 'Little interest or pleasure in doing things',
      required: true,
      weight: 1,
      position: 1,
      metadata: {},
    },
    responses: { 200: FormQuestion },
    refuses: ['protocol-not-found', 'question-not-found', 'options-not-taken', 'form-too-large', ...unchangeable],
    handle: ({ params: { id, questionId }, body, by }) => {
      const question = part((state) => questionOf(state, questionId).question);
      return app.write(question, id, { type: 'ReviseQuestion', data: { questionId, ...body } }, by);
    },
  }),
  post('/protocols/{id}/questions/{questionId}/options', {
    access: { who: administrators, personal: false },
    name: 'addOption',
    summary: 'Adds an option to a question',
    body: commands.AddOption.omit({ questionId: true }),
    example: addOption,
    responses: { 201: FormOption },
    refuses: [
      ...(['protocol-not-found', 'question-not-found', 'options-not-taken', 'too-many-options'] as const),
      ...(['form-too-large', ...unchangeable] as const),
    ],
    handle: async ({ params: { id, questionId }, body, by }) => {
      const outcome = await app.handle(protocol, id, { type: 'AddOption', data: { questionId, ...body } }, by);
      const { form, option } = optionOf(outcome.state, recordedPayload(outcome, 'ProtocolOptionAdded').option.id);
      return { ...writeResult(outcome, option), location: `/protocols/${id}/forms/${form.id}` };
    },
  }),
  put('/protocols/{id}/options/{optionId}', {
    access: { who: administrators, personal: false },
    name: 'updateOption',
    summary: 'Revises an option',
    description: 'Absent fields stay unchanged.',
    body: commands.ReviseOption.omit({ optionId: true }),
    example: addOption,
    responses: { 200: FormOption },
    refuses: ['protocol-not-found', 'option-not-found', 'form-too-large', ...unchangeable],
    handle: ({ params: { id, optionId }, body, by }) => {
      const option = part((state) => optionOf(state, optionId).option);
      return app.write(option, id, { type: 'ReviseOption', data: { optionId, ...body } }, by);
    },
  }),
  put('/protocols/{id}/forms/{formId}/questions/order', {
    access: { who: administrators, personal: false },
    name: 'orderQuestions',
    summary: 'Reorders the questions of a form',
    ...reordering,
    body: commands.ReorderQuestions.omit({ formId: true }),
    refuses: ['protocol-not-found', 'form-not-found', 'form-too-large', ...unchangeable],
    handle: ({ params: { id, formId }, body, by }) => {
      const form = part((state) => formOf(state, formId));
      return app.write(form, id, { type: 'ReorderQuestions', data: { formId, ...body } }, by);
    },
  }),
  put('/protocols/{id}/questions/{questionId}/options/order', {
    access: { who: administrators, personal: false },
    name: 'orderOptions',
    summary: 'Reorders the options of a question',
    ...reordering,
    body: commands.ReorderOptions.omit({ questionId: true }),
    refuses: ['protocol-not-found', 'question-not-found', 'form-too-large', ...unchangeable],
    handle: ({ params: { id, questionId }, body, by }) => {
      const form = part((state) => questionOf(state, questionId).form);
      return app.write(form, id, { type: 'ReorderOptions', data: { questionId, ...body } }, by);
    },
  }),
  ...lifeRoutes(app),
  ...protocolReads(app),
  ...scoringRoutes(app),
];
