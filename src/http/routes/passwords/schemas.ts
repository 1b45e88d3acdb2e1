// What is sent and answered about passwords, as schemas with the names that OpenAPI shows.
import { z } from 'zod';
import { channels } from '../../../auth/codes/codes.js';
import { givenPassword, newPassword, notOfItsEmail } from '../../../auth/passwords/rules.js';
import { instant } from '../../kernel/schemas.js';

/** An e-mail address that may be anybody's, or nobody's. */
export const anyEmail = z.string().min(1).max(320);

/** A code as it is sent; which it is, the codes say. */
export const sentCode = z.string().min(1).max(32);

export const ChangedPassword = z.object({ currentPassword: givenPassword, newPassword });

export const ResetCodeRequest = z.object({ email: anyEmail });

export const ResetPassword = z
  .object({ email: anyEmail, code: sentCode, newPassword })
  .superRefine(...notOfItsEmail('newPassword'));

export const sentCodeFields = {
  channel: z.enum(channels),
  expiresAt: instant.describe(
    'The code is good until then. If its message has to wait for the queue, the code is good for 10 minutes from when the wait is over.',
  ),
  resendAfter: instant.describe('From when on another one is sent; to ask before sends nothing.'),
};

export const ResetCode = z.object(sentCodeFields).meta({ id: 'ResetCode' });
