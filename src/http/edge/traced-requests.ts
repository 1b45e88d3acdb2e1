// A span for each request. The span is the request's own, so that whatever the request records can be traced back to it.
import type { RequestHandler, Response } from 'express';
import { placeOfRequest, remoteSpanOf } from '../../infrastructure/tracing/places.js';
import type { Span, Tracing } from '../../infrastructure/tracing/tracing.js';
import { contextOf } from '../kernel/request-context.js';

/** Returns the handler that puts what follows it into a span, until the request is answered. */
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
          noteAnswer(span, response);
          resolve();
        });
        next();
      });
    void tracing.span(start, work);
  };

// The route is known by now, unless there is none: a path that a client made up can hold personal data.
const noteAnswer = (span: Span, response: Response): void => {
  const { route, prefix } = contextOf(response);
  if (route !== undefined) {
    span.rename(`${response.req.method} ${prefix}${route}`);
    span.set({ 'http.route': `${prefix}${route}` });
  }
  const status = response.writableFinished ? response.statusCode : 499;
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(`${status}`);
};
