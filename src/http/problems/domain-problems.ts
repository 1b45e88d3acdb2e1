// The problems of domain errors, with their status. `problem-kinds.ts` contains all problems.
import { z } from 'zod';
import { evidenceLimit } from '../../audit/signed-streams.js';
import type { DomainErrorCode, Refusals } from '../../domain/errors.js';
import { unityLimit } from '../../domain/institution.js';
import { formLimits, ResponseType } from '../../domain/protocol/form.js';
import { approvalStatuses } from '../../domain/user/state.js';
import { profileLimit } from '../../domain/user/user.js';
import type { Kind, Saying } from './problem-kind.js';

const id = z.uuid();
const anId = '018f4c3e-7a11-7b02-8f00-1a2b3c4d5e6f';
const limit = (what: string) => z.int().min(1).describe(`The maximum number of ${what}.`);

/** The problems by domain error code. The details of an error become members of the problem document. */
type Refusing = { readonly [C in DomainErrorCode]: Kind & Saying<Refusals[C]> };

export const domainProblems = {
  'protocol-not-found': {
    status: 404,
    title: 'No such protocol',
    detail: 'Check the id. GET /protocols lists all protocols.',
  },
  'form-not-found': {
    status: 404,
    title: 'No such form of this protocol',
    detail: 'GET /protocols/{id}/forms lists the form versions of the protocol.',
    members: { formId: id.optional(), version: z.int().optional().describe('The requested version.') },
    example: { formId: anId },
  },
  'question-not-found': {
    status: 404,
    title: 'No such question in this protocol',
    detail: 'Read the form again. Replacing a questionnaire can change the ids.',
    members: { questionId: id },
    example: { questionId: anId },
  },
  'option-not-found': {
    status: 404,
    title: 'No such option in this protocol',
    detail: 'Read the form again. Replacing a questionnaire can change the ids.',
    members: { optionId: id },
    example: { optionId: anId },
  },
  'institution-not-found': {
    status: 404,
    title: 'No such institution',
    detail: 'Check the id. GET /institutions lists all institutions.',
  },
  'unity-not-found': {
    status: 404,
    title: 'No such unity of this institution',
    detail: 'GET /institutions/{id}/unities lists the unities of the institution.',
    members: { unityId: id },
    example: { unityId: anId },
  },
  'user-not-found': { status: 404, title: 'No such user', detail: 'Check the id. GET /users lists all users.' },
  'user-taken': {
    status: 409,
    title: 'Another user has this e-mail or document',
    detail:
      'E-mail addresses are compared without case, and documents by their letters and digits. A value that `errors` lists as reserved becomes free or taken within a minute.',
    errors: [{ pointer: '/auth/email', code: 'taken', message: 'belongs to another user' }],
  },
  'user-erased': {
    status: 410,
    title: 'The personal data of this user was erased',
    detail: 'The user can no longer be changed. If the person comes back, register a new user.',
    members: { userId: id },
    example: { userId: anId },
  },
  'profile-not-found': {
    status: 404,
    title: 'No such profile of this user',
    detail: 'GET /users/{id} shows the profiles of the user.',
    members: { profileId: id },
    example: { profileId: anId },
  },
  'profile-not-rejected': {
    status: 409,
    title: 'The profile is not rejected',
    detail: 'Only a rejected profile can be resubmitted. Read the profile for its current status.',
    members: { profileId: id, approvalStatus: z.enum(approvalStatuses).describe('The status of the profile.') },
    example: { profileId: anId, approvalStatus: 'ANALYSING' },
  },
  'email-not-pending': {
    status: 409,
    title: 'The contact address has changed',
    detail:
      'The contact address was changed after this code was sent. Redeem the code that was sent to the new address.',
    members: { userId: id },
    example: { userId: anId },
  },
  'last-administrator': {
    status: 409,
    title: 'This is the last enabled administrator',
    detail: 'Approve another administrator first. Without an administrator, no profile could be approved.',
    members: { userId: id },
    example: { userId: anId },
  },
  'own-profile': {
    status: 403,
    title: 'Users cannot decide on their own profiles',
    detail: 'Ask another administrator.',
    members: { profileId: id },
    example: { profileId: anId },
  },
  'own-enabling': {
    status: 403,
    title: 'Users cannot enable themselves',
    detail: 'Your user was disabled. Ask an administrator.',
    members: { userId: id },
    example: { userId: anId },
  },
  'too-many-profiles': {
    status: 409,
    title: 'Too many profiles',
    detail: 'A user can have at most 20 profiles.',
    members: { limit: limit('profiles of a user') },
    example: { limit: profileLimit },
  },
  'specialty-not-found': {
    status: 404,
    title: 'No such specialty',
    detail: 'Check the id. GET /specialties lists all specialties.',
  },
  'specialty-name-taken': {
    status: 409,
    title: 'Another specialty has this name',
    detail:
      'Names are compared without case, accents, invisible characters and outer white space. Choose another name. A name that `errors` lists as reserved becomes free or taken within a minute.',
    errors: [{ pointer: '/name', code: 'taken', message: 'is the name of another specialty' }],
  },
  'options-not-taken': {
    status: 409,
    title: 'The question takes no options',
    detail: 'Change the responseType of the question to SELECT, MULTIPLE_SELECT or BOOLEAN first.',
    members: { questionId: id, responseType: ResponseType.describe('The type that takes no options.') },
    example: { questionId: anId, responseType: 'NUMBER' },
  },
  'too-many-questions': {
    status: 409,
    title: 'Too many questions',
    detail: 'A form can have at most 500 questions.',
    members: { limit: limit('questions of a form') },
    example: { limit: formLimits.questions },
  },
  'too-many-options': {
    status: 409,
    title: 'Too many options',
    detail: 'A question can have at most 200 options.',
    members: { limit: limit('options of a question') },
    example: { limit: formLimits.options },
  },
  'too-many-unities': {
    status: 409,
    title: 'Too many unities',
    detail: 'An institution can have at most 1000 unities.',
    members: { limit: limit('unities of an institution') },
    example: { limit: unityLimit },
  },
  'form-too-large': {
    status: 409,
    title: 'The form is too large',
    detail:
      'A form can have at most `limit` bytes (900 KiB), including the ids of its items; this form would have `bytes`. Shorten its texts and metadata, or split the form.',
    members: {
      limit: limit('bytes of a form, as JSON with the ids of its items'),
      bytes: z.int().min(1).describe('The size that the form would have, in bytes.'),
    },
    example: { limit: formLimits.formBytes, bytes: 1_012_345 },
  },
  'evidence-too-large': {
    status: 409,
    title: 'The user has too many events for evidence',
    detail:
      'Evidence contains at most `limit` events of a user. Send an earlier `asOf`, or ask the operator for a bundle of the whole log (`npm run cli -- audit export DIRECTORY`), which the same verifier checks.',
    members: { limit: limit('events of a user in evidence') },
    example: { limit: evidenceLimit },
  },
  'fields-refused': {
    status: 400,
    title: 'The request is not valid',
    detail: 'Nothing was stored. Correct the faults in `errors` and send the request again.',
    members: {
      knownParameters: z
        .array(z.string())
        .optional()
        .describe('The query parameters of this path. Present if the request has unknown parameters.'),
    },
    errors: [
      { pointer: '/questions/0/options/1/score', code: 'required', message: 'is required' },
      { parameter: 'limit', code: 'too-big', message: 'Too big: expected number to be <=200' },
    ],
  },
} satisfies Refusing;
