// How a route becomes a handler of Express: parse, do, answer. Failures go to the one place that answers them.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Bearer } from '../auth/tokens.js';
import { PreconditionFailed } from '../commands/context.js';
import { type CommandIds, randomIds } from '../commands/ids.js';
import { Client } from './client.js';
import { type Guard, gateOf } from './gate.js';
import type { Idempotency, RequestIdentity, StoredAnswer } from './idempotency.js';
import type { RequestLimits } from './limits.js';
import { isAdministrator } from './policy.js';
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

/** What every handler works with. */
export interface Means {
  readonly idempotency: Idempotency;
  readonly guard: Guard;
  readonly limits: RequestLimits | undefined;
}

/** Makes the handler of a route. */
export const handlerOf = (route: Route, { idempotency, guard, limits }: Means): RequestHandler => {
  const [status = 200] = successStatuses(route);
  const pass = gateOf(route, guard);

  return async (request, response) => {
    response.locals['route'] = route.path;
    const bearer = await pass(request, response);
    await limits?.ofUser(route.path, bearer, response);
    const parsed = await parseRequest(route, request, response);
    refuseVersions(route, parsed);
    const calling = { request, response, bearer, seesAll: isAdministrator(guard.callers, bearer) };
    const callBy = (ids: CommandIds, resumed: boolean) => callOf(parsed, { ...calling, ids, resumed });
    const work = async (ids: CommandIds, resumed: boolean): Promise<StoredAnswer> => {
      const answer = await route.handle(callBy(ids, resumed));
      return toStored(route, answer.status ?? status, answer, { request, response });
    };
    const stream = streamAskedFor(route, request);
    if (stream !== undefined) {
      await sendStream(response, stream.type, await stream.begin(callBy(randomIds(), false)));
      return;
    }
    const identity = identityOf(route, request, { parsed, bearer });
    if (identity === undefined) {
      send(request, response, await work(randomIds(), false));
      return;
    }
    const { answer, replayed } = await idempotency.once(identity, work);
    if (replayed) response.setHeader('Idempotency-Replayed', 'true');
    send(request, response, answer);
  };
};

/** What makes a request the same as one before; undefined where it is done anew each time. */
const identityOf = (
  route: Route,
  { method, path }: Request,
  { parsed, bearer }: { readonly parsed: Parsed; readonly bearer: Bearer | undefined },
): RequestIdentity | undefined => {
  const { idempotencyKey: key, body: payload } = parsed;
  // A question is asked anew: its answer may say something of a person, and would outlive their erasure for a day.
  if (key === undefined || route.method === 'get' || route.recordsNothing) return undefined;
  return { caller: bearer?.userId ?? ANONYMOUS, method, path, key, payload };
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

const ANONYMOUS = 'anonymous';

interface Calling {
  readonly request: Request;
  readonly response: Response;
  readonly bearer: Bearer | undefined;
  readonly seesAll: boolean;
  readonly ids: CommandIds;
  readonly resumed: boolean;
}

const callOf = (parsed: Parsed, calling: Calling): Call<never, never, never> => {
  const { request, response, bearer, seesAll, ids, resumed } = calling;
  const { params, body, query, asked, appName } = parsed;
  const by = { ...whoCalls(parsed, response, bearer), ids, resumed };
  const client = new Client(request, appName);
  return { params, body, query, asked, by, bearer, seesAll, client } as Call<never, never, never>;
};

// Where nothing is recorded there is no version of it that a caller could have.
const refuseVersions = ({ method, recordsNothing }: Route, { precondition }: Parsed): void => {
  if (method !== 'get' && recordsNothing && precondition !== undefined) throw new PreconditionFailed(-1);
};

const whoCalls = ({ origin, precondition }: Parsed, response: Response, bearer: Bearer | undefined) => {
  const { requestId, traceId } = contextOf(response);
  return {
    actor: { id: bearer?.userId ?? ANONYMOUS, roles: bearer?.roles ?? [] },
    ...(origin !== undefined && { origin }),
    ...(precondition !== undefined && { precondition }),
    correlationId: traceId,
    causationId: requestId,
  };
};

const toStored = (
  { isSecret, isPersonal }: Route,
  status: number,
  { json, revision, position, location, nextCursor, ...own }: Answer,
  { request, response }: { request: Request; response: Response },
): StoredAnswer => {
  const headers: Record<string, string> = {
    ...own.headers,
    ...((isSecret || isPersonal) && { 'Cache-Control': 'no-store' }),
  };
  if (revision !== undefined) headers['ETag'] = `"${revision}"`;
  if (position !== undefined) headers['Consistency-Token'] = position;
  if (location !== undefined) headers['Location'] = `${contextOf(response).prefix}${location}`;
  if (nextCursor !== undefined) headers['Link'] = `<${nextPage(request, nextCursor)}>; rel="next"`;
  return { status, headers, body: json, ...(own.cookies !== undefined && { cookies: own.cookies }) };
};

const nextPage = ({ originalUrl }: Request, cursor: string): string => {
  const [path = ''] = originalUrl.split('?', 1);
  // A query may have question marks in it (RFC 3986, 3.4).
  const parameters = new URLSearchParams(originalUrl.slice(path.length));
  parameters.set('cursor', cursor);
  return `${path}?${parameters}`;
};

const send = (request: Request, response: Response, { status, headers, body, cookies }: StoredAnswer): void => {
  for (const name of Object.keys(headers)) response.setHeader(name, headers[name] ?? '');
  if (cookies !== undefined) response.setHeader('Set-Cookie', cookies);
  if (isRead(request)) {
    if (headers['Cache-Control'] === undefined) response.setHeader('Cache-Control', 'no-cache');
    if (isUnchanged(request.headers['if-none-match'], headers['ETag'])) {
      response.writeHead(304).end();
      return;
    }
  }
  sendBody(response, status, body);
};

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

const sendBody = (response: Response, status: number, body: string): void => {
  if (body === '') {
    if (status !== 204) response.setHeader('Content-Length', 0);
    response.writeHead(status).end();
    return;
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const length = Buffer.byteLength(body);
  response.setHeader('Content-Length', length);
  // As text, which Node writes in one part with the headers; bytes would be another. ASCII needs no encoding.
  response.writeHead(status).end(body, length === body.length ? 'latin1' : 'utf8');
};

// Weak comparison (RFC 9110, 13.1.2).
const isUnchanged = (ifNoneMatch: string | undefined, tag: string | undefined): boolean =>
  ifNoneMatch !== undefined &&
  tag !== undefined &&
  (ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((other) => other.trim().replace(/^W\//, '') === tag));
