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
}

/** What an operator says of them. */
export interface OriginSettings {
  /** The address that clients know the service by; undefined: each request says it. */
  readonly publicUrl: string | undefined;
  /** Other origins that may call with credentials. */
  readonly corsOrigins: readonly string[];
}

/** The site that a request comes from, by Fetch Metadata, or by its Origin where a browser does not send that. */
export const siteIn = (headers: IncomingHttpHeaders, { own, listed }: KnownOrigins): Site => {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && listed.includes(origin)) return 'listed';
  if (site !== undefined) return site === 'same-origin' || site === 'none' ? 'own' : 'other';
  if (origin === undefined) return 'unsaid';
  return own.includes(origin) ? 'own' : 'other';
};

/** The site that a request comes from. */
export const siteOf = (request: Request): Site => siteIn(request.headers, knownTo(request));

/** Whether clients reach the service by https: as PUBLIC_URL says, else the request, or a trusted proxy for it. */
export const isSecure = (request: Request): boolean => {
  const { publicUrl } = settingsOf(request);
  return publicUrl === undefined ? request.secure : publicUrl.startsWith('https:');
};

// Express looks at X-Forwarded-Host and -Proto where the proxy is trusted (`trust proxy`).
const knownTo = (request: Request): KnownOrigins => {
  const { publicUrl, corsOrigins } = settingsOf(request);
  const host = (request.host as string | undefined)?.toLowerCase();
  return {
    own: [
      ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin]),
      // Where clients come by https, a page that came by http may be anybody's who sits on the line. Where that cannot be
      // known, as a proxy that is not trusted may speak https, both are own.
      ...(host === undefined ? [] : [`https://${host}`, ...(isSecure(request) ? [] : [`http://${host}`])]),
    ],
    listed: corsOrigins,
  };
};

/** Where the application keeps the settings. */
export const ORIGIN_SETTINGS = 'origin settings';
const settingsOf = ({ app }: Request): OriginSettings => app.get(ORIGIN_SETTINGS) as OriginSettings;
