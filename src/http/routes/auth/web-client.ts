// The server routes of the web client, which store tokens in cookies: endpoints 22 and 23 of the contract.

import { unidentified } from '../../access/access.js';
import { keepTokens, removeCookies, signInCookies } from '../../request/cookies.js';
import type { RouteContext } from '../../route/context.js';
import { nothing, post, type Route } from '../../route/route.js';
import { aRefreshToken } from './shared.js';
import { TokenPair, TokenUpdate } from './sign-in-schemas.js';
import { updateOf } from './token-update.js';

/** Returns the routes of the web client, which are served only at their own paths. */
export const webRoutes = (app: RouteContext): readonly Route[] => [
  post('/api/update-token', {
    access: { who: unidentified, rate: 'session', personal: true },
    name: 'updateToken',
    summary: 'Stores the tokens of a sign-in in cookies, or renews them',
    description:
      'Sets the cookies TOKEN, REFRESH_TOKEN and, if a user id is given, USER_ID. A page of the same origin may omit `refresh_token`; the service then uses the cookie REFRESH_TOKEN. If the tokens cannot be stored or renewed, the response is 401 and removes the cookies, unless the request has no wrong token and the cookies belong to an active session.',
    recordsNothing: true,
    usesCookies: true,
    body: TokenUpdate,
    example: { url: 'auth-service/refresh-token', data: { refresh_token: aRefreshToken } },
    responses: { 200: TokenPair },
    refuses: ['tokens-refused', 'too-contended'],
    handle: async ({ body, by, client }) => {
      const { userId, ...tokens } = await updateOf(app, { body, client, by });
      const { token, refreshToken } = tokens;
      return {
        json: JSON.stringify({ token, refreshToken }),
        headers: { Authorization: `Bearer ${token}` },
        cookies: keepTokens(tokens, { userId, isSecure: client.isSecure }),
      };
    },
  }),
  post('/api/sign-out', {
    access: { who: unidentified, rate: 'session', personal: true },
    name: 'signOut',
    summary: 'Signs out: ends the session and removes every cookie that may hold a sign-in',
    description: 'The response is the same without a token or with a wrong token.',
    recordsNothing: true,
    usesCookies: true,
    responses: { 301: nothing },
    refuses: ['too-contended'],
    handle: async ({ client, by }) => {
      const { cookies } = client;
      const tokens = [client.token, cookies.get(signInCookies.token)].filter((token) => token !== undefined);
      await app.auth.signIns.signOut(tokens, cookies.get(signInCookies.refreshToken), by);
      return {
        json: '',
        headers: { Location: '/' },
        cookies: removeCookies(client.isSecure, cookies),
      };
    },
  }),
];
