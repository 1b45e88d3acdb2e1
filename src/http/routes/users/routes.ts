// The routes of users: endpoints 11, 12 and 15 of the contract, and related reads.
import { z } from 'zod';
import { phoneNumberOf } from '../../../auth/codes/contacts.js';
import { type LoadInstitution, namedUser } from '../../../commands/attachment-names.js';
import { specialtiesNamed, specialtyNamed } from '../../../commands/specialties.js';
import { ownerOf } from '../../../commands/uniqueness.js';
import { comparableDocument, comparableEmail } from '../../../domain/comparable.js';
import { DomainError, type FieldError } from '../../../domain/errors.js';
import { emailAddress, text, uuid } from '../../../domain/fields.js';
import { type User, UserFields, userOf } from '../../../domain/user/state.js';
import { user } from '../../../domain/user/user.js';
import { eraseUser } from '../../../operations/erase-user.js';
import { users } from '../../../projections/users.js';
import { administrators, selfOrAdministrators, selfOrOverseers, signedIn } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { idFilter, nameFilter, pageOf, paging } from '../../route/paging.js';
import { documentsOf } from '../../route/reading.js';
import { del, get, post, put, type Route } from '../../route/route.js';
import { changedUser, registeredUser, userResult } from './changed.js';
import { DocumentValidation, examineDocument } from './documents.js';
import { doctor, exampleUserId, revision } from './examples.js';
import { Doctor, ErasureReason, impossiblePhone, RevisedUser } from './schemas.js';

const show = (state: User, load: LoadInstitution) => namedUser(userOf(state), load);
const resource = { ...documentsOf('users'), decider: user, show, showsUsers: true };

const NO_REASON = 'no reason was given';
// Shorter than the time that clients wait for a response.
const ERASURE_MS = 8_000;

export const userRoutes = (app: RouteContext): readonly Route[] => [
  post('/users/doctor', {
    access: { who: administrators, personal: true },
    name: 'createDoctor',
    summary: 'Creates a doctor who signs in with e-mail and password',
    description:
      'Profiles are ANALYSING, and have the type DOCTOR_GENERALIST by default. The doctor gets a message with a code for setting a new password.',
    body: Doctor,
    example: doctor,
    responses: { 200: UserFields },
    kind: 'creation',
    documentedHeaders: ['Message-Withheld'],
    refuses: ['user-taken', 'too-many-passwords'],
    handle: async ({ body: { auth, profiles, ...person }, client: { language }, by }) => {
      const lists = profiles.map(({ specialties }, n) => ({
        named: specialties,
        path: ['profiles', n, 'specialties'],
      }));
      const found = await specialtiesNamed(specialtyNamed(app), lists);
      const data = {
        ...person,
        email: auth.email,
        enabled: true,
        acceptedTerms: false,
        profiles: profiles.map((profile, index) => ({ ...profile, specialties: [...(found[index] ?? [])] })),
      };
      const registering = app.auth.contactChanges.register({ data, password: auth.password }, { language, by });
      return registeredUser(app.streams, registering);
    },
  }),
  put('/users/{id}', {
    access: { who: selfOrAdministrators, personal: true },
    name: 'updateUser',
    summary: 'Revises a user',
    description:
      'Absent fields stay unchanged; null or an empty text clears gender, document, birthDate, dialingCode and phone. A new e-mail becomes the contact address and gets a code. The user keeps signing in with the previous address until POST /auth-service/activate redeems the code.',
    body: RevisedUser,
    example: revision,
    responses: { 200: UserFields },
    documentedHeaders: ['Message-Withheld'],
    refuses: [
      'user-not-found',
      'user-taken',
      'user-erased',
      'own-enabling',
      'last-administrator',
      'personal-key-missing',
    ],
    handle: async ({ params, body: { id, createdAt: _, updatedAt: __, ...data }, client: { language }, by }) => {
      if (id !== undefined && id !== params.id) {
        throw refused({ path: ['id'], code: 'mismatch', message: 'must be the id in the path' });
      }
      await phoneMustExist(app, params.id, data);
      return changedUser(app.streams, await app.auth.contactChanges.revise(params.id, data, { language, by }));
    },
  }),
  del('/users/{id}/personal-data', {
    access: { who: administrators, personal: true, maxAuthAgeS: 300 },
    name: 'erasePersonalData',
    summary: 'Erases the personal data of a user',
    description:
      'Deletes the key of the personal fields in the log, ends the sign-in and clears the read models. The history of decisions stays. This cannot be undone.',
    body: ErasureReason,
    example: { reason: 'Requested by the person' },
    responses: { 200: UserFields },
    refuses: ['user-not-found', 'last-administrator', 'erasure-unfinished'],
    handle: async ({ params, body, by }) => {
      const erasure = { userId: params.id, reason: body?.reason ?? NO_REASON, timeoutMs: ERASURE_MS };
      const outcome = await eraseUser(app, erasure, by);
      // The response contains no personal data.
      return { ...(await userResult(app.streams, outcome)), made: [] };
    },
  }),
  post('/users/validation/docs', {
    access: { who: signedIn, personal: true },
    name: 'validateDocument',
    summary: 'Validates a document for a user',
    description:
      'A document of eleven digits is a CPF; any other document is generic. The faults are `check-digits` (a CPF with wrong check digits), `not-issued` (a CPF of eleven equal digits), `blank` and `taken`. For an invalid or a taken document, the response is still 200 and lists the faults.',
    body: z.object({
      document: text(100),
      userId: uuid()
        .nullish()
        .describe('The user whose document this is. The document may already belong to this user.'),
    }),
    example: { document: '529.982.247-25', userId: exampleUserId },
    responses: { 200: DocumentValidation },
    kind: 'action',
    handle: async ({ body: { document, userId } }) => {
      const { kind, errors } = examineDocument(document);
      const compared = comparableDocument(document);
      const owner = compared === '' ? undefined : await ownerOf(app, user, { kind: 'user-document', value: compared });
      const isTaken = owner !== undefined && owner !== userId;
      const taken = isTaken ? [{ code: 'taken', message: 'belongs to another user' }] : [];
      const available = compared !== '' && !isTaken;
      const result = { document, kind, valid: errors.length === 0, available, errors: [...errors, ...taken] };
      return { body: JSON.stringify(result) };
    },
  }),
  get('/users', {
    access: { who: administrators, personal: true },
    name: 'listUsers',
    summary: 'Lists users, oldest first',
    query: z.object({
      email: emailAddress().optional().describe('The complete e-mail address. Case does not matter.'),
      name: nameFilter.describe(
        'The start of the first and last name. Case and the accents of Latin and Greek letters do not matter.',
      ),
      institutionId: idFilter,
      unityId: idFilter,
      ...paging,
    }),
    responses: { 200: pageOf(UserFields) },
    handle: ({ query, readOptions }) => {
      const { email, institutionId, unityId } = query;
      const where = { email: email && comparableEmail(email), institutionId, unityId };
      return app.reader.list({ projection: users.name, where, query, showsUsers: true }, readOptions);
    },
  }),
  get('/users/{id}', {
    access: { who: selfOrOverseers, personal: true },
    name: 'getUser',
    summary: 'Reads a user with its profiles',
    description:
      'The names of institutions and unities can change without a change of the ETag, so If-None-Match never matches a user who is attached to one.',
    responses: { 200: UserFields },
    travelsInTime: true,
    refuses: ['user-not-found'],
    handle: ({ params, readOptions }) => app.reader.read(resource, params.id, readOptions),
  }),
];

const refused = (...errors: readonly FieldError[]) => new DomainError('fields-refused', { errors });

interface SentPhone {
  readonly dialingCode?: string | null | undefined;
  readonly phone?: string | null | undefined;
}

/**
 * Rejects a dialing code or phone that does not fit its stored counterpart. If both are sent, the schema has checked
 * them.
 */
const phoneMustExist = async ({ streams }: RouteContext, id: string, sent: SentPhone): Promise<void> => {
  if ((sent.dialingCode === undefined) === (sent.phone === undefined)) return;
  const { state } = await streams.fresh(user, id);
  if (state.status !== 'active') return;
  const { dialingCode = state.fields.dialingCode, phone = state.fields.phone } = sent;
  if (!dialingCode || !phone || phoneNumberOf(dialingCode, phone) !== undefined) return;
  throw refused({ path: ['phone'], ...impossiblePhone });
};
