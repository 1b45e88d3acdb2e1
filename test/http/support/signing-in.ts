// Helpers of the HTTP tests of sign-in: users with passwords, their tokens, and the cookies of responses.
import type { z } from 'zod';
import type * as shared from '../../../src/http/routes/auth/shared.js';
import type * as schemas from '../../../src/http/routes/auth/sign-in.js';
import type { Client, ClientResponse } from '../../support/client.js';
import { createDoctor, doctor, newEmail, successful, type User } from './samples.js';

export type SignIn = z.infer<typeof schemas.SignIn>;
export type TokenPair = z.infer<typeof shared.TokenPair>;
export type Sessions = z.infer<typeof schemas.SessionList>;

export const PASSWORD = 'correct horse battery staple';

/** Creates a user who can sign in with this e-mail and `PASSWORD`. */
export const newUser = async (client: Client): Promise<{ readonly user: User; readonly email: string }> => {
  const email = newEmail();
  return { user: await createDoctor(client, { ...doctor(), auth: { email, password: PASSWORD } }), email };
};

export const trySignIn = (client: Client, email: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  client.post<SignIn>('/auth-service/auth', { type: 'USERPASS', platform: 'WEB', email, password }, headers);

export const signIn = async (client: Client, email: string): Promise<SignIn> =>
  successful(await trySignIn(client, email)).body;

/** Creates a user and signs the user in. */
export const signedInUser = async (client: Client) => {
  const { user, email } = await newUser(client);
  return { email, ...(await signIn(client, email)), user };
};

export const refresh = (client: Client, refreshToken: string) =>
  client.post<TokenPair>('/auth-service/refresh-token', { refresh_token: refreshToken });

/** Returns the header that sends an access token. */
export const bearerHeader = (token: string) => ({ Authorization: `Bearer ${token}` });

export const sessionsOf = (client: Client, token: string) =>
  client.get<Sessions>('/auth-service/sessions', bearerHeader(token));

/** Returns the claims of a token without verifying it. */
export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** Returns the cookies that a response sets: each name with the value and the attributes as written. */
export const cookiesOf = ({ headers }: ClientResponse): ReadonlyMap<string, readonly string[]> =>
  new Map(
    headers.getSetCookie().map((cookie) => {
      const [pair = '', ...attributes] = cookie.split('; ');
      const equals = pair.indexOf('=');
      return [pair.slice(0, equals), [pair.slice(equals + 1), ...attributes.toSorted()]];
    }),
  );
