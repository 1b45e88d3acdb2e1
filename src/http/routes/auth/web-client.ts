// The server routes of the web client, which store tokens in cookies: endpoints 22 and 23 of the contract.
import { z } from 'zod';
import { Refused } from '../../../auth/refused.js';
import type { Tokens } from '../../../auth/sign-ins.js';
import type { CommandContext } from '../../../commands/context.js';
import { uuid } from '../../../domain/fields.js';
import { unidentified } from '../../access/access.js';
import { Problem } from '../../problems/problems.js';
import type { Client } from '../../request/client.js';
import { type Cookies, keepTokens, removeCookies, signInCookies } from '../../request/cookies.js';
import type { RouteContext } from '../../route/context.js';
import { nothing, post, type Route } from '../../route/route.js';
import { aRefreshToken, TokenPair, token } from './shared.js';

/** The tokens of a sign-in to store in cookies. */
const KeptTokens = z
  .object({
    data: z.object({ user_id: uuid().nullish(), token, refresh_token: token }).meta({ id: 'TokensOfSignIn' }),
  })
  .meta({ id: 'PersistTokens' });

/** A renewal of tokens. `url` is a constant that the service never requests. */
const RenewedTokens = z
  .object({
    url: z.literal('auth-service/refresh-token'),
    data: z
      .object({ refresh_token: token.optional().describe('Default: the token in the cookie REFRESH_TOKEN.') })
      .meta({ id: 'RenewedToken' })
      .default({}),
  })
  .meta({ id: 'RenewTokens' });

/** The tokens in a request, even if other parts of it are invalid. */
const PresentedTokens = z.object({ token: token.nullish(), refresh_token: token.nullish() });

/**
 * Any object. If it has neither shape, the update fails and removes the cookies, but the request is not a bad request.
 */
const TokenUpdate = z.looseObject({}).meta({ shownAs: z.union([KeptTokens, RenewedTokens]) });

export const webRoutes = (app: RouteContext): readonly Route[] => [
  post('/api/update-token', {
    access: { who: unidentified, rate: 'session', personal: true },
    name: 'updateToken',
    summary: 'Stores the tokens of a sign-in in cookies, or renews them',
    description:
      'Sets the cookies TOKEN, REFRESH_TOKEN and, if a user id is given, USER_ID. A page of the same origin or of a listed origin of the same site may omit `refresh_token`; the service then uses the cookie REFRESH_TOKEN. If the tokens cannot be stored or renewed, the response is 401 and removes the cookies, unless the request has no wrong token and the cookies belong to an active session.',
    kind: 'action',
    usesCookies: true,
    body: TokenUpdate,
    example: { url: 'auth-service/refresh-token', data: { refresh_token: aRefreshToken } },
    responses: { 200: TokenPair },
    refuses: ['tokens-refused', 'too-contended'],
    handle: async ({ body, by, client }) => {
      const { userId, ...tokens } = await updateOf(app, { body, client, by });
      const { token, refreshToken } = tokens;
      return {
        body: JSON.stringify({ token, refreshToken }),
        headers: { Authorization: `Bearer ${token}` },
        cookies: keepTokens(tokens, { userId, isSecure: client.isSecure }),
      };
    },
  }),
  post('/api/sign-out', {
    access: { who: unidentified, rate: 'session', personal: true },
    name: 'signOut',
    summary: 'Signs out: ends the session and removes every cookie that may hold a sign-in',
    description:
      'An access token that has expired still ends its session. The response is the same without a token or with a wrong token.',
    kind: 'action',
    usesCookies: true,
    responses: { 301: nothing },
    refuses: ['too-contended'],
    handle: async ({ client, by }) => {
      const { cookies } = client;
      const tokens = [client.token, cookies.get(signInCookies.token)].filter((token) => token !== undefined);
      await app.auth.signIns.signOut(tokens, cookies.get(signInCookies.refreshToken), by);
      return {
        body: '',
        headers: { Location: '/' },
        cookies: removeCookies(client.isSecure, cookies),
      };
    },
  }),
];

interface UpdateRequest {
  readonly body: object;
  readonly client: Client;
  readonly by: CommandContext;
}

interface Updated extends Tokens {
  /** The user that the request names. */
  readonly userId?: string;
}

/**
 * Returns the tokens that a request stores or renews. Rejects with `tokens-refused` if neither is possible. The error
 * removes the cookies, unless the request has no wrong token and its cookies belong to an active session.
 */
const updateOf = async (app: RouteContext, request: UpdateRequest): Promise<Updated> => {
  const updated = 'url' in request.body ? await renewed(app, request) : await kept(app, request);
  if (updated !== undefined) return updated;
  const { client } = request;
  const isHarmless = (await presentsNoWrongToken(app, request)) && (await areAlive(app, client.cookies));
  throw new Problem('tokens-refused', isHarmless ? {} : { headers: { 'Set-Cookie': removeCookies(client.isSecure) } });
};

const kept = async ({ auth }: RouteContext, { body, by }: UpdateRequest): Promise<Updated | undefined> => {
  const sent = KeptTokens.safeParse(body).data;
  if (sent === undefined) return undefined;
  const { user_id: userId, token, refresh_token: refreshToken } = sent.data;
  const tokens = await auth.signIns.sessionOf({ token, refreshToken }, by);
  const isMatching = tokens !== undefined && (userId ?? tokens.session.userId) === tokens.session.userId;
  return isMatching ? { ...tokens, ...(userId && { userId }) } : undefined;
};

const renewed = async ({ auth }: RouteContext, { body, client, by }: UpdateRequest): Promise<Updated | undefined> => {
  const sent = RenewedTokens.safeParse(body).data;
  // Browsers add the cookie to requests of any page, so the cookie alone proves nothing about the page.
  const inCookie = client.isTrustedPage ? client.cookies.get(signInCookies.refreshToken) : undefined;
  const refreshToken = sent && (sent.data.refresh_token ?? inCookie);
  return refreshToken === undefined ? undefined : auth.signIns.refresh(refreshToken, by).catch(ignoreRefusal);
};

const ignoreRefusal = (error: unknown): undefined => {
  if (!(error instanceof Refused)) throw error;
};

const SentData = z.object({ data: z.looseObject({}).catch({}) });

const presentsNoWrongToken = async ({ auth }: RouteContext, { body, by }: UpdateRequest): Promise<boolean> => {
  const presented = PresentedTokens.safeParse(SentData.parse(body).data).data;
  if (presented === undefined) return false;
  const { token, refresh_token: refreshToken } = presented;
  return auth.signIns.areValid({ token: token ?? undefined, refreshToken: refreshToken ?? undefined }, by);
};

/**
 * Returns whether cookies belong to an active session. The access token has usually expired, so the refresh token
 * decides.
 */
const areAlive = async ({ auth }: RouteContext, cookies: Cookies): Promise<boolean> => {
  const refreshToken = cookies.get(signInCookies.refreshToken);
  const token = cookies.get(signInCookies.token) ?? '';
  const sessionId =
    refreshToken === undefined
      ? (await auth.signIns.bearerOf(token))?.sessionId
      : await auth.sessions.idIn(refreshToken);
  return sessionId !== undefined && auth.signIns.isActive(sessionId);
};
