// The routes of the catalogue of specialties: endpoint 20 of the contract, and related routes.
import { z } from 'zod';
import { DomainError } from '../../../domain/errors.js';
import { SpecialtyFields, specialty, specialtyCommands, specialtyFields } from '../../../domain/specialty.js';
import { specialties } from '../../../projections/specialties.js';
import { administrators, anyone } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { nameFilter, pageOf, pageResult, paging } from '../../route/paging.js';
import { documentsOf } from '../../route/reading.js';
import { get, post, put, type Route } from '../../route/route.js';

const example = { name: 'Cardiology', description: 'The heart and the vessels', enabled: true };
const resource = { ...documentsOf('specialties'), decider: specialty, show: specialtyFields };
const description = 'The name must be unique, ignoring case and the accents of Latin and Greek letters.';

export const specialtyRoutes = (app: RouteContext): readonly Route[] => [
  post('/specialties', {
    access: { who: administrators, personal: false },
    name: 'createSpecialty',
    summary: 'Creates a specialty',
    description,
    body: specialtyCommands.CreateSpecialty,
    example,
    responses: { 201: SpecialtyFields },
    kind: 'creation',
    refuses: ['specialty-name-taken'],
    handle: ({ body, by }) => app.write(resource, 'new', { type: 'CreateSpecialty', data: body }, by),
  }),
  put('/specialties/{id}', {
    access: { who: administrators, personal: false },
    name: 'updateSpecialty',
    summary: 'Revises a specialty',
    description: `Absent fields stay unchanged; null clears a field. ${description}`,
    body: specialtyCommands.ReviseSpecialty,
    example,
    responses: { 200: SpecialtyFields },
    refuses: ['specialty-not-found', 'specialty-name-taken'],
    handle: ({ params, body, by }) => app.write(resource, params.id, { type: 'ReviseSpecialty', data: body }, by),
  }),
  get('/specialties', {
    access: { who: anyone, personal: false },
    name: 'listSpecialties',
    summary: 'Lists specialties, oldest first',
    description: 'Only administrators see disabled specialties, which a sign-up may have added.',
    query: z.object({ name: nameFilter, enabled: z.enum(['true', 'false']).optional(), ...paging }),
    responses: { 200: pageOf(SpecialtyFields) },
    handle: async ({ query, readOptions, seesAll }) => {
      if (seesAll) {
        const where = { enabled: query.enabled };
        return app.reader.list({ projection: specialties.name, where, query }, readOptions);
      }
      const total = query.total === 'true' ? { total: 0 } : {};
      const { enabled, ...visible } = query;
      if (enabled === 'false') return pageResult({ items: '[]', nextCursor: undefined, members: total });
      const where = { enabled: 'true' };
      return app.reader.list({ projection: specialties.name, where, query: visible }, readOptions);
    },
  }),
  get('/specialties/{id}', {
    access: { who: anyone, personal: false },
    name: 'getSpecialty',
    summary: 'Reads a specialty',
    description: 'Only administrators can read a disabled specialty.',
    responses: { 200: SpecialtyFields },
    travelsInTime: true,
    refuses: ['specialty-not-found'],
    handle: async ({ params, readOptions, seesAll }) => {
      const result = await app.reader.read(resource, params.id, readOptions);
      if (seesAll) return result;
      // A specialty that was disabled later must not be shown in its earlier state either.
      const current =
        readOptions.asOf === undefined
          ? result
          : await app.reader.read(resource, params.id, { ...readOptions, asOf: undefined });
      if (![result, current].every(({ value }) => value.enabled)) throw new DomainError('specialty-not-found', {});
      return result;
    },
  }),
];
