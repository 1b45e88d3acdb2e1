// The routes of sign-in: endpoint 21 of the contract, refresh, the sessions of a user, and the public keys of tokens.
import { z } from 'zod';
import { givenPassword } from '../../../auth/passwords/rules.js';
import type { Session as SessionOf } from '../../../auth/sessions/sessions.js';
import { namedUser, presentInstitutions } from '../../../commands/attachment-names.js';
import { uuid } from '../../../domain/fields.js';
import { platforms } from '../../../domain/security-log.js';
import { UserFields } from '../../../domain/user/state.js';
import { sessionHolder, signedInAlways, unidentified } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { tagged } from '../../route/paging.js';
import { del, get, nothing, post, type Route } from '../../route/route.js';
import { anyEmail, aRefreshToken, instant, requireBearer, TokenPair, token } from './shared.js';

const SignInCredentials = z.object({
  type: z.literal('USERPASS').default('USERPASS'),
  platform: z.enum(platforms).default('WEB'),
  email: anyEmail,
  password: givenPassword,
});

export const SignIn = z
  .object({
    ...TokenPair.shape,
    authToken: z.string().describe('A custom token for signing in to Firebase. It is valid for an hour.'),
    user: UserFields,
  })
  .meta({ id: 'SignIn' });

const Session = z
  .object({
    id: uuid(),
    platform: z.enum(platforms),
    appName: z.string().nullable(),
    createdAt: instant,
    lastUsedAt: instant,
    expiresAt: instant.describe('When the session ends, unless its refresh token is used before.'),
    current: z.boolean().describe('Whether this is the session of the request.'),
  })
  .meta({ id: 'Session' });

export const SessionList = z.object({ items: z.array(Session) }).meta({ id: 'Sessions' });

const Jwks = z
  .object({
    keys: z.array(
      z
        .object({
          kid: z.string(),
          kty: z.literal('OKP'),
          crv: z.literal('Ed25519'),
          x: z.string(),
          alg: z.literal('EdDSA'),
          use: z.literal('sig'),
        })
        .meta({ id: 'PublicKey' }),
    ),
  })
  .meta({ id: 'Jwks' });

export const signInRoutes = (app: RouteContext): readonly Route[] => [
  post('/auth-service/auth', {
    access: { who: unidentified, rate: 'sign-in', personal: true },
    name: 'signIn',
    summary: 'Signs in with e-mail and password',
    description:
      'Failed attempts delay further attempts on the same account and from the same address: a 429 response says when to try again. Sign-ins with the right password also have a quota by user, refused sign-ins included. The Idempotency-Key header is ignored, and every sign-in starts a new session.',
    kind: 'action',
    body: SignInCredentials,
    example: { type: 'USERPASS', platform: 'WEB', email: 'ana@example.org', password: 'correct horse battery staple' },
    responses: { 200: SignIn },
    refuses: [
      'sign-in-refused',
      'user-disabled',
      'activation-required',
      'password-change-required',
      'too-many-failures',
      'too-many-passwords',
      'too-contended',
    ],
    handle: async ({ body, client: { appName = null, address }, countSignIn: count, by }) => {
      const { email, password, platform } = body;
      const signedIn = await app.auth.signIns.signIn({ email, password, platform, appName, address, count }, by);
      const { token, refreshToken, authToken } = signedIn;
      const user = await namedUser(signedIn.user, presentInstitutions(app.streams));
      return { body: JSON.stringify({ token, refreshToken, authToken, user }) };
    },
  }),
  post('/auth-service/refresh-token', {
    access: { who: unidentified, rate: 'session', personal: true },
    name: 'refreshToken',
    summary: 'Uses a refresh token: returns a new access token and a new refresh token',
    description:
      'For 10 seconds, the used token returns the newest refresh token of its session. After that, using it ends the session, because it may have been stolen.',
    kind: 'action',
    body: z.object({ refresh_token: token }).meta({ id: 'RefreshTokenRequest' }),
    example: { refresh_token: aRefreshToken },
    responses: { 200: TokenPair },
    refuses: ['refresh-refused', 'too-contended'],
    handle: async ({ body, by }) => {
      const { token, refreshToken } = await app.auth.signIns.refresh(body.refresh_token, by);
      return { body: JSON.stringify({ token, refreshToken }) };
    },
  }),
  get('/auth-service/sessions', {
    access: { who: signedInAlways, rate: 'session', personal: true },
    name: 'listSessions',
    summary: 'Lists the sessions of the caller, newest first',
    kind: 'log',
    responses: { 200: SessionList },
    handle: async ({ bearer }) => {
      const { userId, sessionId } = requireBearer(bearer);
      const sessions = await app.auth.sessions.ofUser(userId);
      return tagged(JSON.stringify({ items: sessions.map((session) => shown(session, sessionId)) }));
    },
  }),
  del('/auth-service/sessions/{id}', {
    access: { who: sessionHolder, rate: 'session', personal: false },
    name: 'endSession',
    summary: 'Ends a session of the caller',
    description: 'The tokens of the session are rejected immediately for writes, and within 5 seconds for reads.',
    kind: 'action',
    responses: { 204: nothing },
    refuses: ['too-contended'],
    handle: async ({ params, bearer, by }) => {
      await app.auth.signIns.end(requireBearer(bearer).userId, params.id, by);
      return { body: '' };
    },
  }),
  ...keyRoutes(app),
];

const keyRoutes = (app: RouteContext): readonly Route[] =>
  (
    [
      ['getPublicKeys', '/.well-known/jwks.json'],
      ['getPublicKeysOfAuthService', '/auth-service/.well-known/jwks.json'],
    ] as const
  ).map(([name, path]) =>
    get(path, {
      access: { who: unidentified, personal: false },
      name,
      summary: 'Lists the public keys of access tokens (RFC 7517)',
      kind: 'plain',
      responses: { 200: Jwks },
      handle: async () => ({ body: JSON.stringify({ keys: await app.auth.signingKeys.published() }) }),
    }),
  );

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
