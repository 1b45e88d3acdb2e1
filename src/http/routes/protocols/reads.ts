// The routes that read protocols and their forms.
import { z } from 'zod';
import { protocol } from '../../../domain/protocol/decide.js';
import { active, formOf, formOfVersion, latestFormOf, type Protocol } from '../../../domain/protocol/fold.js';
import { Form, FormVersion, ProtocolFields } from '../../../domain/protocol/schemas.js';
import { formDocumentId, formVersionOf, protocols } from '../../../projections/protocols.js';
import { approvedUsers } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { Read } from '../../route/documents.js';
import { idFilter, integerText, nameFilter, pageOf, paging, pagingBy } from '../../route/paging.js';
import { documentsOf, type Resource } from '../../route/reading.js';
import { get, type Route } from '../../route/route.js';

export const protocolFields = (state: Protocol): ProtocolFields => active(state).fields;

export const resource = { ...documentsOf('protocols'), decider: protocol, show: protocolFields };

const Questionnaire = z
  .object({ protocol: ProtocolFields, form: Form.nullable(), scoreRanges: Form.shape.scoreRanges })
  .meta({ id: 'Questionnaire' });

const versionFilter = integerText(1, 999_999_999)
  .optional()
  .meta({ openapi: { type: 'integer', minimum: 1, maximum: 999_999_999 } });

/** Returns the routes that read protocols. */
export const protocolReads = ({ reader }: RouteContext): readonly Route[] => [
  get('/protocols', {
    access: { who: approvedUsers, personal: false },
    name: 'listProtocols',
    summary: 'Lists protocols, oldest first',
    query: z.object({ institutionId: idFilter, name: nameFilter, ...paging }),
    responses: { 200: pageOf(ProtocolFields) },
    handle: ({ query, readOptions }) => {
      const where = { institutionId: query.institutionId };
      return reader.list({ projection: protocols.name, where, query }, readOptions);
    },
  }),
  get('/protocols/{id}', {
    access: { who: approvedUsers, personal: false },
    name: 'getProtocol',
    summary: 'Reads a protocol',
    responses: { 200: ProtocolFields },
    travelsInTime: true,
    refuses: ['protocol-not-found'],
    handle: ({ params, readOptions }) => reader.read(resource, params.id, readOptions),
  }),
  get('/protocols/{id}/questionnaire', {
    access: { who: approvedUsers, personal: false },
    name: 'getQuestionnaire',
    summary: 'Reads a protocol with a form and its score ranges',
    query: z.object({ version: versionFilter.describe('The version of the form. Default: the latest version.') }),
    responses: { 200: Questionnaire },
    travelsInTime: true,
    refuses: ['protocol-not-found', 'form-not-found'],
    handle: ({ params, query, readOptions }) => reader.read(questionnaireOf(query.version), params.id, readOptions),
  }),
  get('/protocols/{id}/forms', {
    access: { who: approvedUsers, personal: false },
    name: 'listFormVersions',
    summary: "Lists the versions of a protocol's form, newest first, without their questions",
    query: z.object(pagingBy('-createdAt')),
    responses: { 200: pageOf(FormVersion) },
    refuses: ['protocol-not-found'],
    handle: async ({ params: { id }, query, readOptions }) => {
      await reader.read(resource, id, readOptions);
      const where = { protocolId: id };
      return reader.list({ projection: protocols.name, collection: 'formVersions', where, query }, readOptions);
    },
  }),
  get('/protocols/{id}/forms/{formId}', {
    access: { who: approvedUsers, personal: false },
    name: 'getForm',
    summary: 'Reads a form with its questions, options and score ranges',
    responses: { 200: Form },
    travelsInTime: true,
    ignoresUnknownParameters: true,
    refuses: ['protocol-not-found', 'form-not-found'],
    handle: ({ params: { id, formId }, readOptions }) => reader.read(formWith(formId), id, readOptions),
  }),
];

// The revision of the protocol is the ETag of its forms.
export const formWith = (formId: string): Resource<Protocol, Form> => ({
  ...resource,
  show: (state) => formOf(state, formId),
  fromViews: (views, id) =>
    views.getPart({ collection: 'protocols', id }, { collection: 'forms', id: formDocumentId(id, formId) }),
});

// Reads the protocol first, so that its revision (the ETag) is never newer than the form in the response.
const questionnaireOf = (version: number | undefined): Resource<Protocol, z.infer<typeof Questionnaire>> => ({
  ...resource,
  fromViews: async (views, id) => {
    const root = await views.get('protocols', id);
    const form = root && (await views.newest('forms', formsOf(id, version)));
    if (root === undefined || (form === undefined && version !== undefined)) return undefined;
    const scoreRanges = JSON.stringify(form?.value.scoreRanges ?? []);
    const text = `{"protocol":${root.body},"form":${form?.body ?? 'null'},"scoreRanges":${scoreRanges}}`;
    return new Read(text, root.revision);
  },
  show: (state) => {
    const fields = protocolFields(state);
    const form = version === undefined ? latestFormOf(state) : formOfVersion(state, version);
    return { protocol: fields, form, scoreRanges: form?.scoreRanges ?? [] };
  },
});

const formsOf = (protocolId: string, version: number | undefined): Readonly<Record<string, string>> =>
  version === undefined ? { protocolId } : { version: formVersionOf(protocolId, version) };
