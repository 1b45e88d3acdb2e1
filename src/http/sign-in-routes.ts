// Signing in: endpoint 21 of the contract, refreshing, the sessions of a user, the public keys of tokens.
import type { Session as SessionOf } from '../auth/sessions.js';
import type { Bearer } from '../auth/tokens.js';
import { Problem } from './problems.js';
import { del, get, nothing, post, type Route } from './route.js';
import type { Service } from './service.js';
import { Credentials, Jwks, RefreshToken, Sessions, SignIn, TokenPair } from './sign-in-schemas.js';

/** A refresh token as an example, of no session. */
export const aRefreshToken = 'Zo'.repeat(43);

/** The routes of signing in, each served at its own path alone. */
export const signInRoutes = (service: Service): readonly Route[] => [
  ...tokenRoutes(service),
  ...sessionRoutes(service),
  ...keyRoutes(service),
];

const tokenRoutes = (service: Service): readonly Route[] => [
  post('/auth-service/auth', {
    summary: 'Signs in by e-mail and password',
    description:
      'Failed attempts slow down those that follow, by account and address: 429 says when to try again. An Idempotency-Key is not looked at: signing in again begins another session.',
    ...{ isSecret: true, recordsNothing: true, takesAppName: true },
    body: Credentials,
    example: { type: 'USERPASS', platform: 'WEB', email: 'ana@example.org', password: 'correct horse battery staple' },
    answers: { 200: SignIn },
    problems: [401, 403, 429],
    handle: async ({ body: { email, password, platform }, client, by }) => {
      const { appName = null, address } = client;
      const signedIn = await service.auth.signIns.signIn({ email, password, platform, appName, address }, by);
      const { token, refreshToken, authToken, user } = signedIn;
      return { json: JSON.stringify({ token, refreshToken, authToken, user }) };
    },
  }),
  post('/auth-service/refresh-token', {
    summary: 'Uses a refresh token: answers a new access token and the refresh token that is to be used next',
    description:
      'For 10 seconds the spent token answers the same again. After that its use ends the session: somebody else has it, too.',
    ...{ isSecret: true, recordsNothing: true },
    body: RefreshToken,
    example: { refresh_token: aRefreshToken },
    answers: { 200: TokenPair },
    problems: [401],
    handle: async ({ body, by }) => {
      const { token, refreshToken } = await service.auth.signIns.refresh(body.refresh_token, by);
      return { json: JSON.stringify({ token, refreshToken }) };
    },
  }),
];

const sessionRoutes = (service: Service): readonly Route[] => [
  get('/auth-service/sessions', {
    summary: 'Lists the sessions of the user who asks, the latest first',
    ...{ isSecret: true, recordsNothing: true },
    answers: { 200: Sessions },
    handle: async ({ bearer }) => {
      const { userId, sessionId } = signedIn(bearer);
      const sessions = await service.auth.sessions.ofUser(userId);
      return { json: JSON.stringify({ items: sessions.map((session) => shown(session, sessionId)) }) };
    },
  }),
  del('/auth-service/sessions/{id}', {
    summary: 'Ends a session of the user who asks',
    description: 'Its tokens are refused within 5 seconds.',
    ...{ recordsNothing: true },
    answers: { 204: nothing },
    handle: async ({ params, bearer, by }) => {
      await service.auth.signIns.end(signedIn(bearer).userId, params.id, by);
      return { json: '' };
    },
  }),
];

const keyRoutes = (service: Service): readonly Route[] =>
  (['/.well-known/jwks.json', '/auth-service/.well-known/jwks.json'] as const).map((path) =>
    get(path, {
      summary: 'The public keys of access tokens (RFC 7517)',
      ...{ recordsNothing: true },
      answers: { 200: Jwks },
      handle: async () => ({ json: JSON.stringify({ keys: await service.auth.signingKeys.published() }) }),
    }),
  );

/** Who bears the token of a route that needs one. */
export const signedIn = (bearer: Bearer | undefined): Bearer => {
  if (bearer === undefined) throw new Problem('sign-in-required');
  return bearer;
};

const shown = ({ id, platform, appName, createdAt, lastUsedAt, expiresAt }: SessionOf, current: string) => {
  const [created, used, expires] = [createdAt, lastUsedAt, expiresAt].map((at) => new Date(at).toISOString());
  return { id, platform, appName, createdAt: created, lastUsedAt: used, expiresAt: expires, current: id === current };
};
