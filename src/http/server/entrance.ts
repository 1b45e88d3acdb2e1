// The first handler of every request. It creates the context, rejects requests that no route may see, and reports the
// response. One handler does all of this, because each Express handler costs about a microsecond in addition to its
// work.
import { type Span, SpanKind } from '@opentelemetry/api';
import type { Request, RequestHandler, Response } from 'express';
import type { Log } from '../../infrastructure/log.js';
import { isLoopback } from '../../infrastructure/loopback.js';
import { callerContext, markFailed, tracer, within } from '../../infrastructure/tracing.js';
import type { Callers } from '../access/access.js';
import type { ProblemFormatAt } from '../problems/formats.js';
import { Problem } from '../problems/problems.js';
import { isSecure, siteOf } from '../request/origins.js';
import { isSafe } from '../response/methods.js';
import { contextOf, RequestContext } from '../response/request-context.js';
import { securityHeaders } from '../response/security-headers.js';
import { crossOrigin } from './cors.js';

export interface HttpMetrics {
  responded(method: string, route: string, status: number, seconds: number): void;
  /** Counts a request that was rejected because too many were waiting. */
  shed(): void;
}

export interface EntranceOptions {
  readonly log: Log;
  readonly metrics: HttpMetrics;
  readonly callers: Callers;
  readonly corsOrigins: readonly string[];
  /** The prefixes of the paths whose responses are not compressed. */
  readonly uncompressed: readonly string[];
  readonly problemsAt: ProblemFormatAt;
}

export const entrance = (options: EntranceOptions): RequestHandler => {
  const { log, metrics, callers, corsOrigins, uncompressed, problemsAt } = options;
  const report = reporterOf(log, metrics);
  const isOpen = callers === 'open';
  const enter = (request: Request, response: Response): void => {
    if (isOpen) refuseOtherPages(request);
    const context = contextOf(response);
    context.isCompressible = !uncompressed.some((prefix) => request.path.startsWith(`${prefix}/`));
    // A 304 needs this Vary, too, as does a response to a client that accepts no coding (RFC 9110, 12.5.5 and 15.4.5).
    if (context.isCompressible) context.head.varyBy('Accept-Encoding');
  };
  const allowOrigins = corsOrigins.length === 0 ? undefined : crossOrigin(corsOrigins);

  return (request, response, next) => {
    const common = isSecure(request) ? securityHeaders.https : securityHeaders.http;
    const caller = callerContext(request.headers['traceparent']);
    const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, caller);
    response.locals = new RequestContext(response, span, common);
    contextOf(response).problems = problemsAt(request.path);
    response.on('close', report);
    ignoreLongPreferences(request);
    refuseOddTarget(request);
    refuseNameless(request);
    if (isOpen) refuseOtherNames(request);
    const goOn = () => {
      enter(request, response);
      within(span, next);
    };
    if (allowOrigins === undefined) goOn();
    else allowOrigins(request, response, goOn);
  };
};

// Replaces every path that has no route, because a path that a client invented can contain personal data.
const NO_ROUTE = 'none';

/** Returns a listener that counts and logs a request after the response was sent or the client disconnected. */
const reporterOf = (log: Log, metrics: HttpMetrics) =>
  // All responses share one listener. `this` is the response that emitted the event.
  function report(this: Response): void {
    const { requestId, traceId, userId, prefix, route = NO_ROUTE, startedAt, span } = contextOf(this);
    const milliseconds = performance.now() - startedAt;
    const { method } = this.req;
    const status = this.writableFinished ? this.statusCode : 499;
    metrics.responded(method, route, status, milliseconds / 1_000);
    const ms = Math.round(milliseconds * 100) / 100;
    const path = route === NO_ROUTE ? route : `${prefix}${route}`;
    log.info({ requestId, traceId, userId, method, path, status, ms }, 'request');
    if (span?.isRecording()) endSpan(span, { method, path, status });
  };

const endSpan = (span: Span, { method, path, status }: { method: string; path: string; status: number }): void => {
  span.setAttributes({ 'http.request.method': method, 'http.response.status_code': status });
  if (path !== NO_ROUTE) span.updateName(`${method} ${path}`).setAttribute('http.route', path);
  if (status >= 500) markFailed(span, `${status}`);
  span.end();
};

// RFC 9112, 3.2: a path, or the address that a client sends to a proxy. Express drops what follows a `#` and white space
// at the end, and takes a `\` in an address for a slash. A proxy that blocks a path would not see that path.
const TARGET = /^(https?:\/\/[\w.:[\]-]+)?(\/[!-"$->@-[\]-~]*)?(\?[!-"$-~]*)?$|^\*$/i;

const refuseOddTarget = ({ originalUrl }: Request): void => {
  if (!TARGET.test(originalUrl)) throw new Problem('malformed-request');
};

// RFC 9112, 3.2. Node.js would also reject a request without Host, but not with a problem document. Of two Host
// headers, Node.js takes the first, but a proxy may take the last.
const refuseNameless = ({ httpVersion, rawHeaders }: Request): void => {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at] ?? '')) hosts += 1;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) throw new Problem('malformed-request');
};

// The preferences of a client (RFC 9110, 12.5). No client needs more than a few hundred characters, and each item takes time.
const LONGEST_PREFERENCE = 1_000;
const PREFERENCES = ['accept', 'accept-encoding', 'accept-language'] as const;

const ignoreLongPreferences = ({ headers }: Request): void => {
  for (const name of PREFERENCES) if ((headers[name]?.length ?? 0) > LONGEST_PREFERENCE) delete headers[name];
};

const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === 'host';

const refuseOtherNames = ({ headers: { host } }: Request): void => {
  if (host !== undefined && !isLoopback(host.replace(/:\d*$/, ''))) throw new Problem('misdirected-request');
};

// In open mode, every caller may do everything, so a page of another site could misuse a browser on this machine.
// Without a preflight, a page can send only a simple request (Fetch, "CORS-safelisted"), which is never JSON. A browser
// that omits Sec-Fetch-Site still sends the origin of the page. Other clients may send any `origin`, and send JSON.
const refuseOtherPages = (request: Request): void => {
  if (isSafe(request.method)) return;
  const { 'sec-fetch-site': site, 'content-type': type = '', origin } = request.headers;
  const isSimple = request.method === 'POST' && !/^application\/json\b/i.test(type);
  const isPosted = isSimple && site === undefined && isForeignPage(origin);
  const isCrossSite = (site === 'cross-site' || isPosted) && siteOf(request) === 'other';
  if (isCrossSite) throw new Problem('cross-site-request');
};

// A page on another port of this machine belongs to the same site.
const isForeignPage = (origin = ''): boolean =>
  origin === 'null' || (/^https?:/i.test(origin) && URL.canParse(origin) && !isLoopback(new URL(origin).hostname));
