// Cookies (RFC 6265), as far as tokens are kept in them.
import { parseCookie, stringifySetCookie } from 'cookie';

/** The cookies of a request by name; of two of one name the first. */
export type Cookies = ReadonlyMap<string, string>;

/** The cookies that hold a sign-in. */
export const signInCookies = { token: 'TOKEN', refreshToken: 'REFRESH_TOKEN', userId: 'USER_ID' } as const;

const NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;
const HOLDS_A_SIGN_IN = /token|auth|session/i;
// An answer may not grow with whatever a request brings.
const MOST_EXPIRED = 100;

/** Reads a Cookie header. Values are neither decoded nor quoted; a name that no cookie may have is left out. */
export const readCookies = (header: string | undefined): Cookies => {
  const cookies = parseCookie(header ?? '', { decode: (value) => value.replace(/^"(.*)"$/, '$1') });
  return new Map(
    Object.entries(cookies).flatMap(([name, value]) => (NAME.test(name) && value !== undefined ? [[name, value]] : [])),
  );
};

/** Sets a cookie that no script reads and no other site sends, for so many seconds. */
export const setCookie = (name: string, value: string, { seconds, isSecure: secure }: Lasting): string =>
  stringifySetCookie({ name, value, maxAge: seconds, path: '/', httpOnly: true, secure, sameSite: 'lax' });

interface Lasting {
  readonly seconds: number;
  readonly isSecure: boolean;
}

/** Removes the cookies of a sign-in, and those among `sent` that may hold one of somebody else's making. */
export const removeCookies = (isSecure: boolean, sent: Cookies = new Map()): string[] => {
  const own: readonly string[] = Object.values(signInCookies);
  const others = [...sent.keys()].filter((name) => HOLDS_A_SIGN_IN.test(name) && !own.includes(name));
  return [...own, ...others.slice(0, MOST_EXPIRED)].map((name) =>
    // A browser takes these prefixes with Secure alone (RFC 6265bis, 4.1.3).
    setCookie(name, '', { seconds: 0, isSecure: isSecure || /^__(host|secure)-/i.test(name) }),
  );
};
