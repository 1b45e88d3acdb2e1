// Web origins (RFC 6454): the origins of the service, and the origin of a request.
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';

/**
 * The site of the page that sent a request. `listed`: another origin that an operator trusts. `unknown`: the request
 * names no site, for example because no browser sent it.
 */
export type Site = 'own' | 'listed' | 'other' | 'unknown';

/** The origins that the service knows. */
export interface KnownOrigins {
  /** The origins of the service itself. */
  readonly own: readonly string[];
  /** Other origins that may call the service with credentials. */
  readonly listed: readonly string[];
  /** Whether an operator configured the own origins. If not, they come from the Host of the request. */
  readonly isConfigured: boolean;
}

/** The origins that an operator configures. */
export interface OriginSettings {
  /** The public URL of the service; undefined if it follows from each request. */
  readonly publicUrl: string | undefined;
  /** Other origins that may call the service with credentials. */
  readonly corsOrigins: readonly string[];
}

/** Returns the site of a request from Fetch Metadata, or from Origin if the browser sends no Fetch Metadata. */
export const siteIn = (headers: IncomingHttpHeaders, { own, listed, isConfigured }: KnownOrigins): Site => {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin === undefined) return siteNamed(site);
  if (listed.includes(origin)) return 'listed';
  const isOwn = own.includes(originOf(origin) ?? origin);
  // A page at another name of this server calls that name, so a browser considers the call same-origin.
  if (site === undefined || (isConfigured && !isOwn)) return isOwn ? 'own' : 'other';
  return siteNamed(site);
};

const siteNamed = (site: string | string[] | undefined): Site => {
  if (site === undefined) return 'unknown';
  return site === 'same-origin' || site === 'none' ? 'own' : 'other';
};

/** Returns the site of a request. */
export const siteOf = (request: Request): Site => siteIn(request.headers, knownTo(request));

/**
 * Returns whether a page of the service or of a listed origin sent a request. A navigation that the user started does
 * not count.
 */
export const isFromTrustedPage = (request: Request): boolean =>
  ['own', 'listed'].includes(siteOf(request)) && request.headers['sec-fetch-site'] !== 'none';

/**
 * Returns whether clients reach the service over https. PUBLIC_URL decides. Without it, the request or its trusted
 * proxy does.
 */
export const isSecure = (request: Request): boolean => {
  const { publicUrl } = settingsOf(request);
  // A proxy may write the scheme in any case (RFC 3986, 3.1).
  return publicUrl === undefined ? /^https$/i.test(request.protocol) : publicUrl.startsWith('https:');
};

/** Returns the origin of a URL as browsers write it, without a default port and in lower case; undefined if invalid. */
const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);

const knownTo = (request: Request): KnownOrigins => {
  const { publicUrl, corsOrigins } = settingsOf(request);
  const isConfigured = publicUrl !== undefined;
  return { own: isConfigured ? [new URL(publicUrl).origin] : namedBy(request), listed: corsOrigins, isConfigured };
};

// Express reads X-Forwarded-Host and X-Forwarded-Proto if it trusts the proxy (`trust proxy`).
const namedBy = (request: Request): readonly string[] => {
  // A request of HTTP/1.0 may have no Host.
  const host = (request.host as string | undefined) ?? '';
  // If the request uses https, an http page may come from an attacker on the network, so only the https origin is own.
  // Otherwise, an untrusted proxy may still offer https to clients, so both origins are own.
  const schemes = isSecure(request) ? ['https'] : ['https', 'http'];
  return schemes.flatMap((scheme) => originOf(`${scheme}://${host}`) ?? []);
};

/** The name of the Express setting that holds the `OriginSettings`. */
export const ORIGIN_SETTINGS = 'origin settings';
const settingsOf = ({ app }: Request): OriginSettings => app.get(ORIGIN_SETTINGS) as OriginSettings;
