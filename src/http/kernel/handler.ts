// How a route becomes a handler of Express: parse, do, answer. Failures go to the one place that answers them.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { Bearer } from '../../auth/tokens/access-tokens.js';
import { PreconditionFailed } from '../../commands/context.js';
import { type CommandIds, randomIds } from '../../commands/ids.js';
import { Client } from '../edge/client.js';
import type { RequestLimits } from '../edge/rate-limits.js';
import { isAdministrator } from './access.js';
import type { BodyReader } from './bodies.js';
import { type Guard, passGate } from './gate.js';
import type { Idempotency, RequestIdentity, StoredAnswer } from './idempotency.js';
import type { Handle } from './methods.js';
import type { LoadOpaque } from './opaque.js';
import { Problem } from './problems.js';
import { contextOf } from './request-context.js';
import { type Parsed, parseRequest } from './requests.js';
import { type Answer, type Call, type Route, successStatuses } from './route.js';
import { sendAnswer } from './sending.js';

/** The services that every handler uses. */
export interface HandlerServices {
  readonly idempotency: Idempotency;
  readonly guard: Guard;
  readonly limits: RequestLimits | undefined;
  readonly bodies: BodyReader;
  readonly opaque: LoadOpaque;
}

/** Makes the handler of a route. */
export const handlerOf = (route: Route, services: HandlerServices): Handle => {
  const { idempotency, guard, limits, opaque } = services;
  const [status = 200] = successStatuses(route);

  return async (request, response) => {
    const bearer = await passGate(route, response, guard);
    await limits?.ofUser(route.access.rate, bearer, response);
    const parsed = await parseRequest(route, request, services);
    refuseVersions(route, parsed);
    const { params, body, query, asked } = parsed;
    const seesAll = isAdministrator(guard.callers, bearer);
    const call = { params, body, query, asked, bearer, seesAll, client: new Client(request, parsed.appName) };
    const caller = callerOf(parsed, response, bearer);
    const callBy = (ids: CommandIds, resumed: boolean) =>
      ({ ...call, by: { ...caller, ids, resumed } }) as Call<never, never, never>;
    const work = async (ids: CommandIds, resumed: boolean) => {
      // Loaded first: what is recorded must then be answered.
      if (route.method !== 'get') await opaque();
      const { position, bytes, ...answer } = await route.handle(callBy(ids, resumed));
      const token = position && (await opaque()).seal('consistency-token', position);
      const stored = toStored(route, answer.status ?? status, { ...answer, token }, response);
      return { answer: stored, bytes, persons: route.access.personal ? answer.shows : [] };
    };
    const stream = streamAskedFor(route, request);
    if (stream !== undefined) {
      await sendStream(response, stream.type, await stream.begin(callBy(randomIds(), false)));
      return;
    }
    const identity = identityOf(route, response, parsed, bearer);
    if (identity === undefined) {
      const { answer, bytes } = await work(randomIds(), false);
      sendAnswer(response, answer, bytes && { type: route.type, bytes });
      return;
    }
    const { answer, replayed } = await idempotency.once(identity, work);
    sendAnswer(response, replayed ? asReplayed(answer) : answer);
  };
};

/** What makes a request the same as one before; undefined where it is done anew each time. */
const identityOf = (
  route: Route,
  response: Response,
  { idempotencyKey: key, body: payload }: Parsed,
  bearer: Bearer | undefined,
): RequestIdentity | undefined => {
  // A question is asked anew: its answer may say something of a person, and would outlive their erasure for a day.
  if (key === undefined || route.method === 'get' || route.recordsNothing) return undefined;
  const { method, path } = response.req;
  // With or without a prefix, it is the same route.
  const routed = path.slice(contextOf(response).prefix.length);
  return { caller: bearer?.userId ?? ANONYMOUS, method, path: routed, key, payload };
};

const asReplayed = (answer: StoredAnswer): StoredAnswer => ({
  ...answer,
  headers: { ...answer.headers, 'Idempotency-Replayed': 'true' },
});

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
  const fields = ['Content-Type', `${type}; charset=utf-8`, 'Cache-Control', 'no-store'];
  contextOf(response).head.write(200, fields);
  await pipeline(Readable.from(texts), response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
};

/** The id of an actor who is not known. */
export const ANONYMOUS = 'anonymous';

// Where nothing is recorded there is no version of it that a caller could have.
const refuseVersions = ({ method, recordsNothing }: Route, { precondition }: Parsed): void => {
  if (method !== 'get' && recordsNothing && precondition !== undefined) throw new PreconditionFailed(-1);
};

const callerOf = ({ origin, precondition }: Parsed, response: Response, bearer: Bearer | undefined) => {
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
  { access }: Route,
  status: number,
  {
    json,
    revision,
    tag = revision?.toString(),
    token,
    location,
    nextCursor,
    ...own
  }: Omit<Answer, 'position'> & { token: string | undefined },
  response: Response,
): StoredAnswer => {
  const headers: Record<string, string> = { ...own.headers };
  if (access.personal) headers['Cache-Control'] = 'no-store';
  if (tag !== undefined) headers['ETag'] = `"${tag}"`;
  if (token !== undefined) headers['Consistency-Token'] = token;
  if (location !== undefined) headers['Location'] = `${contextOf(response).prefix}${location}`;
  if (nextCursor !== undefined) headers['Link'] = `<${nextPage(response.req, nextCursor)}>; rel="next"`;
  return { status, headers, body: json, ...(own.cookies !== undefined && { cookies: own.cookies }) };
};

const nextPage = ({ originalUrl }: Request, cursor: string): string => {
  const [path = ''] = originalUrl.split('?', 1);
  // A query may have question marks in it (RFC 3986, 3.4).
  const parameters = new URLSearchParams(originalUrl.slice(path.length));
  parameters.set('cursor', cursor);
  return `${path}?${parameters}`;
};
