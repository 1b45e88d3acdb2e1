// The read model of protocols: the protocols themselves, their forms, and the list of a protocol's form versions.

import { comparableName } from '../domain/comparable.js';
import type { EventContext, Evolve } from '../domain/decider.js';
import { evolveForm, evolveProtocolFields } from '../domain/protocol/fold.js';
import type { FormVersion, formEvents } from '../domain/protocol/schemas.js';
import { collection, projection } from './projection.js';

/** Returns the document id of a form. It contains the protocol's id, so that another protocol's form is not found. */
export const formDocumentId = (protocolId: string, formId: string): string => `${protocolId}/${formId}`;

const touched = (version: FormVersion | undefined, _: unknown, { at }: EventContext) =>
  version && { ...version, updatedAt: at };

const evolveFormVersion: Evolve<FormVersion | undefined, typeof formEvents> = {
  ProtocolFormVersionCreated: (_, { formId, version, copiedFrom }, { id, at }) => ({
    id: formId,
    protocolId: id,
    version,
    copiedFrom,
    createdAt: at,
    updatedAt: at,
  }),
  ProtocolQuestionAdded: touched,
  ProtocolQuestionRevised: touched,
  ProtocolOptionAdded: touched,
  ProtocolOptionRevised: touched,
  ProtocolQuestionsReordered: touched,
  ProtocolOptionsReordered: touched,
  ProtocolQuestionnaireReplaced: touched,
};

export const protocols = projection({
  name: 'protocols',
  version: 2,
  aggregates: ['protocol'],
  folded: [
    collection({
      name: 'forms',
      within: 'protocolId',
      indexes: { protocolId: 'equal', version: 'equal' },
      idOf: ({ formId }, protocolId) => formDocumentId(protocolId, formId),
      when: evolveForm,
      index: ({ protocolId, version }) => ({ protocolId, version: String(version) }),
    }),
    collection({
      name: 'formVersions',
      within: 'protocolId',
      indexes: { protocolId: 'equal' },
      idOf: ({ formId }, protocolId) => formDocumentId(protocolId, formId),
      when: evolveFormVersion,
      index: ({ protocolId }) => ({ protocolId }),
    }),
    collection({
      name: 'protocols',
      indexes: { institutionId: 'equal', name: 'prefix' },
      idOf: (_, protocolId) => protocolId,
      when: evolveProtocolFields,
      index: ({ institutionId, name }) => ({ institutionId, name: comparableName(name) }),
      followsRevision: true,
    }),
  ],
});
