// How a route becomes a handler of Express: parse, do, answer. Failures go to the one place that answers them.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { CommandContext } from '../commands/context.js';
import { type CommandIds, randomIds } from '../commands/ids.js';
import type { Idempotency, StoredAnswer } from './idempotency.js';
import { Problem } from './problems.js';
import { type Parsed, parseRequest } from './requests.js';
import { type Answer, type Call, type Route, successStatuses } from './route.js';

/** What is known of a request before anything of it was read; set on `response.locals`. */
export interface RequestContext {
  /** The id of this request, a UUID v7: `X-Request-Id`, and `instance` of a problem. */
  readonly requestId: string;
  /** The trace that it belongs to, 32 hex digits. */
  readonly traceId: string;
  /** The prefix under which the route was reached. */
  readonly prefix: string;
}

/** The context of the request that a response answers. */
export const contextOf = (response: Response): RequestContext => response.locals as RequestContext;

/** Makes the handler of a route. */
export const handlerOf = (route: Route, idempotency: Idempotency): RequestHandler => {
  const [status = 200] = successStatuses(route);
  // A question is asked anew: its answer may say something of a person, and would outlive their erasure for a day.
  const isAnsweredOnce = route.method !== 'get' && !route.recordsNothing;

  return async (request, response) => {
    response.locals['route'] = route.path;
    const parsed = await parseRequest(route, request, response);
    const work = async (ids: CommandIds, resumed: boolean): Promise<StoredAnswer> => {
      const call = callOf(parsed, { ...whoCalls(parsed, response), ids, resumed });
      const answer = await route.handle(call as never);
      return toStored(answer.status ?? status, answer, { request, response });
    };
    const stream = streamAskedFor(route, request);
    if (stream !== undefined) {
      const call = callOf(parsed, { ...whoCalls(parsed, response), ids: randomIds(), resumed: false });
      await sendStream(response, stream.type, await stream.begin(call as never));
      return;
    }
    if (!isAnsweredOnce || parsed.idempotencyKey === undefined) {
      send(request, response, await work(randomIds(), false));
      return;
    }
    const { method, path } = request;
    const identity = { caller: 'anonymous', method, path, key: parsed.idempotencyKey, payload: parsed.body };
    const { answer, replayed } = await idempotency.once(identity, work);
    if (replayed) response.setHeader('Idempotency-Replayed', 'true');
    send(request, response, answer);
  };
};

/** The form, other than JSON, in which a route is asked to answer. */
const streamAskedFor = ({ streams }: Route, request: Request) => {
  if (streams === undefined) return undefined;
  const type = request.accepts(['application/json', ...Object.keys(streams)]);
  if (type === false) throw new Problem('not-acceptable');
  const begin = streams[type];
  return begin && { type, begin };
};

// A client that has heard enough closes its connection; the access log says so.
const sendStream = async (response: Response, type: string, texts: AsyncIterable<string>): Promise<void> => {
  response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-store' });
  await pipeline(Readable.from(texts), response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
};

const callOf = ({ params, body, query, asked }: Parsed, by: CommandContext): Call<unknown, unknown, unknown> => ({
  params,
  body,
  query,
  asked,
  by,
});

const whoCalls = ({ origin, precondition }: Parsed, response: Response) => {
  const { requestId, traceId } = contextOf(response);
  return {
    actor: { id: 'anonymous', roles: [] },
    ...(origin !== undefined && { origin }),
    ...(precondition !== undefined && { precondition }),
    correlationId: traceId,
    causationId: requestId,
  };
};

const toStored = (
  status: number,
  { json, revision, position, location, nextCursor }: Answer,
  { request, response }: { request: Request; response: Response },
): StoredAnswer => {
  const headers: Record<string, string> = {};
  if (revision !== undefined) headers['ETag'] = `"${revision}"`;
  if (position !== undefined) headers['Consistency-Token'] = position;
  if (location !== undefined) headers['Location'] = `${contextOf(response).prefix}${location}`;
  if (nextCursor !== undefined) headers['Link'] = `<${nextPage(request, nextCursor)}>; rel="next"`;
  return { status, headers, body: json };
};

const nextPage = ({ originalUrl }: Request, cursor: string): string => {
  const [path = '', query = ''] = originalUrl.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  return `${path}?${parameters}`;
};

const send = (request: Request, response: Response, { status, headers, body }: StoredAnswer): void => {
  for (const name of Object.keys(headers)) response.setHeader(name, headers[name] ?? '');
  if (request.method === 'GET' || request.method === 'HEAD') {
    response.setHeader('Cache-Control', 'no-cache');
    if (isUnchanged(request.headers['if-none-match'], headers['ETag'])) {
      response.writeHead(304).end();
      return;
    }
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  // As bytes: Node would write text and headers in two parts and make room for three bytes a character.
  const bytes = Buffer.from(body);
  response.setHeader('Content-Length', bytes.length);
  response.writeHead(status).end(bytes);
};

// Weak comparison (RFC 9110, 13.1.2).
const isUnchanged = (ifNoneMatch: string | undefined, tag: string | undefined): boolean =>
  ifNoneMatch !== undefined &&
  tag !== undefined &&
  (ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((other) => other.trim().replace(/^W\//, '') === tag));
