// What several routes of signing in, signing up and passwords share.
import { z } from 'zod';
import type { CodeRequester, IssuedCode } from '../../../auth/codes/codes.js';
import { channels } from '../../../auth/codes/texts.js';
import type { Bearer } from '../../../auth/tokens/access-tokens.js';
import { comparableCode } from '../../../domain/comparable.js';
import { hasVisibleCharacter, text } from '../../../domain/fields.js';
import { Problem } from '../../problems/problems.js';
import type { Client } from '../../request/client.js';

/** An e-mail address, which does not have to be valid or known. */
export const anyEmail = text(320)
  .min(1)
  .refine((email) => email === email.trim() && [...email.replaceAll(' ', '')].every(hasVisibleCharacter), {
    error: 'must be an e-mail address without outer white space and invisible characters',
    params: { code: 'invalid-format' },
  });

/** A one-time code. The schema does not depend on its purpose. */
export const sentCode = text(32)
  .overwrite(comparableCode)
  .refine((code) => /^(?:\d{6}|\d{8})$/.test(code), {
    error: 'must have six digits, or eight if it sets a password',
    params: { code: 'invalid-format' },
  })
  .describe(
    'Six digits, or eight if the code sets a password, of any script. Blanks, invisible characters, dashes and dots do not matter. A code of another form costs no attempt.',
  );

export const instant = z.iso.datetime();

/** An access token or a refresh token. */
export const token = text(4_096).min(1);

export const TokenPair = z
  .object({
    token: z.string().describe('The access token for Authorization: Bearer. It is valid for 15 minutes.'),
    refreshToken: z.string().describe('The refresh token. It can be used once, within 7 days.'),
  })
  .meta({ id: 'TokenPair' });

/** What every response about a sent code has. */
export const sentCodeFields = {
  channel: z.enum(channels),
  expiresAt: instant.describe(
    'The earliest end of the code, 10 minutes after its request. The code is valid for 10 minutes from the moment when a server accepts its message, and for an hour if none does.',
  ),
  resendAfter: instant.describe('When another code can be sent. An earlier request sends nothing.'),
};

/** An example of a refresh token, without a session. */
export const aRefreshToken = 'Zo'.repeat(43);

/** Returns the bearer on a route that requires a token. */
export const requireBearer = (bearer: Bearer | undefined): Bearer => {
  if (bearer === undefined) throw new Problem('sign-in-required');
  return bearer;
};

/** Returns the parts of a client that determine the language and the limits of a code. */
export const requesterOf = ({ language, address }: Client): CodeRequester => ({ language, address });

/** Returns the response about a code, which is the same whether or not a code is sent. */
export const shownCode = ({ channel, expiresAt, resendAfter }: IssuedCode) => ({
  channel,
  expiresAt: new Date(expiresAt).toISOString(),
  resendAfter: new Date(resendAfter).toISOString(),
});
