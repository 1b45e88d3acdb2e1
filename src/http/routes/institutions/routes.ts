// The routes of institutions and their unities: endpoints 18 and 19 of the contract, and related routes.
import { z } from 'zod';
import {
  type Institution,
  InstitutionFields,
  institution,
  institutionCommands,
  institutionFields,
  Unity,
  unityOf,
} from '../../../domain/institution.js';
import { institutions } from '../../../projections/institutions.js';
import { administrators, signedIn } from '../../access/access.js';
import { type RouteContext, recordedPayload, writeResult } from '../../route/context.js';
import { nameFilter, pageOf, paging } from '../../route/paging.js';
import { documentsOf } from '../../route/reading.js';
import { get, LARGE_BODY, post, put, type Route } from '../../route/route.js';

const hospital = {
  name: 'Hospital São Lucas',
  document: '12.345.678/0001-95',
  email: 'contact@hospital.example',
  phone: '+55 11 4002-8922',
  address: 'Rua das Flores, 100, São Paulo',
};
const emergency = { name: 'Emergency', address: 'Ground floor' };
const resource = { ...documentsOf('institutions'), decider: institution, show: institutionFields };

export const institutionRoutes = (app: RouteContext): readonly Route[] => [
  post('/institutions', {
    access: { who: administrators, personal: false },
    name: 'createInstitution',
    summary: 'Creates an institution, optionally with unities',
    body: institutionCommands.CreateInstitution,
    bodyLimit: LARGE_BODY,
    example: { ...hospital, unities: [emergency] },
    responses: { 201: InstitutionFields },
    kind: 'creation',
    handle: ({ body, by }) => app.write(resource, 'new', { type: 'CreateInstitution', data: body }, by),
  }),
  put('/institutions/{id}', {
    access: { who: administrators, personal: false },
    name: 'updateInstitution',
    summary: 'Revises an institution',
    description: 'Absent fields stay unchanged; null clears a field. To revise a unity, use its own path.',
    body: institutionCommands.ReviseInstitution,
    bodyLimit: LARGE_BODY,
    example: hospital,
    responses: { 200: InstitutionFields },
    refuses: ['institution-not-found'],
    handle: ({ params, body, by }) => app.write(resource, params.id, { type: 'ReviseInstitution', data: body }, by),
  }),
  post('/institutions/{id}/unities', {
    access: { who: administrators, personal: false },
    name: 'addUnity',
    summary: 'Adds a unity to an institution',
    body: institutionCommands.AddUnity,
    example: emergency,
    responses: { 201: Unity },
    refuses: ['institution-not-found', 'too-many-unities'],
    handle: async ({ params, body, by }) => {
      const outcome = await app.handle(institution, params.id, { type: 'AddUnity', data: body }, by);
      const unity = unityOf(outcome.state, recordedPayload(outcome, 'UnityAdded').unityId);
      return { ...writeResult(outcome, unity), location: `/institutions/${params.id}` };
    },
  }),
  put('/institutions/{id}/unities/{unityId}', {
    access: { who: administrators, personal: false },
    name: 'updateUnity',
    summary: 'Revises a unity',
    description: 'Absent fields stay unchanged; null clears a field.',
    body: institutionCommands.ReviseUnity.omit({ unityId: true }),
    example: emergency,
    responses: { 200: Unity },
    refuses: ['institution-not-found', 'unity-not-found'],
    handle: ({ params: { id, unityId }, body, by }) => {
      const unity = { ...resource, show: (state: Institution) => unityOf(state, unityId) };
      return app.write(unity, id, { type: 'ReviseUnity', data: { unityId, ...body } }, by);
    },
  }),
  get('/institutions', {
    access: { who: signedIn, personal: false },
    name: 'listInstitutions',
    summary: 'Lists institutions, oldest first',
    query: z.object({ name: nameFilter, ...paging }),
    responses: { 200: pageOf(InstitutionFields) },
    handle: ({ query, readOptions }) => app.reader.list({ projection: institutions.name, query }, readOptions),
  }),
  get('/institutions/{id}', {
    access: { who: signedIn, personal: false },
    name: 'getInstitution',
    summary: 'Reads an institution with its unities',
    responses: { 200: InstitutionFields },
    travelsInTime: true,
    refuses: ['institution-not-found'],
    handle: ({ params, readOptions }) => app.reader.read(resource, params.id, readOptions),
  }),
  get('/institutions/{id}/unities', {
    access: { who: signedIn, personal: false },
    name: 'listUnities',
    summary: 'Lists the unities of an institution, oldest first',
    query: z.object({ name: nameFilter, ...paging }),
    responses: { 200: pageOf(Unity) },
    refuses: ['institution-not-found'],
    handle: async ({ params: { id }, query, readOptions }) => {
      await app.reader.caughtUp(institutions.name, readOptions.consistency);
      await app.reader.read(resource, id, readOptions);
      const where = { institutionId: id };
      return app.reader.list({ projection: institutions.name, collection: 'unities', where, query }, readOptions);
    },
  }),
];
