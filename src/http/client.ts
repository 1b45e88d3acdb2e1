// What a request tells of the program that sent it, read when it is asked for.
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Request } from 'express';
import { type Language, languages } from '../auth/codes.js';
import { type Cookies, readCookies } from './cookies.js';

/** Whose page a browser sends a request for. `unsaid`: by no browser, or by one that does not say. */
export type Site = 'own' | 'other' | 'unsaid';

/** The site that a request comes from, by Fetch Metadata, or by RFC 6454 where a browser does not send that. */
export const siteOf = ({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): Site => {
  if (site !== undefined) return site === 'same-origin' || site === 'none' ? 'own' : 'other';
  if (origin === undefined) return 'unsaid';
  return host !== undefined && [`http://${host}`, `https://${host}`].includes(origin) ? 'own' : 'other';
};

/** The program that sent a request. */
export class Client {
  readonly #request: Request;
  /** What it calls itself in the header app-name. */
  readonly appName: string | undefined;

  constructor(request: Request, appName: string | undefined) {
    this.#request = request;
    this.appName = appName;
  }

  /** Where it is: an IPv4 address, or the /64 network of an IPv6 address, of which whoever has one has all. */
  get address(): string {
    return networkOf(this.#request.socket.remoteAddress ?? '');
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

/** What addresses are counted by. */
export const networkOf = (address: string): string => {
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = '', tail = ''] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0');
  return `${[...groups(head), ...zeros, ...groups(tail)].slice(0, 4).join(':')}::/64`;
};
