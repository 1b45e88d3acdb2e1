// Web origins (RFC 6454): by which one clients know the service, and from which one a request comes.
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';

/**
 * Whose page a browser sends a request for. `listed`: one of another origin that an operator trusts. `unsaid`: by no
 * browser, or by one that does not say.
 */
export type Site = 'own' | 'listed' | 'other' | 'unsaid';

/** What is known of origins. */
export interface KnownOrigins {
  /** The service's own. */
  readonly own: readonly string[];
  /** Others that may call it with credentials. */
  readonly listed: readonly string[];
  /** Whether an operator named the own origins; else the request itself did, in its Host. */
  readonly isConfigured: boolean;
}

/** The origins that an operator configures. */
export interface OriginSettings {
  /** The address that clients know the service by; undefined: each request says it. */
  readonly publicUrl: string | undefined;
  /** Other origins that may call with credentials. */
  readonly corsOrigins: readonly string[];
}

/** The site that a request comes from, by Fetch Metadata, or by its Origin where a browser does not send that. */
export const siteIn = (headers: IncomingHttpHeaders, { own, listed, isConfigured }: KnownOrigins): Site => {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin === undefined) return siteNamed(site);
  if (listed.includes(origin)) return 'listed';
  const isOwn = own.includes(origin);
  // To a browser, a page at another name of this server is of the origin that it calls.
  if (site === undefined || (isConfigured && !isOwn)) return isOwn ? 'own' : 'other';
  return siteNamed(site);
};

const siteNamed = (site: string | string[] | undefined): Site => {
  if (site === undefined) return 'unsaid';
  return site === 'same-origin' || site === 'none' ? 'own' : 'other';
};

/** The site that a request comes from. */
export const siteOf = (request: Request): Site => siteIn(request.headers, knownTo(request));

/** Returns whether a page of the service sent a request. A navigation that the user began is sent by no page. */
export const isFromOwnPage = (request: Request): boolean =>
  siteOf(request) === 'own' && request.headers['sec-fetch-site'] !== 'none';

/** Whether clients reach the service by https: as PUBLIC_URL says, else the request, or a trusted proxy for it. */
export const isSecure = (request: Request): boolean => {
  const { publicUrl } = settingsOf(request);
  return publicUrl === undefined ? request.secure : publicUrl.startsWith('https:');
};

const knownTo = (request: Request): KnownOrigins => {
  const { publicUrl, corsOrigins } = settingsOf(request);
  const isConfigured = publicUrl !== undefined;
  return { own: isConfigured ? [new URL(publicUrl).origin] : namedBy(request), listed: corsOrigins, isConfigured };
};

// Express looks at X-Forwarded-Host and -Proto where the proxy is trusted (`trust proxy`).
const namedBy = (request: Request): readonly string[] => {
  const host = (request.host as string | undefined)?.toLowerCase();
  if (host === undefined) return [];
  // Where clients come by https, a page that came by http may be anybody's who sits on the line. Where that cannot be
  // known, as a proxy that is not trusted may speak https, both are own.
  return [`https://${host}`, ...(request.secure ? [] : [`http://${host}`])];
};

/** Where the application keeps the settings. */
export const ORIGIN_SETTINGS = 'origin settings';
const settingsOf = ({ app }: Request): OriginSettings => app.get(ORIGIN_SETTINGS) as OriginSettings;
