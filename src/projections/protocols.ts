// The read model of protocols: the protocols themselves and what lists of forms show of them, their forms, and the
// versions of forms without their content.
import { comparableName } from '../domain/comparable.js';
import { derived } from '../domain/decider.js';
import { present } from '../domain/fields.js';
import { evolveForm, evolveProtocolFields } from '../domain/protocol/fold.js';
import type { Form, ProtocolFields } from '../domain/protocol/schemas.js';
import { collection, derivation, projection, type Working } from './projection.js';

/** Returns the document id of a form. It contains the protocol's id, so that another protocol's form is not found. */
export const formDocumentId = (protocolId: string, formId: string): string => `${protocolId}/${formId}`;

/** Returns the value by which the protocols of an institution are found, archived ones or the others. */
export const institutionValueOf = (institutionId: string, archived = false): string =>
  archived ? `${institutionId}/archived` : institutionId;

/** What lists of forms show of a protocol, and what they select by. */
export type NamedProtocol = Pick<ProtocolFields, 'id' | 'name' | 'institutionId' | 'archived'>;

const evolveName = derived(evolveProtocolFields, (fold) => (known: NamedProtocol | undefined, data, on) => {
  const fields = fold(known && { ...known, prompt: null, createdAt: '', updatedAt: '' }, data, on);
  if (fields === undefined) return undefined;
  const { id, name, institutionId, archived } = fields;
  return present({ id, name, institutionId, archived });
});

const formVersions = derivation({
  name: 'formVersions',
  documents: (_, { document, created }: Working<Form>) => {
    const { questions, scoreRanges, ...version } = document;
    return new Map([[version.id, { document: version, created }]]);
  },
  indexes: (index) => [
    index('equal', 'protocolId', ({ protocolId }) => protocolId),
    index('equal', 'status', ({ status }) => status),
  ],
});

export const protocols = projection({
  name: 'protocols',
  version: 6,
  aggregates: ['protocol'],
  root: collection({
    name: 'protocols',
    idOf: (_, protocolId) => protocolId,
    when: evolveProtocolFields,
    indexes: (index) => [
      index('prefix', 'name', ({ name }) => comparableName(name)),
      // One value of two fields, as in version 5: while a cluster is upgraded, processes of both versions list by it.
      index('equal', 'institutionId', ({ institutionId, archived }) => institutionValueOf(institutionId, archived)),
      // The last one, because most protocols are not archived.
      index('equal', 'archived', ({ archived = false }) => String(archived)),
    ],
  }),
  parts: [
    // Before the forms, so that a reader who finds a form finds its protocol.
    collection({
      name: 'protocolNames',
      idOf: (_, protocolId) => protocolId,
      when: evolveName,
      indexes: () => [],
    }),
    collection({
      name: 'forms',
      idOf: ({ formId }, protocolId) => formDocumentId(protocolId, formId),
      when: evolveForm,
      indexes: (index) => [
        index('equal', 'version', ({ version }) => String(version), 'protocolId'),
        index('equal', 'status', ({ status }) => status, 'protocolId'),
        index('equal', 'protocolId', ({ protocolId }) => protocolId),
      ],
      derived: [formVersions],
    }),
  ],
});
