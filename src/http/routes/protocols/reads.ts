// The routes that read protocols and their forms.
import { z } from 'zod';
import { present } from '../../../domain/fields.js';
import { currentFormOf, formOf, formOfVersion, latestFormOf, type Protocol } from '../../../domain/protocol/fold.js';
import { Form, FormStatus, FormVersion, ProtocolFields } from '../../../domain/protocol/schemas.js';
import { formPage } from '../../../projections/listed-forms.js';
import { formDocumentId, institutionValueOf, protocols } from '../../../projections/protocols.js';
import { approvedUsers } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { Read } from '../../route/documents.js';
import {
  idFilter,
  integerText,
  nameFilter,
  nextCursor,
  pageOf,
  pageResult,
  pages,
  paging,
  pagingBy,
} from '../../route/paging.js';
import type { Resource } from '../../route/reading.js';
import { get, type Route } from '../../route/route.js';
import { protocolFields, resource } from './shown.js';

const Questionnaire = z
  .object({ protocol: ProtocolFields, form: Form.nullable(), scoreRanges: Form.shape.scoreRanges })
  .meta({ id: 'Questionnaire' });

const ListedForm = FormVersion.extend({
  protocol: ProtocolFields.pick({ id: true, name: true, institutionId: true })
    .describe('The protocol of the form.')
    .meta({ id: 'ListedFormProtocol' }),
}).meta({ id: 'ListedForm' });

const FormPage = z
  .object({
    items: z
      .array(ListedForm)
      .describe('A page may have fewer forms than `limit`, even before the end, because it examines at most 10,000.'),
    nextCursor,
  })
  .meta({ id: 'ListedFormPage' });

const archivedFilter = z
  .enum(['true', 'false'])
  .optional()
  .describe('`true` lists only archived protocols. Default: only protocols that are not archived.');

const versionFilter = integerText(1, 999_999_999)
  .optional()
  .meta({ openapi: { type: 'integer', minimum: 1, maximum: 999_999_999 } });

/** Returns the routes that read protocols. */
export const protocolReads = ({ reader, views, walks }: RouteContext): readonly Route[] => [
  get('/protocols', {
    access: { who: approvedUsers, personal: false },
    name: 'listProtocols',
    summary: 'Lists protocols, oldest first',
    query: z.object({ institutionId: idFilter, name: nameFilter, archived: archivedFilter, ...paging }),
    responses: { 200: pageOf(ProtocolFields) },
    handle: ({ query, readOptions }) => {
      const { institutionId: of, archived = 'false' } = query;
      const where = of === undefined ? { archived } : { institutionId: institutionValueOf(of, archived === 'true') };
      return reader.list({ projection: protocols.name, where, query }, readOptions);
    },
  }),
  get('/forms', {
    access: { who: approvedUsers, personal: false },
    name: 'listForms',
    summary: 'Lists the forms of all protocols that are not archived, oldest first, without their questions',
    query: z.object({
      status: FormStatus.optional(),
      institutionId: idFilter,
      name: nameFilter.describe('The beginning of the name of the protocol; case and accents do not matter.'),
      ...pages,
    }),
    responses: { 200: FormPage },
    refuses: ['busy'],
    handle: async ({ query: { cursor: after, limit, ...filter }, readOptions }) => {
      await reader.caughtUp(protocols.name, readOptions.consistency);
      const places = { after, limit, inPlaces: <T>(pages: AsyncIterable<T>) => walks.pages(readOptions.walker, pages) };
      const { items, next } = await formPage(views, filter, places);
      return pageResult({ items: JSON.stringify(items), nextCursor: await reader.cursorOf(next, readOptions) });
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
    query: z.object({ status: FormStatus.optional(), ...pagingBy('-createdAt') }),
    responses: { 200: pageOf(FormVersion) },
    refuses: ['protocol-not-found'],
    handle: async ({ params: { id }, query, readOptions }) => {
      await reader.caughtUp(protocols.name, readOptions.consistency);
      await reader.read(resource, id, readOptions);
      const where = { protocolId: id, status: query.status };
      return reader.list({ projection: protocols.name, collection: 'formVersions', where, query }, readOptions);
    },
  }),
  // Before the route of `{formId}`, so that `current` is not taken for an id.
  get('/protocols/{id}/forms/current', {
    access: { who: approvedUsers, personal: false },
    name: 'getCurrentForm',
    summary: 'Reads the published form with the highest version',
    responses: { 200: Form },
    travelsInTime: true,
    refuses: ['protocol-not-found', 'no-published-form'],
    handle: ({ params, readOptions }) => reader.read(currentForm, params.id, readOptions),
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

// The resources of forms read the protocol first, and the form after its revision, so that the revision (the ETag) is never
// newer than the form.

export const formWith = (formId: string): Resource<Protocol, Form> => ({
  ...resource,
  show: (state) => formOf(state, formId),
  fromViews: async (views, id) => {
    const root = await views.get('protocols', id);
    const form = root && (await views.get('forms', formDocumentId(id, formId), root.revision));
    return form && new Read<Form>(form.body, root.revision);
  },
});

const currentForm: Resource<Protocol, Form> = {
  ...resource,
  show: currentFormOf,
  fromViews: async (views, id) => {
    const root = await views.get('protocols', id);
    const form = root && (await views.newest('forms', { protocolId: id, status: 'PUBLISHED' }, root.revision));
    return form && new Read<Form>(form.body, root.revision);
  },
};

const questionnaireOf = (version: number | undefined): Resource<Protocol, z.infer<typeof Questionnaire>> => ({
  ...resource,
  fromViews: async (views, id) => {
    const root = await views.get('protocols', id);
    const where = present({ protocolId: id, version: version?.toString() });
    const form = root && (await views.newest('forms', where, root.revision));
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
