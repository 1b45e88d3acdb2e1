// What the HTTP tests of sign-ins share: users with passwords, their tokens, and the cookies of answers.
import type { z } from 'zod';
import type * as answered from '../../src/http/routes/sign-in/schemas.js';
import type { Client, ClientResponse } from '../support/client.js';
import { createDoctor, doctor, newEmail, successful, type User } from './samples.js';

export type SignIn = z.infer<typeof answered.SignIn>;
export type TokenPair = z.infer<typeof answered.TokenPair>;
export type Sessions = z.infer<typeof answered.Sessions>;

export const PASSWORD = 'correct horse battery staple';

/** A user with the e-mail and password to sign in by. */
export const newUser = async (client: Client): Promise<{ readonly user: User; readonly email: string }> => {
  const email = newEmail();
  return { user: await createDoctor(client, { ...doctor(), auth: { email, password: PASSWORD } }), email };
};

export const trySignIn = (client: Client, email: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  client.post<SignIn>('/auth-service/auth', { type: 'USERPASS', platform: 'WEB', email, password }, headers);

export const signIn = async (client: Client, email: string): Promise<SignIn> =>
  successful(await trySignIn(client, email)).body;

/** A new user who has signed in. */
export const signedInUser = async (client: Client) => {
  const { user, email } = await newUser(client);
  return { email, ...(await signIn(client, email)), user };
};

export const refresh = (client: Client, refreshToken: string) =>
  client.post<TokenPair>('/auth-service/refresh-token', { refresh_token: refreshToken });

export const bearing = (token: string) => ({ Authorization: `Bearer ${token}` });

export const sessionsOf = (client: Client, token: string) =>
  client.get<Sessions>('/auth-service/sessions', bearing(token));

/** The claims of a token, not verified. */
export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** The cookies that an answer sets: name to value and attributes, as they are written. */
export const cookiesOf = ({ headers }: ClientResponse): ReadonlyMap<string, readonly string[]> =>
  new Map(
    headers.getSetCookie().map((cookie) => {
      const [pair = '', ...attributes] = cookie.split('; ');
      const equals = pair.indexOf('=');
      return [pair.slice(0, equals), [pair.slice(equals + 1), ...attributes.toSorted()]];
    }),
  );
