// The password of a user: its change by who knows it, and its reset by a code that is sent by e-mail.
import { ChangedPassword, ResetCode, ResetCodeRequest, ResetPassword } from './password-schemas.js';
import { nothing, post, put, type Route } from './route.js';
import type { Service } from './service.js';
import { signedIn } from './sign-in-routes.js';
import { asking, shownCode } from './sign-up-routes.js';

/** The routes of passwords, each served at its own path alone. */
export const passwordRoutes = (service: Service): readonly Route[] => [
  put('/auth-service/password', {
    summary: 'Changes the password of the user who asks, and ends all of their sessions',
    description:
      'Also the session that asks: sign in again. A wrong current password slows down those that follow, as at a sign-in. An Idempotency-Key is not looked at.',
    ...{ isSecret: true, recordsNothing: true },
    body: ChangedPassword,
    example: { currentPassword: 'correct horse battery staple', newPassword: 'another horse, another staple' },
    answers: { 204: nothing },
    problems: [403, 410, 429],
    handle: async ({ body, bearer, client: { address }, by }) => {
      await service.auth.passwordChanges.change({ userId: signedIn(bearer).userId, ...body, address }, by);
      return { json: '' };
    },
  }),
  post('/auth-service/password/reset-code', {
    summary: 'Has a code sent by e-mail that resets a password',
    description: 'The answer is the same where nobody signs in by this e-mail.',
    ...{ isSecret: true, recordsNothing: true },
    body: ResetCodeRequest,
    example: { email: 'ana@example.org' },
    answers: { 200: ResetCode },
    problems: [429],
    handle: async ({ body: { email }, client }) => {
      const issued = await service.auth.passwordChanges.sendResetCode(email, asking(client));
      return { json: JSON.stringify(shownCode(issued)) };
    },
  }),
  post('/auth-service/password/reset', {
    summary: 'Redeems such a code: sets another password, and ends all sessions of its user',
    description:
      'The code proves the e-mail: the user is active from then on. An Idempotency-Key is not looked at: a code is good for once.',
    ...{ isSecret: true, recordsNothing: true },
    body: ResetPassword,
    example: { email: 'ana@example.org', code: '123456', newPassword: 'another horse, another staple' },
    answers: { 204: nothing },
    problems: [410],
    handle: async ({ body, client: { address }, by }) => {
      await service.auth.passwordChanges.reset({ ...body, address }, by);
      return { json: '' };
    },
  }),
];
