// The schemas of requests and responses about passwords.
import { z } from 'zod';
import { channels } from '../../../auth/codes/codes.js';
import { givenPassword, newPassword, notOfItsEmail } from '../../../auth/passwords/rules.js';
import { instant } from '../../request/schemas.js';

/** An e-mail address, which does not have to be valid or known. */
export const anyEmail = z.string().min(1).max(320);

/** A one-time code. The schema does not depend on its purpose. */
export const sentCode = z.string().min(1).max(32);

export const ChangedPassword = z.object({ currentPassword: givenPassword, newPassword });

export const ResetCodeRequest = z.object({ email: anyEmail });

export const ResetPassword = z
  .object({ email: anyEmail, code: sentCode, newPassword })
  .superRefine(...notOfItsEmail('newPassword'));

export const sentCodeFields = {
  channel: z.enum(channels),
  expiresAt: instant.describe(
    'When the code expires. If its message has to wait for the queue, the code expires 10 minutes after the wait ends.',
  ),
  resendAfter: instant.describe('When another code can be sent. An earlier request sends nothing.'),
};

export const ResetCode = z.object(sentCodeFields).meta({ id: 'ResetCode' });
