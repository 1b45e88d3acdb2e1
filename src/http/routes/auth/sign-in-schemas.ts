// The schemas of requests and responses about sign-ins and sessions.
import { z } from 'zod';
import { givenPassword } from '../../../auth/passwords/rules.js';
import { uuid } from '../../../domain/fields.js';
import { platforms } from '../../../domain/security-log.js';
import { UserFields } from '../../../domain/user/state.js';
import { instant } from '../../request/schemas.js';
import { anyEmail } from './shared.js';

const token = z.string().min(1).max(4_096);

export const Credentials = z.object({
  type: z.literal('USERPASS').default('USERPASS'),
  platform: z.enum(platforms).default('WEB'),
  email: anyEmail,
  password: givenPassword,
});

export const TokenPair = z
  .object({
    token: z.string().describe('The access token for Authorization: Bearer. It is valid for 15 minutes.'),
    refreshToken: z.string().describe('The refresh token. It can be used once, within 7 days.'),
  })
  .meta({ id: 'TokenPair' });

export const SignIn = z
  .object({
    ...TokenPair.shape,
    authToken: z.string().describe('A custom token for signing in to Firebase. It is valid for an hour.'),
    user: UserFields,
  })
  .meta({ id: 'SignIn' });

export const RefreshToken = z.object({ refresh_token: token }).meta({ id: 'RefreshTokenRequest' });

export const Session = z
  .object({
    id: z.uuid(),
    platform: z.enum(platforms),
    appName: z.string().nullable(),
    createdAt: instant,
    lastUsedAt: instant,
    expiresAt: instant.describe('When the session ends, unless its refresh token is used before.'),
    current: z.boolean().describe('Whether this is the session of the request.'),
  })
  .meta({ id: 'Session' });

export const Sessions = z.object({ items: z.array(Session) }).meta({ id: 'Sessions' });

export const Jwks = z
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

/** The tokens of a sign-in to store in cookies. */
export const KeptTokens = z
  .object({
    data: z.object({ user_id: uuid().nullish(), token, refresh_token: token }).meta({ id: 'TokensOfSignIn' }),
  })
  .meta({ id: 'PersistTokens' });

/** A renewal of tokens. `url` is a constant that the service never requests. */
export const RenewedTokens = z
  .object({
    url: z.literal('auth-service/refresh-token'),
    data: z
      .object({ refresh_token: token.optional().describe('Default: the token in the cookie REFRESH_TOKEN.') })
      .meta({ id: 'RenewedToken' })
      .default({}),
  })
  .meta({ id: 'RenewTokens' });

/** The tokens in a request, even if other parts of it are invalid. */
export const PresentedTokens = z.object({ token: token.nullish(), refresh_token: token.nullish() });

/**
 * Any object. If it has neither shape, the update fails and removes the cookies, but the request is not a bad request.
 */
export const TokenUpdate = z.looseObject({}).meta({ shownAs: z.union([KeptTokens, RenewedTokens]) });
