// Creates a span for each request. The id of the span follows from the request's id, which every event records, so that
// an event can be traced back to its request.
import type { RequestHandler, Response } from 'express';
import { placeOfRequest, remoteSpanOf } from '../../infrastructure/tracing/places.js';
import type { Span, Tracing } from '../../infrastructure/tracing/tracing.js';
import { contextOf } from '../kernel/request-context.js';

/** Returns a handler that runs the handlers after it in a span. The span ends when the response closes. */
export const tracedRequests =
  (tracing: Tracing): RequestHandler =>
  (request, response, next) => {
    const { requestId, traceId } = contextOf(response);
    const start = {
      name: request.method,
      kind: 'server',
      attributes: { 'http.request.method': request.method, 'request.id': requestId },
      parent: remoteSpanOf(request.headers['traceparent']),
      place: placeOfRequest({ correlationId: traceId, causationId: requestId }),
    } as const;
    const work = (span: Span) =>
      new Promise<void>((resolve) => {
        response.once('close', () => {
          recordResponse(span, response);
          resolve();
        });
        next();
      });
    void tracing.span(start, work);
  };

// Only known routes are recorded: a path that a client invented can contain personal data.
const recordResponse = (span: Span, response: Response): void => {
  const { route, prefix } = contextOf(response);
  if (route !== undefined) {
    span.rename(`${response.req.method} ${prefix}${route}`);
    span.set({ 'http.route': `${prefix}${route}` });
  }
  const status = response.writableFinished ? response.statusCode : 499;
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(`${status}`);
};
