// The state that the application keeps for a request. Express stores it in `response.locals`.
import { isSpanContextValid, type Span } from '@opentelemetry/api';
import type { RequestHandler, Response } from 'express';
import type { Bearer } from '../../auth/tokens/access-tokens.js';
import { newUuid } from '../../commands/ids.js';
import { problemJson } from '../problems/formats.js';
import { type Fields, Head } from './head.js';

/** Counts a response while its client has not read it. */
export interface HoldsUnread {
  readonly hold: (response: Response, bytes: number) => void;
}

/** Checks the caller again while a long response lasts. Rejects if the caller may no longer have it. */
export interface ChecksLasting {
  readonly checkLasting: () => Promise<void>;
}

/** The context of a request. */
export class RequestContext {
  readonly startedAt = performance.now();
  /** The id of this request, a UUID v7: `X-Request-Id`, and `instance` of a problem. */
  readonly requestId = newUuid();
  /** The id of the trace to which the request belongs, 32 hex digits. Without a trace, it follows from `requestId`. */
  readonly traceId: string;
  readonly head: Head;
  /** The prefix under which the route was reached. */
  prefix = '';
  /** The path of the route, as OpenAPI shows it, or of the page; undefined if no route matched. */
  route: string | undefined = undefined;
  /** The bearer of the token, even if the request was rejected; undefined if no token was read. */
  userId: string | undefined = undefined;
  /** The bearer whom the gate of a page outside the routes let in. */
  bearer: Bearer | undefined = undefined;
  /** What let the request in; undefined before that. */
  admission: ChecksLasting | undefined = undefined;
  /** How a problem of the request is written. */
  problems = problemJson;
  /** Whether the body of the response may be compressed. */
  isCompressible = false;
  /** Counts the response while its client has not read it; undefined if nothing counts it. */
  unread: HoldsUnread | undefined = undefined;

  /** `span`: the span of the request, if there is one. `common`: the headers of every response. */
  constructor(
    response: Response,
    readonly span: Span | undefined,
    common: Fields,
  ) {
    const place = span?.setAttribute('request.id', this.requestId).spanContext();
    this.traceId = place && isSpanContextValid(place) ? place.traceId : this.requestId.replaceAll('-', '');
    this.head = new Head(response, this.requestId, common);
  }
}

/** Returns a handler that records the route of a request. */
export const noteRoute =
  (route: string): RequestHandler =>
  (_, response, next) => {
    contextOf(response).route = route;
    next();
  };

/** Returns the context of a request, given its response. */
export const contextOf = (response: Response): RequestContext => response.locals as RequestContext;
