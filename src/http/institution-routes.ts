// Institutions and their unities: endpoints 18 and 19 of the contract, and what stands beside them.
import { z } from 'zod';
import { DomainError } from '../domain/errors.js';
import { folded } from '../domain/fields.js';
import {
  type Institution as InstitutionState,
  institution,
  institutionCommands,
  unityOf,
} from '../domain/institution.js';
import { institutions } from '../projections/institutions.js';
import type { Resource } from './reading.js';
import { get, post, put, type Route } from './route.js';
import { Institution, nameFilter, pageOf, paging, Unity } from './schemas.js';
import { type Service, written } from './service.js';

const fieldsOf = (state: InstitutionState) => {
  if (state.status === 'unknown') throw new DomainError('institution-not-found', {});
  return state.fields;
};

const example = {
  name: 'Hospital São Lucas',
  document: '12.345.678/0001-95',
  email: 'contact@hospital.example',
  phone: '+55 11 4002-8922',
  address: 'Rua das Flores, 100, São Paulo',
};
const unityExample = { name: 'Emergency', address: 'Ground floor' };

const prefixOf = (name: string | undefined): Record<string, string> =>
  name === undefined ? {} : { name: folded(name) };

/** The routes of institutions. */
export const institutionRoutes = (service: Service): readonly Route[] => [
  post('/institutions', {
    summary: 'Creates an institution, with unities if they are sent',
    body: institutionCommands.CreateInstitution,
    example: { ...example, unities: [unityExample] },
    answers: { 201: Institution },
    handle: async ({ body, by }) => {
      const outcome = await service.handle(institution, 'new', { type: 'CreateInstitution', data: body }, by);
      return { ...written(outcome, fieldsOf(outcome.state)), location: `/institutions/${outcome.id}` };
    },
  }),
  put('/institutions/{id}', {
    summary: 'Revises an institution',
    description: 'A field that is absent stays as it is, null clears it. Unities are revised at their own addresses.',
    body: institutionCommands.ReviseInstitution,
    example,
    answers: { 200: Institution },
    handle: async ({ params, body, by }) => {
      const outcome = await service.handle(institution, params.id, { type: 'ReviseInstitution', data: body }, by);
      return written(outcome, fieldsOf(outcome.state));
    },
  }),
  post('/institutions/{id}/unities', {
    summary: 'Adds a unity to an institution',
    body: institutionCommands.AddUnity,
    example: unityExample,
    answers: { 201: Unity },
    problems: [409],
    handle: async ({ params, body, by }) => {
      const outcome = await service.handle(institution, params.id, { type: 'AddUnity', data: body }, by);
      const added = outcome.events[0] as { data: { unityId: string } } | undefined;
      const unity = unityOf(outcome.state, added?.data.unityId ?? '');
      return { ...written(outcome, unity), location: `/institutions/${params.id}` };
    },
  }),
  put('/institutions/{id}/unities/{unityId}', {
    summary: 'Revises a unity',
    description: 'A field that is absent stays as it is, null clears it.',
    body: institutionCommands.ReviseUnity.omit({ unityId: true }),
    example: unityExample,
    answers: { 200: Unity },
    handle: async ({ params: { id, unityId }, body, by }) => {
      const outcome = await service.handle(institution, id, { type: 'ReviseUnity', data: { unityId, ...body } }, by);
      return written(outcome, unityOf(outcome.state, unityId));
    },
  }),
  get('/institutions', {
    summary: 'Lists institutions by ascending creation',
    query: z.object({ name: nameFilter, ...paging }),
    answers: { 200: pageOf(Institution) },
    handle: ({ query: { name, cursor, limit }, asked }) => {
      const query = {
        collection: 'institutions',
        where: {},
        prefix: prefixOf(name),
        order: 'oldest-first',
        after: cursor,
        limit,
      } as const;
      return service.reader.list(institutions.name, query, asked);
    },
  }),
  get('/institutions/{id}', {
    summary: 'Reads an institution with its unities',
    answers: { 200: Institution },
    travelsInTime: true,
    handle: ({ params, asked }) => service.reader.one(institutionOf(service, params.id), asked),
  }),
  get('/institutions/{id}/unities', {
    summary: 'Lists the unities of an institution by ascending creation',
    query: z.object({ name: nameFilter, ...paging }),
    answers: { 200: pageOf(Unity) },
    handle: async ({ params: { id }, query: { name, cursor, limit }, asked }) => {
      await service.reader.one(institutionOf(service, id), asked);
      const where = { institutionId: id };
      const query = {
        collection: 'unities',
        where,
        prefix: prefixOf(name),
        order: 'oldest-first',
        after: cursor,
        limit,
      } as const;
      return service.reader.list(institutions.name, query, asked);
    },
  }),
];

const institutionOf = ({ views }: Service, id: string): Resource<InstitutionState> => ({
  decider: institution,
  id,
  projection: institutions.name,
  fromViews: async () => {
    const document = await views.get('institutions', id);
    return document && { json: document.body, revision: document.revision };
  },
  fromState: fieldsOf,
});
