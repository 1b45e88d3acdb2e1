// Users: endpoints 11, 12 and 15 of the contract, and the reads beside them.
import { z } from 'zod';
import { registerUser } from '../auth/registration.js';
import { PreconditionFailed } from '../commands/context.js';
import { specialtiesNamed, specialtyNamed } from '../commands/references.js';
import { ownerOf } from '../commands/uniqueness.js';
import { comparableDocument, comparableEmail } from '../domain/contact.js';
import { DomainError, type FieldError } from '../domain/errors.js';
import { folded } from '../domain/fields.js';
import { user } from '../domain/user.js';
import { type User as UserState, userOf } from '../domain/user-state.js';
import { users } from '../projections/users.js';
import { examineDocument } from './documents.js';
import { eraseUser } from './erasure.js';
import { phoneExists } from './phones.js';
import type { Resource } from './reading.js';
import { del, get, post, put, type Route } from './route.js';
import { idFilter, nameFilter, pageOf, paging } from './schemas.js';
import { type Service, written } from './service.js';
import { inAuth } from './taken.js';
import { doctor, revision, somebody } from './user-examples.js';
import {
  Doctor,
  DocumentValidation,
  ErasureReason,
  impossiblePhone,
  QuestionedDocument,
  RevisedUser,
  User,
} from './user-schemas.js';

const UNSAID = 'no reason was given';
// Within the time that a client waits for an answer.
const ERASURE_MS = 8_000;

/** The routes of users. */
export const userRoutes = (service: Service): readonly Route[] => [...writes(service), ...reads(service)];

const writes = (service: Service): readonly Route[] => [
  post('/users/doctor', {
    summary: 'Creates a doctor with a sign-in by e-mail and password',
    description: 'Every profile is ANALYSING, of type DOCTOR_GENERALIST unless it names another.',
    body: Doctor,
    example: doctor,
    answers: { 200: User },
    handle: async ({ body: { auth, profiles, ...person }, by }) => {
      const lists = profiles.map(({ specialties }, n) => ({
        named: specialties,
        path: ['profiles', n, 'specialties'],
      }));
      const found = await specialtiesNamed(specialtyNamed(service), lists);
      const data = {
        ...person,
        email: auth.email,
        enabled: true,
        acceptedTerms: false,
        profiles: profiles.map((profile, index) => ({ ...profile, specialties: [...(found[index] ?? [])] })),
      };
      const outcome = await registerUser(service, { data, password: auth.password }, by).catch(inAuth);
      return { ...written(outcome, userOf(outcome.state)), location: `/users/${outcome.id}` };
    },
  }),
  put('/users/{id}', {
    summary: 'Revises a user',
    description:
      'A field that is absent stays as it is; null clears gender, document, birthDate, dialingCode and phone. The e-mail is that of the sign-in, too.',
    body: RevisedUser,
    example: revision,
    answers: { 200: User },
    problems: [403, 410],
    handle: async ({ params, body: { id, createdAt: _, updatedAt: __, ...data }, by }) => {
      if (id !== undefined && id !== params.id) {
        throw refused({ path: ['id'], code: 'mismatch', message: 'is not the id of the path' });
      }
      await phoneMustExist(service, params.id, data);
      const outcome = await service.handle(user, params.id, { type: 'ReviseUser', data }, by);
      return written(outcome, userOf(outcome.state));
    },
  }),
  del('/users/{id}/personal-data', {
    summary: 'Erases the personal data of a user',
    description:
      'Deletes the key of the personal fields in the log, ends the sign-in and clears the read models; the history of decisions stays. It cannot be undone.',
    body: ErasureReason,
    example: { reason: 'Asked for by the person' },
    answers: { 200: User },
    handle: async ({ params, body, by }) => {
      const erasure = { userId: params.id, reason: body?.reason ?? UNSAID, patienceMs: ERASURE_MS };
      const outcome = await eraseUser(service, erasure, by);
      return written(outcome, userOf(outcome.state));
    },
  }),
  post('/users/validation/docs', {
    summary: 'Validates a document for a user',
    description:
      'Eleven digits are a CPF, anything else is generic. An invalid or a taken document is an answer, not an error.',
    body: QuestionedDocument,
    example: { document: '529.982.247-25', userId: somebody },
    answers: { 200: DocumentValidation },
    recordsNothing: true,
    handle: async ({ body: { document, userId }, by }) => {
      // There is no state of it that an ETag could name.
      if (by.precondition !== undefined) throw new PreconditionFailed(-1);
      const { kind, faults } = examineDocument(document);
      const compared = comparableDocument(document);
      const isTaken = compared !== '' && (await isDocumentTaken(service, compared, userId));
      const errors = [...faults, ...(isTaken ? [{ code: 'taken', message: 'another user has it' }] : [])];
      const available = compared !== '' && !isTaken;
      return { json: JSON.stringify({ document, kind, valid: faults.length === 0, available, errors }) };
    },
  }),
];

const reads = (service: Service): readonly Route[] => [
  get('/users', {
    summary: 'Lists users by ascending creation',
    query: z.object({
      email: z.email().max(320).optional().describe('The whole address; case does not matter.'),
      name: nameFilter.describe('The beginning of first and last name; case and accents do not matter.'),
      institutionId: idFilter,
      unityId: idFilter,
      ...paging,
    }),
    answers: { 200: pageOf(User) },
    handle: ({ query: { email, name, institutionId, unityId, cursor, limit }, asked }) => {
      const where = {
        ...(email !== undefined && { email: comparableEmail(email) }),
        ...(institutionId !== undefined && { institutionId }),
        ...(unityId !== undefined && { unityId }),
      };
      const prefix: Record<string, string> = name === undefined ? {} : { name: folded(name) };
      const query = { collection: 'users', where, prefix, order: 'oldest-first', after: cursor, limit } as const;
      return service.reader.list(users.name, query, asked);
    },
  }),
  get('/users/{id}', {
    summary: 'Reads a user with its profiles',
    answers: { 200: User },
    travelsInTime: true,
    handle: ({ params, asked }) => service.reader.one(userResource(service, params.id), asked),
  }),
];

const userResource = ({ views }: Service, id: string): Resource<UserState> => ({
  decider: user,
  id,
  projection: users.name,
  fromViews: async () => {
    const document = await views.get('users', id);
    return document && { json: document.body, revision: document.revision };
  },
  fromState: userOf,
});

const refused = (...errors: readonly FieldError[]) => new DomainError('fields-refused', { errors });

interface SentPhone {
  readonly dialingCode?: string | null | undefined;
  readonly phone?: string | null | undefined;
}

/** Where one of dialing code and phone is sent, it must go with the other as it is; where both are, the schema told. */
const phoneMustExist = async ({ streams }: Service, id: string, sent: SentPhone): Promise<void> => {
  if ((sent.dialingCode === undefined) === (sent.phone === undefined)) return;
  const { state } = await streams.load(user, id);
  if (state.status !== 'active') return;
  const { dialingCode = state.fields.dialingCode, phone = state.fields.phone } = sent;
  if (!dialingCode || !phone || phoneExists(dialingCode, phone)) return;
  throw refused({ path: ['phone'], ...impossiblePhone });
};

/** Whether another user than `except` has this document. */
const isDocumentTaken = async (service: Service, compared: string, except: string | null | undefined) => {
  const owner = await ownerOf(service, user, { what: 'user-document', value: compared });
  return owner !== undefined && owner !== except;
};
