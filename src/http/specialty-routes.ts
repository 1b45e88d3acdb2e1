// The catalogue of specialties: endpoint 20 of the contract, and what stands beside it.
import { z } from 'zod';
import { folded } from '../domain/fields.js';
import {
  type Specialty as SpecialtyState,
  specialty,
  specialtyCommands,
  specialtyFields,
} from '../domain/specialty.js';
import { specialties } from '../projections/specialties.js';
import type { Resource } from './reading.js';
import { get, post, put, type Route } from './route.js';
import { enabledFilter, nameFilter, pageOf, paging, Specialty } from './schemas.js';
import { type Service, written } from './service.js';

const example = { name: 'Cardiology', description: 'The heart and the vessels', enabled: true };
const description = 'The name is unique without case and accents.';

/** The routes of specialties. */
export const specialtyRoutes = (service: Service): readonly Route[] => [
  post('/specialties', {
    summary: 'Creates a specialty',
    description,
    body: specialtyCommands.CreateSpecialty,
    example,
    answers: { 201: Specialty },
    problems: [409],
    handle: async ({ body, by }) => {
      const outcome = await service.handle(specialty, 'new', { type: 'CreateSpecialty', data: body }, by);
      return { ...written(outcome, specialtyFields(outcome.state)), location: `/specialties/${outcome.id}` };
    },
  }),
  put('/specialties/{id}', {
    summary: 'Revises a specialty',
    description: `A field that is absent stays as it is, null clears it. ${description}`,
    body: specialtyCommands.ReviseSpecialty,
    example,
    answers: { 200: Specialty },
    problems: [409],
    handle: async ({ params, body, by }) => {
      const outcome = await service.handle(specialty, params.id, { type: 'ReviseSpecialty', data: body }, by);
      return written(outcome, specialtyFields(outcome.state));
    },
  }),
  get('/specialties', {
    summary: 'Lists specialties by ascending creation',
    description: 'Those that are not enabled, which a sign-up may have added, are shown to administrators alone.',
    query: z.object({ name: nameFilter, enabled: enabledFilter, ...paging }),
    answers: { 200: pageOf(Specialty) },
    handle: async ({ query: { name, enabled, cursor, limit }, asked, seesAll }) => {
      const where = shown(enabled, seesAll);
      if (where === undefined) return { json: JSON.stringify({ items: [], nextCursor: null }) };
      const query = {
        collection: 'specialties',
        where,
        prefix: name === undefined ? {} : { name: folded(name) },
        order: 'oldest-first',
        after: cursor,
        limit,
      } as const;
      return service.reader.list(specialties.name, query, asked);
    },
  }),
  get('/specialties/{id}', {
    summary: 'Reads a specialty',
    answers: { 200: Specialty },
    travelsInTime: true,
    handle: ({ params, asked }) => service.reader.one(specialtyOf(service, params.id), asked),
  }),
];

/** Which of the enabled and the others are listed, as they were asked for; undefined: none. */
const shown = (enabled: string | undefined, seesAll: boolean): Readonly<Record<string, string>> | undefined => {
  if (seesAll) return enabled === undefined ? {} : { enabled };
  return enabled === 'false' ? undefined : { enabled: 'true' };
};

const specialtyOf = ({ views }: Service, id: string): Resource<SpecialtyState> => ({
  decider: specialty,
  id,
  projection: specialties.name,
  fromViews: async () => {
    const document = await views.get('specialties', id);
    return document && { json: document.body, revision: document.revision };
  },
  fromState: specialtyFields,
});
