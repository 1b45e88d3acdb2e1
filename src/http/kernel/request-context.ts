// What the application knows of a request beside what the request brings; Express keeps it in `response.locals`.
import type { RequestHandler, Response } from 'express';
import { newUuid } from '../../commands/uuid.js';
import { type Fields, Head } from './head.js';

/** What is known of a request. */
export class RequestContext {
  readonly startedAt = performance.now();
  /** The id of this request, a UUID v7: `X-Request-Id`, and `instance` of a problem. */
  readonly requestId = newUuid();
  /** The trace that it belongs to, 32 hex digits. */
  readonly traceId: string;
  readonly head: Head;
  /** The prefix under which the route was reached. */
  prefix = '';
  /** The path of the route, as OpenAPI shows it, or of the page; undefined if there is none. */
  route: string | undefined = undefined;
  /** The bearer of the token, also of a caller who was refused; undefined if none was read. */
  userId: string | undefined = undefined;
  /** Whether the body of the response may still be compressed. */
  isCompressible = false;

  /** `traceId`: the trace that the request names. `common`: the headers of every response. */
  constructor(response: Response, traceId: string | undefined, common: Fields) {
    this.traceId = traceId ?? this.requestId.replaceAll('-', '');
    this.head = new Head(response, this.requestId, common);
  }
}

/** Returns a handler that notes the route of a request. */
export const noteRoute =
  (route: string): RequestHandler =>
  (_, response, next) => {
    contextOf(response).route = route;
    next();
  };

/** Returns the context of the request that a response answers. */
export const contextOf = (response: Response): RequestContext => response.locals as RequestContext;
