// What is sent and answered about sign-ins and sessions, as schemas with the names that OpenAPI shows.
import { z } from 'zod';
import { givenPassword } from '../../../auth/passwords/rules.js';
import { platforms } from '../../../domain/security-log.js';
import { instant } from '../../kernel/schemas.js';
import { anyEmail } from '../passwords/schemas.js';
import { User } from '../users/schemas.js';

const token = z.string().min(1).max(4_096);

export const Credentials = z.object({
  type: z.literal('USERPASS').default('USERPASS'),
  platform: z.enum(platforms).default('WEB'),
  email: anyEmail,
  password: givenPassword,
});

export const TokenPair = z
  .object({
    token: z.string().describe('The access token, for Authorization: Bearer; good for 15 minutes.'),
    refreshToken: z.string().describe('Good for one use within 7 days.'),
  })
  .meta({ id: 'TokenPair' });

export const SignIn = z
  .object({
    ...TokenPair.shape,
    authToken: z.string().describe('A custom token for the sign-in at Firebase; good for an hour.'),
    user: User,
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
    expiresAt: instant.describe('When it ends unless it is used before.'),
    current: z.boolean().describe('Whether it is the one that asks.'),
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

/** Tokens of a sign-in that are to be kept in cookies. */
export const KeptTokens = z
  .object({
    data: z
      .object({ user_id: z.guid().toLowerCase().nullish(), token, refresh_token: token })
      .meta({ id: 'TokensOfSignIn' }),
  })
  .meta({ id: 'PersistTokens' });

/** A renewal. The address is a fixed word that the service never calls. */
export const RenewedTokens = z
  .object({
    url: z.literal('auth-service/refresh-token'),
    data: z
      .object({ refresh_token: token.optional().describe('Absent: the token in the cookie REFRESH_TOKEN.') })
      .meta({ id: 'RenewedToken' })
      .default({}),
  })
  .meta({ id: 'RenewTokens' });

/** The tokens that a request presents, whatever else is wrong with it. */
export const PresentedTokens = z.object({ token: token.nullish(), refresh_token: token.nullish() });

/** Any object: one that is neither of the two is not a bad request, but a failed update, which removes the cookies. */
export const TokenUpdate = z.looseObject({}).meta({ shownAs: z.union([KeptTokens, RenewedTokens]) });
