// What every answer tells browsers: to take it for data and nothing else, and to come by https alone.
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { isSecure } from './origins.js';

// An answer is no page: whatever a browser takes it for, nothing in it may do anything.
const NOTHING_BUT_DATA = {
  defaultSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/** Sets the headers on the answers of the application. */
export const securityHeaders = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: NOTHING_BUT_DATA },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  strictTransportSecurity: false,
});

const strictTransport = helmet.strictTransportSecurity();

/** Tells a browser that came by https to come by https alone (RFC 6797, 7.2: by http it must not be told). */
export const httpsFromNowOn: RequestHandler = (request, response, next) =>
  isSecure(request) ? strictTransport(request, response, next) : next();

/** Those of an answer that is written where no application is at hand. */
export const bareSecurityHeaders = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;
