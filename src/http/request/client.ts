// The properties of the program that sent a request, read on demand.
import { isIP, isIPv6 } from 'node:net';
import type { Request } from 'express';
import { type Language, languages } from '../../auth/codes/texts.js';
import { type Cookies, readCookies } from './cookies.js';
import { isFromTrustedPage, isSecure } from './origins.js';

/** The program that sent a request. */
export class Client {
  readonly #request: Request;
  /** The name that the program sends in the app-name header. */
  readonly appName: string | undefined;

  constructor(request: Request, appName: string | undefined) {
    this.#request = request;
    this.appName = appName;
  }

  /** The address of the program, as `addressOf` returns it. */
  get address(): string {
    return addressOf(this.#request);
  }

  /** Whether the program uses https. If so, its cookies are restricted to https. */
  get isSecure(): boolean {
    return isSecure(this.#request);
  }

  /** Whether the program is a page of this service or of a listed origin. */
  get isTrustedPage(): boolean {
    return isFromTrustedPage(this.#request);
  }

  /** The language that the user prefers. Default: the first supported language. */
  get language(): Language {
    return languages.find((language) => language === this.#request.acceptsLanguages(...languages)) ?? languages[0];
  }

  get cookies(): Cookies {
    return readCookies(this.#request.headers.cookie);
  }

  /** The token in the Authorization header, not verified. */
  get token(): string | undefined {
    return tokenIn(this.#request.headers.authorization);
  }
}

/**
 * Returns the token in an Authorization header, with or without the word Bearer. Pages whose user has signed out send
 * `null`, `undefined` or nothing in place of a token.
 */
export const tokenIn = (authorization = ''): string | undefined => {
  const token = authorization.trim().replace(/^bearer(\s+|$)/i, '');
  return /^(null|undefined)?$/i.test(token) ? undefined : token;
};

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Returns the address of a request: an IPv4 address, or the /64 network of an IPv6 address, because one client owns the
 * entire network. Behind a trusted proxy, the address comes from X-Forwarded-For. If that header has no valid address,
 * the address of the proxy counts.
 */
export const addressOf = ({ ip, socket }: Request): string => {
  const named = withoutPort(ip ?? '');
  return networkOf(isIP(named) === 0 ? (socket.remoteAddress ?? '') : named);
};

// Some proxies include the port.
const withoutPort = (address: string): string =>
  /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? /^\[([\da-f:.]+)\](:\d+)?$/i.exec(address)?.[1] ?? address;

/** Returns the key by which an address is counted: an IPv4 address, or the /64 network of an IPv6 address. */
export const networkOf = (address: string): string => {
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = '', tail = ''] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0');
  return `${[...groups(head), ...zeros, ...groups(tail)].slice(0, 4).join(':')}::/64`;
};
