// The routes that change a password with the current password, or reset it with a code from an e-mail.
import { z } from 'zod';
import { givenPassword, newPassword, notOfItsEmail } from '../../../auth/passwords/rules.js';
import { signedInAlways, unidentified } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { nothing, post, put, type Route } from '../../route/route.js';
import { anyEmail, requesterOf, requireBearer, sentCode, sentCodeFields, shownCode } from './shared.js';

export const passwordRoutes = (app: RouteContext): readonly Route[] => [
  put('/auth-service/password', {
    access: { who: signedInAlways, rate: 'password', personal: true },
    name: 'changePassword',
    summary: 'Changes the password of the caller and ends all of their sessions',
    description:
      'This includes the current session, so the caller must sign in again. A wrong current password delays further attempts, as a failed sign-in does. The Idempotency-Key header is ignored.',
    kind: 'action',
    body: z.object({ currentPassword: givenPassword, newPassword }),
    example: { currentPassword: 'correct horse battery staple', newPassword: 'another horse, another staple' },
    responses: { 204: nothing },
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
      return { body: '' };
    },
  }),
  post('/auth-service/password/reset-code', {
    access: { who: unidentified, rate: 'password', personal: true },
    name: 'sendResetCode',
    summary: 'Sends a password reset code by e-mail',
    description: 'The response is the same if no user signs in with this e-mail address.',
    kind: 'action',
    body: z.object({ email: anyEmail }),
    example: { email: 'ana@example.org' },
    responses: { 200: z.object(sentCodeFields).meta({ id: 'ResetCode' }) },
    refuses: ['too-many-codes'],
    handle: async ({ body: { email }, client }) => {
      const issued = await app.auth.passwordChanges.sendResetCode(email, requesterOf(client));
      return { body: JSON.stringify(shownCode(issued)) };
    },
  }),
  post('/auth-service/password/reset', {
    access: { who: unidentified, rate: 'password', personal: true },
    name: 'resetPassword',
    summary: 'Redeems a reset code: sets a new password and ends all sessions of the user',
    description:
      'The code also proves the e-mail address, which activates the user. The Idempotency-Key header is ignored, because a code can be used only once.',
    kind: 'action',
    body: z.object({ email: anyEmail, code: sentCode, newPassword }).superRefine(...notOfItsEmail('newPassword')),
    example: { email: 'ana@example.org', code: '12345678', newPassword: 'another horse, another staple' },
    responses: { 204: nothing },
    refuses: ['code-refused', 'user-erased', 'too-many-passwords', 'too-contended'],
    handle: async ({ body, client: { address }, by }) => {
      await app.auth.passwordChanges.reset({ ...body, address }, by);
      return { body: '' };
    },
  }),
];
