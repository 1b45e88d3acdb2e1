// Endpoint 22: the tokens to store or renew, and the effect of a failure on the cookies.
import { z } from 'zod';
import { Refused } from '../../../auth/refused.js';
import type { Tokens } from '../../../auth/sign-ins.js';
import type { CommandContext } from '../../../commands/context.js';
import { Problem } from '../../problems/problems.js';
import type { Client } from '../../request/client.js';
import { type Cookies, removeCookies, signInCookies } from '../../request/cookies.js';
import type { RouteContext } from '../../route/context.js';
import { KeptTokens, PresentedTokens, RenewedTokens } from './sign-in-schemas.js';

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
export const updateOf = async (app: RouteContext, request: UpdateRequest): Promise<Updated> => {
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
  const inCookie = client.isOwnPage ? client.cookies.get(signInCookies.refreshToken) : undefined;
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
