// The cookies that keep a sign-in in a browser.
import { sessionLimits } from '../../auth/sessions/sessions.js';
import type { Tokens } from '../../auth/sessions/sign-ins.js';
import { setCookie, signInCookies } from './cookies.js';

interface CookieOptions {
  /** The user whose id is also in a cookie. */
  readonly userId?: string | undefined;
  readonly isSecure: boolean;
}

/** Returns the Set-Cookie values that keep the tokens of a session for as long as the session may stay unused. */
export const keepTokens = (
  { token, refreshToken, session }: Tokens,
  { userId, isSecure }: CookieOptions,
): readonly string[] => {
  const lasting = { seconds: secondsUntil(session.expiresAt), isSecure };
  // A renewal does not set this cookie again, so the cookie must last for the maximum lifetime of the session.
  const longest = { seconds: secondsUntil(session.createdAt + sessionLimits.absoluteMs), isSecure };
  return [
    setCookie(signInCookies.token, token, lasting),
    setCookie(signInCookies.refreshToken, refreshToken, lasting),
    ...(userId === undefined ? [] : [setCookie(signInCookies.userId, userId, longest)]),
  ];
};

const secondsUntil = (instant: number): number => Math.max(0, Math.floor((instant - Date.now()) / 1_000));
