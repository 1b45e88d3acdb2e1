// Turns a route into an Express handler that parses the request, runs the route and responds. Failures go to the error
// handler of the application.
import type { Request, Response } from 'express';
import type { Bearer } from '../../auth/tokens/access-tokens.js';
import { ActorRefused, type CommandContext, PreconditionFailed } from '../../commands/context.js';
import { type CommandIds, randomIds } from '../../commands/ids.js';
import { isAdministrator } from '../access/access.js';
import { Admission, type Guard } from '../access/gate.js';
import type { RequestLimits } from '../access/rate-limits.js';
import type { BodyReader } from '../request/bodies.js';
import { Client } from '../request/client.js';
import type { Handle } from '../response/methods.js';
import { negotiated } from '../response/negotiation.js';
import { contextOf } from '../response/request-context.js';
import { type StoredResponse, sendResponse, sendStream } from '../response/sending.js';
import type { Idempotency, RequestIdentity } from './idempotency.js';
import type { LoadOpaque } from './opaque.js';
import { type Parsed, parserOf, readRequest } from './requests.js';
import { type Call, type Route, type RouteResult, successStatuses } from './route.js';
import { endOfTurn } from './turn.js';

/** The services that every handler uses. */
export interface HandlerServices {
  readonly idempotency: Idempotency;
  readonly guard: Guard;
  readonly limits: RequestLimits | undefined;
  readonly bodies: BodyReader;
  readonly opaque: LoadOpaque;
}

/** A request that passed all checks. */
interface Admitted {
  readonly route: Route;
  /** The default success status of the route. */
  readonly status: number;
  readonly response: Response;
  readonly parsed: Parsed;
  readonly admission: Admission;
}

/** Returns the handler of a route. */
export const handlerOf = (route: Route, services: HandlerServices): Handle => {
  const { guard, limits } = services;
  const [status = 200] = successStatuses(route);
  const parse = parserOf(route);

  return async (request, response) => {
    const admission = new Admission(route, response, guard);
    await admission.check();
    await limits?.ofUser(route.access.rate, admission.bearer, response);
    const sent = await readRequest(route, request, services);
    await admission.checkAfterBody();
    const parsed = parse(request, sent);
    refuseVersions(route, parsed);
    await serve({ route, status, response, parsed, admission }, services);
  };
};

const serve = async (admitted: Admitted, services: HandlerServices): Promise<void> => {
  const { route, response, admission } = admitted;
  const callWith = (ids: CommandIds, resumed: boolean) => callOf(admitted, services, { ids, resumed });
  await endOfTurn();
  const stream = requestedStream(route, response);
  if (stream !== undefined) {
    const texts = await stream.begin(callWith(randomIds(), false));
    return sendStream(response, { type: stream.type, path: route.path }, texts);
  }
  const identity = identityOf(admitted);
  if (identity === undefined) {
    const { answer, bytes, texts } = await runRoute(admitted, services, callWith(randomIds(), false));
    return sendResponse(
      response,
      answer,
      texts ?? (bytes && { type: route.type ?? 'application/octet-stream', bytes }),
    );
  }
  const work = (ids: CommandIds, resumed: boolean) => runRoute(admitted, services, callWith(ids, resumed));
  const { answer, replayed } = await services.idempotency.once(identity, work, () => admission.check());
  const headers = replayed ? { ...answer.headers, 'Idempotency-Replayed': 'true' } : answer.headers;
  return sendResponse(response, { ...answer, headers });
};

/** Runs the route's own handler. Returns the response in the form in which it may be stored. */
const runRoute = async (
  admitted: Admitted,
  { opaque }: Pick<HandlerServices, 'opaque'>,
  call: Call<never, never, never>,
) => {
  const { route } = admitted;
  // Loaded first: once the command is recorded, nothing may prevent the response.
  const seals = route.method === 'get' ? undefined : await opaque();
  const result = await route.handle(call);
  const { position, bytes, texts, made } = result;
  const token = position === undefined ? undefined : (seals ?? (await opaque())).seal('consistency-token', position);
  const persons = route.access.personal ? result.shows : [];
  return { answer: toStored(admitted, result, token), bytes, texts, persons, made };
};

const callOf = (
  admitted: Admitted,
  { guard, limits }: HandlerServices,
  attempt: Attempt,
): Call<never, never, never> => {
  const { response, parsed, admission } = admitted;
  const { params, body, query, readOptions } = parsed;
  const { bearer } = admission;
  const seesAll = isAdministrator(guard.callers, bearer);
  const by = commandContextOf(admitted, attempt);
  const client = new Client(response.req, parsed.appName);
  const countSignIn = async (userId: string) => limits?.ofSignIn(userId, response);
  return { params, body, query, readOptions, by, bearer, seesAll, client, countSignIn } as Call<never, never, never>;
};

/** Returns the identity of a request that may be repeated; undefined if every request is handled again. */
const identityOf = ({ route, response, parsed, admission: { bearer } }: Admitted): RequestIdentity | undefined => {
  const { idempotencyKey: key, body: payload } = parsed;
  // Reads run again: a stored response may contain personal data and would outlive the person's erasure by a day.
  if (key === undefined || route.method === 'get' || route.recordsNothing) return undefined;
  const { method, path } = response.req;
  // The path without its prefix: both paths reach the same route.
  const routed = path.slice(contextOf(response).prefix.length);
  return { caller: bearer?.userId ?? ANONYMOUS, method, path: routed, key, payload };
};

/** Returns the media type that the client prefers to JSON, and its stream; undefined if the response is JSON. */
const requestedStream = ({ streams }: Route, response: Response) => {
  if (streams === undefined) return undefined;
  const type = negotiated(response, ['application/json', ...Object.keys(streams)]);
  const begin = streams[type];
  return begin && { type, begin };
};

/** The id of the actor of an unauthenticated request. */
const ANONYMOUS = 'anonymous';

// A route that records nothing has no revision that a client could require.
const refuseVersions = ({ method, recordsNothing }: Route, { precondition }: Parsed): void => {
  if (method !== 'get' && recordsNothing && precondition !== undefined) throw new PreconditionFailed(-1);
};

type Attempt = Pick<CommandContext, 'ids' | 'resumed'>;

/** Returns the context of a command that the bearer of a request sent; anonymous without one. */
export const contextBy = (
  response: Response,
  bearer: Bearer | undefined,
  attempt: Attempt = { ids: randomIds(), resumed: false },
): CommandContext => {
  const { requestId, traceId } = contextOf(response);
  return { actor: actorOf(bearer), correlationId: traceId, causationId: requestId, ...attempt };
};

const commandContextOf = (
  { parsed: { origin, precondition }, response, admission }: Admitted,
  attempt: Attempt,
): CommandContext => ({
  ...contextBy(response, admission.bearer, attempt),
  checkActor: async () => {
    await admission.check().catch((error: unknown) => {
      throw new ActorRefused(error);
    });
  },
  ...(origin !== undefined && { origin }),
  ...(precondition !== undefined && { precondition }),
});

const actorOf = (bearer: Bearer | undefined) => ({ id: bearer?.userId ?? ANONYMOUS, roles: bearer?.roles ?? [] });

const toStored = (
  { route, status: usual, response }: Admitted,
  result: RouteResult,
  token: string | undefined,
): StoredResponse => {
  const { json: body, revision, tag = revision?.toString(), location, nextCursor, cookies, isAlwaysSent } = result;
  const headers: Record<string, string> = { ...result.headers };
  if (route.access.personal) headers['Cache-Control'] = 'no-store';
  if (tag !== undefined) headers['ETag'] = `"${tag}"`;
  if (token !== undefined) headers['Consistency-Token'] = token;
  if (location !== undefined) headers['Location'] = `${contextOf(response).prefix}${location}`;
  if (nextCursor !== undefined) headers['Link'] = `<${nextPage(response.req, nextCursor)}>; rel="next"`;
  const status = result.status ?? usual;
  return { status, headers, body, ...(cookies && { cookies }), ...(isAlwaysSent && { isAlwaysSent }) };
};

const nextPage = ({ originalUrl }: Request, cursor: string): string => {
  const [path = ''] = originalUrl.split('?', 1);
  // A query may have question marks in it (RFC 3986, 3.4).
  const parameters = new URLSearchParams(originalUrl.slice(path.length));
  parameters.set('cursor', cursor);
  return `${path}?${parameters}`;
};
