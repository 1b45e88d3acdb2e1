// The routes of the life of a form and of its protocol: publishing, retiring, deletions, copies and archiving.
import { institutionMustExist } from '../../../commands/references.js';
import { copyOfProtocol } from '../../../domain/protocol/copies.js';
import { protocol } from '../../../domain/protocol/decide.js';
import { formOf, latestFormOf, type Protocol } from '../../../domain/protocol/fold.js';
import { protocolCommands as commands, Form, ProtocolFields, SentCopy } from '../../../domain/protocol/schemas.js';
import { administrators } from '../../access/access.js';
import { type RouteContext, recordedPayload, writeResult } from '../../route/context.js';
import { del, post, type Route } from '../../route/route.js';
import { checkOf, publishQuery } from './checks.js';
import { copy, reason } from './examples.js';
import { ProtocolAndForm, part, resource, withForm } from './shown.js';

const access = { who: administrators, personal: false } as const;
const explained = { access, body: commands.ArchiveProtocol.prefault({}).meta({ id: 'StatusChange' }), example: reason };

export const lifeRoutes = (app: RouteContext): readonly Route[] => [
  post('/protocols/{id}/forms/{formId}/publish', {
    ...explained,
    name: 'publishForm',
    summary: 'Publishes a form',
    description:
      'A DRAFT without an error becomes PUBLISHED and can never be changed again. Other published versions stay published. For a PUBLISHED form, nothing is recorded.',
    query: publishQuery,
    enter: ({ caller }) => app.analyses.enter(caller),
    responses: { 200: Form },
    refuses: [
      ...(['protocol-not-found', 'form-not-found', 'form-retired', 'protocol-archived'] as const),
      ...(['form-faulty', 'analysis-busy'] as const),
    ],
    handle: ({ params: { id, formId }, body, query, by, caller }) => {
      const formIn = (state: Protocol) => formOf(state, formId);
      const command = { type: 'PublishForm' as const, data: { formId, ...body } };
      const check = checkOf('form-faulty', formIn, { query, caller });
      return app.writeChecked(part(formIn), id, command, { check, by });
    },
  }),
  post('/protocols/{id}/forms/{formId}/retire', {
    ...explained,
    name: 'retireForm',
    summary: 'Retires a form',
    description:
      'A DRAFT or a PUBLISHED form becomes RETIRED and can never be changed or published again. For a RETIRED form, nothing is recorded.',
    responses: { 200: Form },
    refuses: ['protocol-not-found', 'form-not-found', 'protocol-archived'],
    handle: ({ params: { id, formId }, body, by }) => {
      const form = part((state) => formOf(state, formId));
      return app.write(form, id, { type: 'RetireForm', data: { formId, ...body } }, by);
    },
  }),
  del('/protocols/{id}/questions/{questionId}', {
    access,
    name: 'deleteQuestion',
    summary: 'Deletes a question of a draft, with its options',
    description: 'The other questions keep their positions. The response shows the form.',
    responses: { 200: Form },
    refuses: ['protocol-not-found', 'question-not-found', 'form-published', 'form-retired', 'protocol-archived'],
    handle: async ({ params: { id, questionId }, by }) => {
      const outcome = await app.handle(protocol, id, { type: 'RemoveQuestion', data: { questionId } }, by);
      const { formId } = recordedPayload(outcome, 'ProtocolQuestionRemoved');
      return writeResult(outcome, formOf(outcome.state, formId));
    },
  }),
  del('/protocols/{id}/options/{optionId}', {
    access,
    name: 'deleteOption',
    summary: 'Deletes an option of a draft',
    description: 'The other options keep their positions. The response shows the form.',
    responses: { 200: Form },
    refuses: ['protocol-not-found', 'option-not-found', 'form-published', 'form-retired', 'protocol-archived'],
    handle: async ({ params: { id, optionId }, by }) => {
      const outcome = await app.handle(protocol, id, { type: 'RemoveOption', data: { optionId } }, by);
      const { formId } = recordedPayload(outcome, 'ProtocolOptionRemoved');
      return writeResult(outcome, formOf(outcome.state, formId));
    },
  }),
  post('/protocols/{id}/copies', {
    access,
    name: 'copyProtocol',
    summary: 'Copies a protocol with one of its forms, into any institution',
    description:
      'The copy is a new protocol whose form is a DRAFT of version 1. Its items have new ids and name their originals in `copiedFrom`. The original does not change, and may be archived.',
    body: SentCopy,
    example: copy,
    responses: { 201: ProtocolAndForm },
    kind: 'creation',
    refuses: ['protocol-not-found', 'form-too-large'],
    handle: async ({ params, body, by }) => {
      const { state } = await app.streams.fresh(protocol, params.id);
      const data = copyOfProtocol(state, body, by.ids.newIds());
      await institutionMustExist(app.streams, body.institutionId);
      return app.write(withForm(latestFormOf), 'new', { type: 'CopyProtocol', data }, by);
    },
  }),
  post('/protocols/{id}/archive', {
    ...explained,
    name: 'archiveProtocol',
    summary: 'Archives a protocol',
    description:
      'Lists omit an archived protocol. It can be read and copied, but not changed until it is restored. For an archived protocol, nothing is recorded.',
    responses: { 200: ProtocolFields },
    refuses: ['protocol-not-found'],
    handle: ({ params, body, by }) => app.write(resource, params.id, { type: 'ArchiveProtocol', data: body }, by),
  }),
  post('/protocols/{id}/restore', {
    ...explained,
    name: 'restoreProtocol',
    summary: 'Restores an archived protocol',
    description: 'For a protocol that is not archived, nothing is recorded.',
    responses: { 200: ProtocolFields },
    refuses: ['protocol-not-found'],
    handle: ({ params, body, by }) => app.write(resource, params.id, { type: 'RestoreProtocol', data: body }, by),
  }),
];
