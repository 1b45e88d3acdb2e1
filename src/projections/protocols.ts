// The read model of protocols: the protocols themselves, their forms, and the versions of forms without their content.
import { comparableName } from '../domain/comparable.js';
import { evolveForm, evolveProtocolFields } from '../domain/protocol/fold.js';
import type { Form } from '../domain/protocol/schemas.js';
import { collection, projection, type Working } from './projection.js';

/** Returns the document id of a form. It contains the protocol's id, so that another protocol's form is not found. */
export const formDocumentId = (protocolId: string, formId: string): string => `${protocolId}/${formId}`;

/** Returns the value by which the form with a version is found. Versions are numbered in each protocol. */
export const formVersionOf = (protocolId: string, version: number): string => `${protocolId}/${version}`;

const versionOf = (_: unknown, { document, created }: Working<Form>) => {
  const { questions, scoreRanges, ...version } = document;
  return new Map([[version.id, { document: version, created }]]);
};

export const protocols = projection({
  name: 'protocols',
  version: 3,
  aggregates: ['protocol'],
  root: collection({
    name: 'protocols',
    idOf: (_, protocolId) => protocolId,
    when: evolveProtocolFields,
    indexes: (index) => [
      index('prefix', 'name', ({ name }) => comparableName(name)),
      index('equal', 'institutionId', ({ institutionId }) => institutionId),
    ],
  }),
  parts: [
    collection({
      name: 'forms',
      idOf: ({ formId }, protocolId) => formDocumentId(protocolId, formId),
      when: evolveForm,
      indexes: (index) => [
        index('equal', 'version', ({ protocolId, version }) => formVersionOf(protocolId, version)),
        index('equal', 'protocolId', ({ protocolId }) => protocolId),
      ],
      derived: {
        name: 'formVersions',
        documents: versionOf,
        indexes: (index) => [index('equal', 'protocolId', ({ protocolId }) => protocolId)],
      },
    }),
  ],
});
