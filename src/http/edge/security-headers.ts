// What every answer tells browsers: to take it for data and nothing else, and to come by https alone.
import helmet from 'helmet';

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
});

/** Those of an answer that is written where no application is at hand. */
export const bareSecurityHeaders = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
} as const;
