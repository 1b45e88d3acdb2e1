// The problems of the refusals of the domain, with their status; `problem-kinds.ts` has them among all others.
import { z } from 'zod';
import type { DomainErrorCode, Refusals } from '../../domain/errors.js';
import { unityLimit } from '../../domain/institution.js';
import { formLimits, ResponseType } from '../../domain/protocol/form.js';
import { approvalStatuses } from '../../domain/user/state.js';
import { profileLimit } from '../../domain/user/user.js';
import type { Kind, Saying } from './problem-kind.js';

const id = z.uuid();
const anId = '018f4c3e-7a11-7b02-8f00-1a2b3c4d5e6f';
const limit = (what: string) => z.int().min(1).describe(`The most ${what}.`);

/** What the problem of a refusal says: its details are members of the problem document. */
type Refusing = { readonly [C in DomainErrorCode]: Kind & Saying<Refusals[C]> };

export const domainProblems = {
  'protocol-not-found': {
    status: 404,
    title: 'No such protocol',
    detail: 'Check the id; GET /protocols lists what there is.',
  },
  'form-not-found': {
    status: 404,
    title: 'No such form of this protocol',
    detail: 'GET /protocols/{id}/forms lists its versions.',
    members: { formId: id.optional(), version: z.int().optional().describe('The version that was asked for.') },
    example: { formId: anId },
  },
  'question-not-found': {
    status: 404,
    title: 'No such question in this protocol',
    detail: 'Read the form again: a replaced questionnaire gives new ids.',
    members: { questionId: id },
    example: { questionId: anId },
  },
  'option-not-found': {
    status: 404,
    title: 'No such option in this protocol',
    detail: 'Read the form again: a replaced questionnaire gives new ids.',
    members: { optionId: id },
    example: { optionId: anId },
  },
  'institution-not-found': {
    status: 404,
    title: 'No such institution',
    detail: 'Check the id; GET /institutions lists what there is.',
  },
  'unity-not-found': {
    status: 404,
    title: 'No such unity of this institution',
    detail: 'GET /institutions/{id}/unities lists its unities.',
    members: { unityId: id },
    example: { unityId: anId },
  },
  'user-not-found': { status: 404, title: 'No such user', detail: 'Check the id; GET /users lists who there is.' },
  'user-taken': {
    status: 409,
    title: 'Another user has this e-mail or document',
    detail:
      'An e-mail is compared without case, a document by its letters and digits. What `errors` calls reserved is decided within a minute.',
    errors: [{ pointer: '/auth/email', code: 'taken', message: 'belongs to another user' }],
  },
  'user-erased': {
    status: 410,
    title: 'The personal data of this user were erased',
    detail: 'Nothing can be changed any more. A person who comes back is registered anew.',
    members: { userId: id },
    example: { userId: anId },
  },
  'profile-not-found': {
    status: 404,
    title: 'No such profile of this user',
    detail: 'GET /users/{id} shows its profiles.',
    members: { profileId: id },
    example: { profileId: anId },
  },
  'profile-not-rejected': {
    status: 409,
    title: 'The profile is not rejected',
    detail: 'Only a rejected profile is sent again; read it to see where it stands.',
    members: { profileId: id, approvalStatus: z.enum(approvalStatuses).describe('The status of the profile.') },
    example: { profileId: anId, approvalStatus: 'ANALYSING' },
  },
  'email-not-pending': {
    status: 409,
    title: 'Not the contact address any more',
    detail:
      'The contact address was changed after this code was sent. Redeem the code that was sent to the new address.',
    members: { userId: id },
    example: { userId: anId },
  },
  'last-administrator': {
    status: 409,
    title: 'The last enabled administrator',
    detail: 'Approve another administrator first. Without one nobody could approve anybody.',
    members: { userId: id },
    example: { userId: anId },
  },
  'own-profile': {
    status: 403,
    title: 'Nobody decides on their own profile',
    detail: 'Ask another administrator.',
    members: { profileId: id },
    example: { profileId: anId },
  },
  'own-enabling': {
    status: 403,
    title: 'Nobody enables themselves again',
    detail: 'You were disabled just now. Ask an administrator.',
    members: { userId: id },
    example: { userId: anId },
  },
  'too-many-profiles': {
    status: 409,
    title: 'The user is full',
    detail: 'A user holds at most 20 profiles.',
    members: { limit: limit('profiles of a user') },
    example: { limit: profileLimit },
  },
  'specialty-not-found': {
    status: 404,
    title: 'No such specialty',
    detail: 'Check the id; GET /specialties lists what there is.',
  },
  'specialty-name-taken': {
    status: 409,
    title: 'Another specialty has this name',
    detail:
      'Case and accents make no other name. Choose another one; one that `errors` calls reserved is decided within a minute.',
    errors: [{ pointer: '/name', code: 'taken', message: 'is the name of another specialty' }],
  },
  'options-not-taken': {
    status: 409,
    title: 'The question takes no options',
    detail: 'Change its responseType to SELECT, MULTIPLE_SELECT or BOOLEAN first.',
    members: { questionId: id, responseType: ResponseType.describe('The type that takes no options.') },
    example: { questionId: anId, responseType: 'NUMBER' },
  },
  'too-many-questions': {
    status: 409,
    title: 'The form is full',
    detail: 'A form holds at most 500 questions.',
    members: { limit: limit('questions of a form') },
    example: { limit: formLimits.questions },
  },
  'too-many-options': {
    status: 409,
    title: 'The question is full',
    detail: 'A question holds at most 200 options.',
    members: { limit: limit('options of a question') },
    example: { limit: formLimits.options },
  },
  'too-many-unities': {
    status: 409,
    title: 'The institution is full',
    detail: 'An institution holds at most 1000 unities.',
    members: { limit: limit('unities of an institution') },
    example: { limit: unityLimit },
  },
  'form-too-large': {
    status: 409,
    title: 'The form is too large',
    detail:
      'A form holds at most `limit` bytes (900 KiB) with the ids of its items; it would hold `bytes`. Shorten its texts and metadata, or split the form.',
    members: {
      limit: limit('bytes of a form, as JSON with the ids of its items'),
      bytes: z.int().min(1).describe('The bytes that the form would have.'),
    },
    example: { limit: formLimits.formBytes, bytes: 1_012_345 },
  },
  'fields-refused': {
    status: 400,
    title: 'The request is not valid',
    detail: 'Correct what `errors` names and send it again; nothing was stored.',
    members: {
      knownParameters: z
        .array(z.string())
        .optional()
        .describe('The query parameters that the address takes, if the request has others.'),
    },
    errors: [
      { pointer: '/questions/0/options/1/score', code: 'required', message: 'is required' },
      { parameter: 'limit', code: 'too-big', message: 'must be at most 200' },
    ],
  },
} satisfies Refusing;
