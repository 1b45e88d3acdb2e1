// The problems of signing in and of tokens, with their status; `problem-kinds.ts` has them among all others.
import { z } from 'zod';
import type { RefusedCode } from '../../auth/refused.js';
import type { Kind } from './problem-kind.js';
import { everyWho } from './who.js';

const refusals = {
  'sign-in-refused': {
    status: 401,
    title: 'Nobody signs in by this e-mail and password',
    detail: 'Check both. Which of them is wrong is not told.',
  },
  'user-disabled': {
    status: 403,
    title: 'This user is disabled',
    detail: 'An administrator can enable it again.',
  },
  'too-many-failures': {
    status: 429,
    title: 'Too many sign-ins failed',
    detail: 'Try again after Retry-After seconds; the password was not looked at.',
  },
  'refresh-refused': {
    status: 401,
    title: 'The refresh token is not valid',
    detail: 'It was spent, or its session has ended. Sign in again.',
  },
  'session-not-found': {
    status: 404,
    title: 'No such session of yours',
    detail: 'It may have ended; GET /auth-service/sessions lists those that go on.',
  },
  'password-change-required': {
    status: 403,
    title: 'The initial password was used before',
    detail:
      'Set a password of your own: ask for a code with POST /auth-service/password/reset-code and redeem it with POST /auth-service/password/reset.',
  },
  'activation-required': {
    status: 403,
    title: 'This user has not proved a contact yet',
    detail:
      'Ask for a code at /auth-service/activation-code, with the `ownerRef` that is told here, and redeem it at /auth-service/activate.',
    members: { ownerRef: z.uuid().describe('What asks for a code: the id of the user.') },
    example: { ownerRef: '018f4c3e-0000-7000-8000-000000000001' },
  },
  'code-refused': {
    status: 400,
    title: 'The code is not valid',
    detail: 'It is wrong, was used before, has expired, or was tried too often. Ask for another one.',
  },
  'too-many-codes': {
    status: 429,
    title: 'Too many codes were asked for',
    detail: 'Ask again after Retry-After seconds.',
  },
  'current-password-refused': {
    status: 403,
    title: 'The current password is another one',
    detail: 'Check it; where it is forgotten, POST /auth-service/password/reset-code has a code sent.',
  },
  'other-user': {
    status: 403,
    title: 'This is for your own user alone',
    detail: 'Leave the id of the user out, or send your own.',
  },
} satisfies Record<RefusedCode, Kind>;

export const signInProblems = {
  ...refusals,
  'token-refused': {
    status: 401,
    title: 'The access token is not valid',
    detail: 'It has expired, its session has ended, or it is none of this service. Refresh it, or sign in again.',
  },
  'sign-in-required': {
    status: 401,
    title: 'This needs a sign-in',
    detail: 'Send the token of a sign-in: Authorization: Bearer <token>.',
  },
  insufficient_user_authentication: {
    status: 401,
    title: 'The sign-in is too old for this request',
    detail:
      'Sign in again at POST /auth-service/auth and send the request with the new token. A refreshed token keeps the time of its sign-in; `max_age` in WWW-Authenticate says how many seconds old a sign-in may be.',
  },
  'not-allowed': {
    status: 403,
    title: 'You may not do this',
    detail: '`allowed` names who may. A role that you were given since is in the token of the next sign-in or refresh.',
    members: { allowed: z.array(z.enum(everyWho)).describe('The callers that the operation lets in.') },
    example: { allowed: ['self', 'ADMINISTRATOR'] },
  },
  'tokens-refused': {
    status: 401,
    title: 'The tokens cannot be kept or renewed',
    detail:
      'They are missing, not valid, or do not belong together. If the response removes the cookies, sign in again.',
  },
} satisfies Record<string, Kind>;
