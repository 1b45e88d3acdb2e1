// What is sent and answered about passwords, as schemas with the names that OpenAPI shows.
import { z } from 'zod';
import { channels } from '../auth/codes.js';
import { easyPassword, isCommonPassword, isOfEmail, passwordLengths } from '../auth/password-rules.js';
import { rule } from '../domain/rules.js';

const { least, most } = passwordLengths;

/** A password as it is sent to be compared with one that is kept. */
export const givenPassword = z.string().min(1).max(most);

/** A password that somebody wants to have. */
export const newPassword = z
  .string()
  .min(least)
  .max(most)
  .refine((password) => !isCommonPassword(password), {
    error: easyPassword.message,
    params: { code: easyPassword.code },
  })
  .describe('None of the most common ones; neither the e-mail address nor what stands before its @.');

/** The password at `key` may not be made of the e-mail beside it. */
export const notOfItsEmail = (key: string) =>
  rule((value, refuse) => {
    const { [key]: password, email } = (value ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof password !== 'string' || typeof email !== 'string') return;
    if (isOfEmail(password, email)) refuse([key], easyPassword.code, easyPassword.message);
  });

/** An e-mail address that may be anybody's, or nobody's. */
export const anyEmail = z.string().min(1).max(320);

/** A code as it is sent; which it is, the codes say. */
export const sentCode = z.string().min(1).max(32);

export const ChangedPassword = z.object({ currentPassword: givenPassword, newPassword });

export const ResetCodeRequest = z.object({ email: anyEmail });

export const ResetPassword = z
  .object({ email: anyEmail, code: sentCode, newPassword })
  .superRefine(...notOfItsEmail('newPassword'));

const instant = z.iso.datetime();
export const sentCodeFields = {
  channel: z.enum(channels),
  expiresAt: instant.describe('Until when the code is good.'),
  resendAfter: instant.describe('From when on another one is sent; to ask before sends nothing.'),
};

export const ResetCode = z.object(sentCodeFields).meta({ id: 'ResetCode' });
