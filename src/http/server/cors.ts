// Allows pages of the listed origins to call the service with credentials (the Fetch standard, 3.3).
import cors from 'cors';
import type { RequestHandler } from 'express';
import { contextOf } from '../response/request-context.js';
import { responseHeaders } from '../response/response-headers.js';

const OF_SIGN_INS = ['Authorization'];
const OF_REQUESTS = ['X-Request-Id', 'Allow'];
const CONDITIONS = ['If-Match', 'If-None-Match', 'Idempotency-Key', 'Consistency-Token'];
// The browser SDKs of tracing send the last two (W3C Baggage, Sentry).
const OF_CLIENTS = ['app-name', 'traceparent', 'tracestate', 'baggage', 'sentry-trace'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
// No script may read Set-Cookie.
const EXPOSED = Object.keys(responseHeaders).filter((name) => name !== 'Set-Cookie');
const PREFLIGHT_KEPT_S = 600;

/**
 * Returns a handler that responds to preflights of the listed origins and lets their pages read responses. Other
 * origins get no CORS headers.
 */
export const crossOrigin = (listed: readonly string[]): RequestHandler => {
  const settings = {
    origin: [...listed],
    credentials: true,
    methods: METHODS,
    allowedHeaders: ['Authorization', 'Content-Type', ...CONDITIONS, ...OF_CLIENTS],
    exposedHeaders: [...EXPOSED, ...OF_REQUESTS, ...OF_SIGN_INS],
    maxAge: PREFLIGHT_KEPT_S,
  };
  const handlePreflight = cors(settings);
  const allow = cors({ ...settings, preflightContinue: true });
  return (request, response, next) => {
    const { head } = contextOf(response);
    head.varyBy('Origin');
    const { origin } = request.headers;
    if (origin === undefined || !listed.includes(origin)) return next();
    head.set();
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    (isPreflight ? handlePreflight : allow)(request, response, next);
  };
};
