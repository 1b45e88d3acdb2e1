// The routes that reorder the questions of a form and the options of a question.
import { protocol, protocolCommands } from '../../../domain/protocol/protocol.js';
import { formOf, type Protocol as ProtocolState, questionOf } from '../../../domain/protocol/state.js';
import { protocols } from '../../../projections/protocols.js';
import { administrators } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { put, type Route } from '../../route/route.js';
import { order } from './examples.js';
import { ProtocolForm } from './schemas.js';

const description =
  'Send the ids of all items in their new order. The items get the positions 1 to n. If the order does not change, nothing is recorded.';

const formIn = (show: (state: ProtocolState) => unknown) => ({ name: protocols.name, decider: protocol, show });

/** Returns the routes that reorder the items of a form. */
export const orderRoutes = (app: RouteContext): readonly Route[] => [
  put('/protocols/{id}/forms/{formId}/questions/order', {
    access: { who: administrators, rate: 'unapproved', personal: false },
    name: 'orderQuestions',
    summary: 'Reorders the questions of a form',
    description,
    body: protocolCommands.ReorderQuestions.omit({ formId: true }),
    example: order,
    responses: { 200: ProtocolForm },
    refuses: ['protocol-not-found', 'form-not-found', 'form-too-large'],
    handle: ({ params: { id, formId }, body, by }) => {
      const form = formIn((state) => formOf(state, formId));
      return app.write(form, id, { type: 'ReorderQuestions', data: { formId, ...body } }, by);
    },
  }),
  put('/protocols/{id}/questions/{questionId}/options/order', {
    access: { who: administrators, rate: 'unapproved', personal: false },
    name: 'orderOptions',
    summary: 'Reorders the options of a question',
    description,
    body: protocolCommands.ReorderOptions.omit({ questionId: true }),
    example: order,
    responses: { 200: ProtocolForm },
    refuses: ['protocol-not-found', 'question-not-found', 'form-too-large'],
    handle: ({ params: { id, questionId }, body, by }) => {
      const form = formIn((state) => questionOf(state, questionId).form);
      return app.write(form, id, { type: 'ReorderOptions', data: { questionId, ...body } }, by);
    },
  }),
];
