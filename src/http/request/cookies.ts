// Reads and writes the cookies (RFC 6265) that hold tokens.
import { parseCookie, stringifySetCookie } from 'cookie';
import { sessionLimits } from '../../auth/sessions/sessions.js';
import type { Tokens } from '../../auth/sign-ins.js';

/** The cookies of a request by name. If a name occurs twice, the first value counts. */
export type Cookies = ReadonlyMap<string, string>;

/** The cookies that hold a sign-in. */
export const signInCookies = { token: 'TOKEN', refreshToken: 'REFRESH_TOKEN', userId: 'USER_ID' } as const;

const NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;
const HOLDS_A_SIGN_IN = /token|auth|session/i;
// A request with many cookies must not produce an unbounded response.
const MAX_EXPIRED = 100;

/** Parses a Cookie header. Removes quotes but decodes nothing. Omits cookies with invalid names. */
export const readCookies = (header: string | undefined): Cookies => {
  const cookies = parseCookie(header ?? '', { decode: (value) => value.replace(/^"(.*)"$/, '$1') });
  return new Map(
    Object.entries(cookies).flatMap(([name, value]) => (NAME.test(name) && value !== undefined ? [[name, value]] : [])),
  );
};

/**
 * Returns the Set-Cookie value of a cookie that no script can read and no other site can send. It expires after
 * `seconds`.
 */
export const setCookie = (
  name: string,
  value: string,
  { seconds, isSecure: secure }: { readonly seconds: number; readonly isSecure: boolean },
): string => stringifySetCookie({ name, value, maxAge: seconds, path: '/', httpOnly: true, secure, sameSite: 'lax' });

/**
 * Returns the Set-Cookie values that remove the sign-in cookies, and other cookies in `sent` that may hold a sign-in.
 */
export const removeCookies = (isSecure: boolean, sent: Cookies = new Map()): string[] => {
  const own: readonly string[] = Object.values(signInCookies);
  const others = [...sent.keys()].filter((name) => HOLDS_A_SIGN_IN.test(name) && !own.includes(name));
  return [...own, ...others.slice(0, MAX_EXPIRED)].map((name) =>
    // Browsers accept these prefixes only with Secure (RFC 6265bis, 4.1.3).
    setCookie(name, '', { seconds: 0, isSecure: isSecure || /^__(host|secure)-/i.test(name) }),
  );
};

/**
 * Returns the Set-Cookie values that keep the tokens of a session for as long as the session may stay unused, and the
 * id of its user if it is given.
 */
export const keepTokens = (
  { token, refreshToken, session }: Tokens,
  { userId, isSecure }: { readonly userId?: string | undefined; readonly isSecure: boolean },
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
