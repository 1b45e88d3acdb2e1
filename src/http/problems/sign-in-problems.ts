// The problems of sign-in and tokens, with their status. `problem-kinds.ts` contains all problems.
import { z } from 'zod';
import type { RefusedCode } from '../../auth/refused.js';
import type { Kind } from './problem-kind.js';
import { callerConditions } from './who.js';

const refusals = {
  'sign-in-refused': {
    status: 401,
    title: 'Wrong e-mail or password',
    detail: 'Check both. The response does not reveal which of them is wrong.',
  },
  'user-disabled': {
    status: 403,
    title: 'This user is disabled',
    detail: 'An administrator can enable the user again.',
  },
  'too-many-failures': {
    status: 429,
    title: 'Too many failed sign-ins',
    detail: 'Try again after Retry-After seconds. The password was not checked.',
  },
  'refresh-refused': {
    status: 401,
    title: 'The refresh token is not valid',
    detail: 'It was already used, or its session has ended. Sign in again.',
  },
  'session-not-found': {
    status: 404,
    title: 'You have no such session',
    detail: 'The session may have ended. GET /auth-service/sessions lists your active sessions.',
  },
  'password-change-required': {
    status: 403,
    title: 'The initial password was already used',
    detail:
      'Set a new password: request a code with POST /auth-service/password/reset-code and redeem it with POST /auth-service/password/reset.',
  },
  'activation-required': {
    status: 403,
    title: 'This user is not activated yet',
    detail:
      'Request a code at /auth-service/activation-code with the `ownerRef` of this response, and redeem it at /auth-service/activate.',
    members: { ownerRef: z.uuid().describe('The id of the user, for requesting a code.') },
    example: { ownerRef: '018f4c3e-0000-7000-8000-000000000001' },
  },
  'code-refused': {
    status: 400,
    title: 'The code is not valid',
    detail:
      'The code is wrong, was already used, has expired, or was attempted too often. The code of a new e-mail address also requires the `password`. Otherwise, request another code.',
  },
  'too-many-codes': {
    status: 429,
    title: 'Too many codes were requested',
    detail: 'Retry after Retry-After seconds.',
  },
  'current-password-refused': {
    status: 403,
    title: 'The current password is wrong',
    detail:
      'Check the password. If the user has forgotten it, request a code with POST /auth-service/password/reset-code.',
  },
  'other-user': {
    status: 403,
    title: 'You can do this only for your own user',
    detail: 'Omit the id of the user, or send your own id.',
  },
} satisfies Record<RefusedCode, Kind>;

export const signInProblems = {
  ...refusals,
  'token-refused': {
    status: 401,
    title: 'The access token is not valid',
    detail:
      'The token has expired, its session has ended, or this service did not issue it. Refresh the token, or sign in again.',
  },
  'sign-in-required': {
    status: 401,
    title: 'Sign-in required',
    detail: 'Send the token of a sign-in: Authorization: Bearer <token>.',
  },
  insufficient_user_authentication: {
    status: 401,
    title: 'The sign-in is too old for this request',
    detail:
      'Sign in again with POST /auth-service/auth and send the request with the new token. Refreshing a token does not change the time of its sign-in. `max_age` in WWW-Authenticate is the maximum age of a sign-in in seconds.',
  },
  'not-allowed': {
    status: 403,
    title: 'You may not do this',
    detail:
      '`allowed` lists the allowed callers. A role that you received recently is in your token after the next sign-in or refresh.',
    members: { allowed: z.array(z.enum(callerConditions)).describe('The callers that the operation allows.') },
    example: { allowed: ['self', 'ADMINISTRATOR'] },
  },
  'tokens-refused': {
    status: 401,
    title: 'The tokens cannot be stored or renewed',
    detail:
      'The tokens are missing, invalid, or belong to different sessions. If the response removes the cookies, sign in again.',
  },
} satisfies Record<string, Kind>;
