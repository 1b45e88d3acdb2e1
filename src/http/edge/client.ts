// What a request tells of the program that sent it, read when it is asked for.
import { isIP, isIPv6 } from 'node:net';
import type { Request } from 'express';
import { type Language, languages } from '../../auth/codes/codes.js';
import { type Cookies, readCookies } from './cookies.js';
import { isFromOwnPage, isSecure } from './origins.js';

/** The program that sent a request. */
export class Client {
  readonly #request: Request;
  /** What it calls itself in the header app-name. */
  readonly appName: string | undefined;

  constructor(request: Request, appName: string | undefined) {
    this.#request = request;
    this.appName = appName;
  }

  /** Where it is, as `addressOf` says it. */
  get address(): string {
    return addressOf(this.#request);
  }

  /** Whether it reaches the service by https: then cookies are for that alone. */
  get isSecure(): boolean {
    return isSecure(this.#request);
  }

  /** Returns whether it is a page of the service itself. */
  get isOwnPage(): boolean {
    return isFromOwnPage(this.#request);
  }

  /** The language that its user reads, of those that there are: the first of them where none is said. */
  get language(): Language {
    return languages.find((language) => language === this.#request.acceptsLanguages(...languages)) ?? languages[0];
  }

  get cookies(): Cookies {
    return readCookies(this.#request.headers.cookie);
  }

  /** The token in the Authorization header, whatever it may be worth. */
  get token(): string | undefined {
    return tokenIn(this.#request.headers.authorization);
  }
}

/** The token in an Authorization header: behind the word Bearer, or bare. */
export const tokenIn = (authorization: string | undefined): string | undefined =>
  authorization?.trim().replace(/^bearer +/i, '');

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Where a request comes from: an IPv4 address, or the /64 network of an IPv6 address, because one client owns all of it.
 * Behind a trusted proxy it is what that names in X-Forwarded-For, else the proxy itself.
 */
export const addressOf = ({ ip, socket }: Request): string => {
  const named = withoutPort(ip ?? '');
  return networkOf(isIP(named) === 0 ? (socket.remoteAddress ?? '') : named);
};

// Some proxies name the port, too.
const withoutPort = (address: string): string =>
  /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? /^\[([\da-f:.]+)\](:\d+)?$/i.exec(address)?.[1] ?? address;

/** What addresses are counted by. */
export const networkOf = (address: string): string => {
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = '', tail = ''] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0');
  return `${[...groups(head), ...zeros, ...groups(tail)].slice(0, 4).join(':')}::/64`;
};
