// Signing in: endpoint 21 of the contract, refreshing, the sessions of a user, the public keys of tokens.
import type { Session as SessionOf } from '../../../auth/sessions/sessions.js';
import type { Bearer } from '../../../auth/tokens/access-tokens.js';
import { sessionHolder, signedInAlways, unidentified } from '../../kernel/access.js';
import type { App } from '../../kernel/app.js';
import { Problem } from '../../kernel/problems.js';
import { del, get, nothing, post, type Route } from '../../kernel/route.js';
import { Credentials, Jwks, RefreshToken, Sessions, SignIn, TokenPair } from './schemas.js';

/** A refresh token as an example, of no session. */
export const aRefreshToken = 'Zo'.repeat(43);

/** The routes of signing in, each served at its own path alone. */
export const signInRoutes = (app: App): readonly Route[] => [
  ...tokenRoutes(app),
  ...sessionRoutes(app),
  ...keyRoutes(app),
];

const tokenRoutes = (app: App): readonly Route[] => [
  post('/auth-service/auth', {
    access: { who: unidentified, rate: 'sign-in', personal: true },
    name: 'signIn',
    summary: 'Signs in by e-mail and password',
    description:
      'Failed attempts slow down those that follow, by account and address: 429 says when to try again. An Idempotency-Key is not looked at: signing in again begins another session.',
    recordsNothing: true,
    takesAppName: true,
    body: Credentials,
    example: { type: 'USERPASS', platform: 'WEB', email: 'ana@example.org', password: 'correct horse battery staple' },
    answers: { 200: SignIn },
    refuses: [
      'sign-in-refused',
      'user-disabled',
      'activation-required',
      'password-change-required',
      'too-many-failures',
      'too-many-passwords',
      'too-contended',
    ],
    handle: async ({ body: { email, password, platform }, client, by }) => {
      const { appName = null, address } = client;
      const signedIn = await app.auth.signIns.signIn({ email, password, platform, appName, address }, by);
      const { token, refreshToken, authToken, user } = signedIn;
      return { json: JSON.stringify({ token, refreshToken, authToken, user }) };
    },
  }),
  post('/auth-service/refresh-token', {
    access: { who: unidentified, rate: 'session', personal: true },
    name: 'refreshToken',
    summary: 'Uses a refresh token: answers a new access token and the refresh token that is to be used next',
    description:
      'For 10 seconds the spent token answers the same again. After that its use ends the session: somebody else has it, too.',
    recordsNothing: true,
    body: RefreshToken,
    example: { refresh_token: aRefreshToken },
    answers: { 200: TokenPair },
    refuses: ['refresh-refused', 'too-contended'],
    handle: async ({ body, by }) => {
      const { token, refreshToken } = await app.auth.signIns.refresh(body.refresh_token, by);
      return { json: JSON.stringify({ token, refreshToken }) };
    },
  }),
];

const sessionRoutes = (app: App): readonly Route[] => [
  get('/auth-service/sessions', {
    access: { who: signedInAlways, rate: 'session', personal: true },
    name: 'listSessions',
    summary: 'Lists the sessions of the user who asks, the latest first',
    recordsNothing: true,
    answers: { 200: Sessions },
    handle: async ({ bearer }) => {
      const { userId, sessionId } = requireBearer(bearer);
      const sessions = await app.auth.sessions.ofUser(userId);
      return { json: JSON.stringify({ items: sessions.map((session) => shown(session, sessionId)) }) };
    },
  }),
  del('/auth-service/sessions/{id}', {
    access: { who: sessionHolder, rate: 'session', personal: false },
    name: 'endSession',
    summary: 'Ends a session of the user who asks',
    description: 'Its tokens are refused: for writes at once, for reads within 5 seconds.',
    recordsNothing: true,
    answers: { 204: nothing },
    refuses: ['too-contended'],
    handle: async ({ params, bearer, by }) => {
      await app.auth.signIns.end(requireBearer(bearer).userId, params.id, by);
      return { json: '' };
    },
  }),
];

const keyRoutes = (app: App): readonly Route[] =>
  (
    [
      ['getPublicKeys', '/.well-known/jwks.json'],
      ['getPublicKeysOfAuthService', '/auth-service/.well-known/jwks.json'],
    ] as const
  ).map(([name, path]) =>
    get(path, {
      access: { who: unidentified, rate: 'unlimited', personal: false },
      name,
      summary: 'The public keys of access tokens (RFC 7517)',
      recordsNothing: true,
      answers: { 200: Jwks },
      handle: async () => ({ json: JSON.stringify({ keys: await app.auth.signingKeys.published() }) }),
    }),
  );

/** Returns the bearer of the token of a route that needs one. */
export const requireBearer = (bearer: Bearer | undefined): Bearer => {
  if (bearer === undefined) throw new Problem('sign-in-required');
  return bearer;
};

const shown = ({ id, platform, appName, ...at }: SessionOf, current: string) => ({
  id,
  platform,
  appName,
  createdAt: isoOf(at.createdAt),
  lastUsedAt: isoOf(at.lastUsedAt),
  expiresAt: isoOf(at.expiresAt),
  current: id === current,
});

const isoOf = (at: number): string => new Date(at).toISOString();
