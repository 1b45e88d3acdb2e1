// The server routes of the web client, endpoints 22 and 23 of the contract: they keep the tokens of a sign-in in cookies.
import type { z } from 'zod';
import { Refused } from '../../../auth/refused.js';
import { sessionLimits } from '../../../auth/sessions/sessions.js';
import type { Tokens } from '../../../auth/sessions/sign-ins.js';
import type { CommandContext } from '../../../commands/context.js';
import type { Client } from '../../edge/client.js';
import { removeCookies, setCookie, signInCookies } from '../../edge/cookies.js';
import { unidentified } from '../../kernel/access.js';
import type { App } from '../../kernel/app.js';
import { Problem } from '../../kernel/problems.js';
import { nothing, post, type Route } from '../../kernel/route.js';
import { aRefreshToken } from '../sign-in/routes.js';
import { KeptTokens, RenewedTokens, TokenPair, TokenUpdate } from '../sign-in/schemas.js';

/** The routes of the web client, each served at its own path alone. */
export const webRoutes = (app: App): readonly Route[] => [
  post('/api/update-token', {
    access: { who: unidentified, rate: 'session', personal: true },
    name: 'updateToken',
    summary: 'Keeps the tokens of a sign-in in cookies, or renews them',
    description:
      'Cookies TOKEN, REFRESH_TOKEN, and USER_ID where a user id is given. Whatever cannot be kept or renewed is 401, and the cookies are removed.',
    recordsNothing: true,
    cookies: 'set',
    body: TokenUpdate,
    example: { url: 'auth-service/refresh-token', data: { refresh_token: aRefreshToken } },
    answers: { 200: TokenPair },
    refuses: ['tokens-refused', 'too-contended'],
    handle: async ({ body, by, client }) => {
      const updated = await updatedBy(app, body, by);
      if (updated === undefined) throw refused(client);
      const { token, refreshToken, userId, session } = updated;
      const { isSecure } = client;
      const lasting = { seconds: secondsUntil(session.expiresAt), isSecure };
      // A renewal names no user: this one has to outlast all that the session may have.
      const longest = { seconds: secondsUntil(session.createdAt + sessionLimits.absoluteMs), isSecure };
      return {
        json: JSON.stringify({ token, refreshToken }),
        headers: { Authorization: `Bearer ${token}` },
        cookies: [
          setCookie(signInCookies.token, token, lasting),
          setCookie(signInCookies.refreshToken, refreshToken, lasting),
          ...(userId === undefined ? [] : [setCookie(signInCookies.userId, userId, longest)]),
        ],
      };
    },
  }),
  post('/api/sign-out', {
    access: { who: unidentified, rate: 'session', personal: true },
    name: 'signOut',
    summary: 'Signs out: ends the session and removes every cookie that may hold a sign-in',
    description: 'Also without a token, or with a wrong one.',
    recordsNothing: true,
    cookies: 'trusted',
    answers: { 301: nothing },
    refuses: ['too-contended'],
    handle: async ({ client, by }) => {
      const { cookies } = client;
      const tokens = [client.token, cookies.get(signInCookies.token)].filter((token) => token !== undefined);
      await app.auth.signIns.signOut({ tokens, refreshToken: cookies.get(signInCookies.refreshToken) }, by);
      return {
        json: '',
        headers: { Location: '/' },
        cookies: removeCookies(client.isSecure, cookies),
      };
    },
  }),
];

const secondsUntil = (instant: number): number => Math.max(0, Math.floor((instant - Date.now()) / 1_000));

interface Updated extends Tokens {
  /** The user that the request names. */
  readonly userId?: string;
}

/** What an update of either variant comes to; undefined where it fails. */
const updatedBy = async (app: App, body: unknown, by: CommandContext): Promise<Updated | undefined> => {
  const isRenewal = typeof body === 'object' && body !== null && 'url' in body;
  return isRenewal
    ? renewed(app, RenewedTokens.safeParse(body).data, by)
    : kept(app, KeptTokens.safeParse(body).data, by);
};

const kept = async ({ auth }: App, sent: z.output<typeof KeptTokens> | undefined, by: CommandContext) => {
  if (sent === undefined) return undefined;
  const { user_id: userId, token, refresh_token: refreshToken } = sent.data;
  const tokens = await auth.signIns.sessionOf({ token, refreshToken }, by);
  const isTheirs = tokens !== undefined && (userId ?? tokens.session.userId) === tokens.session.userId;
  return isTheirs ? { ...tokens, ...(userId && { userId }) } : undefined;
};

const renewed = async ({ auth }: App, sent: z.output<typeof RenewedTokens> | undefined, by: CommandContext) => {
  if (sent === undefined) return undefined;
  return auth.signIns.refresh(sent.data.refresh_token, by).catch(unlessRefused);
};

const unlessRefused = (error: unknown): undefined => {
  if (!(error instanceof Refused)) throw error;
};

const refused = ({ isSecure }: Client) =>
  new Problem('tokens-refused', { headers: { 'Set-Cookie': removeCookies(isSecure) } });
