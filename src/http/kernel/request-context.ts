// What the application knows of a request beside what the request brings; Express keeps it in `response.locals`.
import type { RequestHandler, Response } from 'express';

/** What is known of a request. */
export interface RequestContext {
  /** The id of this request, a UUID v7: `X-Request-Id`, and `instance` of a problem. */
  readonly requestId: string;
  /** The trace that it belongs to, 32 hex digits. */
  readonly traceId: string;
  /** The prefix under which the router was reached. */
  prefix: string;
  /** The path of the route, as OpenAPI shows it, or of the page; absent if there is none. */
  route?: string;
  /** The bearer of the token, also of a caller who was refused; absent if none was read. */
  userId?: string | undefined;
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
