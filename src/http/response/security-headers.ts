// The security headers of every response. Browsers must treat a response only as data, and must use https.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { Fields } from './head.js';

// A response is not a page. Even if a browser treats it as a page, nothing in it may load or run.
const NOTHING_BUT_DATA = {
  defaultSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

type Handler = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * Returns the headers that a handler sets. Helmet sets the same headers on each response, so it runs once, at startup.
 */
const setBy = (handler: Handler): Fields => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  handler(response.req, response, (error) => {
    if (error !== undefined) throw error;
  });
  return Object.entries(response.getHeaders()).flatMap(([name, value]) => [name, String(value)]);
};

const byHttp = setBy(
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: NOTHING_BUT_DATA },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    strictTransportSecurity: false,
  }),
);

/**
 * The headers of the application's responses over http and over https. Only responses over https may require https for
 * the future (RFC 6797, 7.2).
 */
export const securityHeaders = {
  http: byHttp,
  https: [...byHttp, ...setBy(helmet.strictTransportSecurity())],
} as const;

/** The headers of a response that the server writes without the application. */
export const bareSecurityHeaders = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;
