// The password of a user: its change by who knows it, and its reset by a code that is sent by e-mail.

import { signedInAlways, unidentified } from '../../kernel/access.js';
import type { App } from '../../kernel/app.js';
import { nothing, post, put, type Route } from '../../kernel/route.js';
import { requireBearer } from '../sign-in/routes.js';
import { asking, shownCode } from '../sign-up/routes.js';
import { ChangedPassword, ResetCode, ResetCodeRequest, ResetPassword } from './schemas.js';

/** The routes of passwords, each served at its own path alone. */
export const passwordRoutes = (app: App): readonly Route[] => [
  put('/auth-service/password', {
    access: { who: signedInAlways, rate: 'password', personal: true },
    name: 'changePassword',
    summary: 'Changes the password of the user who asks, and ends all of their sessions',
    description:
      'Also the session that asks: sign in again. A wrong current password slows down those that follow, as at a sign-in. An Idempotency-Key is not looked at.',
    recordsNothing: true,
    body: ChangedPassword,
    example: { currentPassword: 'correct horse battery staple', newPassword: 'another horse, another staple' },
    answers: { 204: nothing },
    refuses: [
      'current-password-refused',
      'user-disabled',
      'user-erased',
      'too-many-failures',
      'too-many-passwords',
      'too-contended',
    ],
    handle: async ({ body, bearer, client: { address }, by }) => {
      await app.auth.passwordChanges.change({ userId: requireBearer(bearer).userId, ...body, address }, by);
      return { json: '' };
    },
  }),
  post('/auth-service/password/reset-code', {
    access: { who: unidentified, rate: 'password', personal: true },
    name: 'sendResetCode',
    summary: 'Has a code sent by e-mail that resets a password',
    description: 'The answer is the same where nobody signs in by this e-mail.',
    recordsNothing: true,
    body: ResetCodeRequest,
    example: { email: 'ana@example.org' },
    answers: { 200: ResetCode },
    refuses: ['too-many-codes'],
    handle: async ({ body: { email }, client }) => {
      const issued = await app.auth.passwordChanges.sendResetCode(email, asking(client));
      return { json: JSON.stringify(shownCode(issued)) };
    },
  }),
  post('/auth-service/password/reset', {
    access: { who: unidentified, rate: 'password', personal: true },
    name: 'resetPassword',
    summary: 'Redeems such a code: sets another password, and ends all sessions of its user',
    description:
      'The code proves the e-mail: the user is active from then on. An Idempotency-Key is not looked at: a code is good for once.',
    recordsNothing: true,
    body: ResetPassword,
    example: { email: 'ana@example.org', code: '123456', newPassword: 'another horse, another staple' },
    answers: { 204: nothing },
    refuses: ['code-refused', 'user-erased', 'too-many-passwords', 'too-contended'],
    handle: async ({ body, client: { address }, by }) => {
      await app.auth.passwordChanges.reset({ ...body, address }, by);
      return { json: '' };
    },
  }),
];
