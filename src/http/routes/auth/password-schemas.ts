// The schemas of requests and responses about passwords.
import { z } from 'zod';
import { givenPassword, newPassword, notOfItsEmail } from '../../../auth/passwords/rules.js';
import { anyEmail, sentCode, sentCodeFields } from './shared.js';

export const ChangedPassword = z.object({ currentPassword: givenPassword, newPassword });

export const ResetCodeRequest = z.object({ email: anyEmail });

export const ResetPassword = z
  .object({ email: anyEmail, code: sentCode, newPassword })
  .superRefine(...notOfItsEmail('newPassword'));

export const ResetCode = z.object(sentCodeFields).meta({ id: 'ResetCode' });
