// Turns a route into an Express handler that parses the request, runs the route and responds. Failures go to the error
// handler of the application.
import type { Request, Response } from 'express';
import type { Bearer } from '../../auth/tokens/access-tokens.js';
import { ActorRefused, type CommandContext, PreconditionFailed } from '../../commands/context.js';
import { type CommandIds, randomIds } from '../../commands/ids.js';
import type { Walker } from '../../commands/walks.js';
import { type Piece, pace, WorkKind } from '../../infrastructure/pace.js';
import { isAdministrator } from '../access/access.js';
import { Admission, type Guard } from '../access/gate.js';
import type { RequestLimits } from '../access/rate-limits.js';
import { Problem } from '../problems/problems.js';
import { addressOf, Client } from '../request/client.js';
import type { Handle } from '../response/methods.js';
import { negotiated } from '../response/negotiation.js';
import { contextOf } from '../response/request-context.js';
import { JSON_TYPE, sendResponse } from '../response/sending.js';
import type { Idempotency, RequestIdentity } from './idempotency.js';
import { type Parsed, parserOf, problemOfErrors, type Readers, readRequest } from './requests.js';
import {
  type Call,
  has,
  isReplayed,
  type Route,
  type RouteHandler,
  type RouteResult,
  recordsNothing,
  successStatuses,
} from './route.js';

/** The services that every handler uses. */
export interface HandlerServices extends Readers {
  readonly idempotency: Idempotency;
  readonly guard: Guard;
  readonly limits: RequestLimits | undefined;
}

/** A request that passed all checks. */
interface Admitted {
  readonly route: Route;
  /** The default success status of the route. */
  readonly status: number;
  readonly response: Response;
  readonly parsed: Parsed;
  readonly admission: Admission;
  readonly work: Piece;
}

/** Returns the handler of a route. */
export const handlerOf = (route: Route, services: HandlerServices): Handle => {
  const { guard, limits } = services;
  const [status = 200] = successStatuses(route);
  const parse = parserOf(route);
  const counted = { rate: route.access.rate, isWrite: has(route, 'counted') };

  const kind = new WorkKind();
  const begin = (work: Piece) => (has(route, 'probe') ? undefined : pace.begin(work));

  const admitted = async (request: Request, response: Response, work: Piece): Promise<Admitted> => {
    // Gathers the requests that have arrived.
    await begin(work);
    const admission = new Admission(route, response, guard);
    await admission.check();
    const { bearer } = admission;
    await limits?.ofUser(counted, bearer, response);
    const walker = new Caller(bearer, request, limits);
    const leave = route.enter?.({ caller: walker.caller, query: request.query });
    try {
      const count = route.body && ((bytes: number) => limits?.ofBytes(bytes, bearer, request));
      const sent = await readRequest(route, request, services, count);
      await admission.checkAfterBody();
      await begin(work);
      return { route, status, response, parsed: parse(request, sent, walker), admission, work };
    } finally {
      leave?.();
    }
  };

  return async (request, response) => {
    const work = { kind, tookMs: 0 };
    const each = await admitted(request, response, work);
    try {
      const { parsed } = each;
      if (parsed.refusal) throw await problemOfErrors(route, parsed, parsed.refusal);
      refuseVersions(route, parsed);
      await serve(each, services);
    } finally {
      pace.end(work);
    }
  };
};

// A class, because an object literal with a getter has a shape of its own.
/** The caller of a request, whom most handlers do not ask for. */
class Caller implements Walker {
  readonly isOverseer: boolean;
  readonly #bearer: Bearer | undefined;
  readonly #request: Request;
  readonly #limits: RequestLimits | undefined;
  hasBegun = false;

  constructor(bearer: Bearer | undefined, request: Request, limits: RequestLimits | undefined) {
    this.isOverseer = bearer?.roles.some((role) => role === 'AUDITOR' || role === 'ADMINISTRATOR') ?? false;
    this.#bearer = bearer;
    this.#request = request;
    this.#limits = this.isOverseer ? undefined : limits;
  }

  get caller(): string {
    return this.#bearer?.userId ?? addressOf(this.#request);
  }

  async checkPast(): Promise<void> {
    await this.#limits?.checkPast(this.caller);
  }

  countPast(events: number): void {
    this.#limits?.countPast(this.caller, events);
  }
}

const serve = async (admitted: Admitted, services: HandlerServices): Promise<void> => {
  const { route, response, parsed, admission, work } = admitted;
  if (!has(route, 'probe')) await pace.goOn(work);
  // Reads run again: a stored response may contain personal data and would outlive the person's erasure by a day.
  if (!isReplayed(route) || parsed.idempotencyKey === undefined) {
    const { type, handle } = formOf(route, response);
    const { answer } = await responseTo(admitted, services, handle);
    // The read may have waited for its place.
    if (has(route, 'walk')) await admission.checkLasting();
    return sendResponse(response, answer, type);
  }
  const identity = identityOf(admitted, parsed.idempotencyKey);
  const run = (ids: CommandIds, resumed: boolean) => responseTo(admitted, services, route.handle, { ids, resumed });
  const { answer, replayed } = await services.idempotency.once(identity, run, () => admission.check());
  const headers = replayed ? { ...answer.headers, 'Idempotency-Replayed': 'true' } : answer.headers;
  return sendResponse(response, { ...answer, headers });
};

/** Returns the form of the response that the client prefers; the response of `handle` if it accepts no other form. */
const formOf = ({ type = JSON_TYPE, handle, forms }: Route, response: Response) => {
  if (forms === undefined) return { type, handle };
  const preferred = negotiated(response, [type, ...Object.keys(forms)]);
  return { type: preferred, handle: forms[preferred] ?? handle };
};

/** Runs a handler of the route. Returns its result, and the response to send or to store. */
const responseTo = async <Result extends RouteResult>(
  admitted: Admitted,
  services: HandlerServices,
  handle: RouteHandler<Result>,
  attempt?: Attempt,
) => {
  const { opaque } = services;
  // Loaded first: once the command is recorded, nothing may prevent the response.
  const seals = admitted.route.method === 'get' ? undefined : await opaque();
  const result = await handle(new AdmittedCall(admitted, services, attempt));
  const { position } = result;
  const token = position === undefined ? undefined : (seals ?? (await opaque())).seal('consistency-token', position);
  return { ...result, answer: responseOf(admitted, result, token) };
};

/** The call of an admitted request. */
class AdmittedCall implements Call<never, never, never> {
  readonly params: never;
  readonly body: never;
  readonly query: never;
  readonly readOptions;
  readonly bearer;
  readonly seesAll;
  readonly client;
  readonly countSignIn;
  readonly #admitted: Admitted;
  readonly #attempt: Attempt | undefined;
  #by: CommandContext | undefined;

  constructor(admitted: Admitted, { guard, limits }: HandlerServices, attempt: Attempt | undefined) {
    const { response, parsed, admission } = admitted;
    this.params = parsed.params as never;
    this.body = parsed.body as never;
    this.query = parsed.query as never;
    this.readOptions = parsed.readOptions;
    this.bearer = admission.bearer;
    this.seesAll = isAdministrator(guard.callers, admission.bearer);
    this.client = new Client(response.req, parsed.appName);
    this.countSignIn = async (userId: string) => limits?.ofSignIn(userId, response);
    this.#admitted = admitted;
    this.#attempt = attempt;
  }

  // Most handlers of reads do not take it.
  get by(): CommandContext {
    this.#by ??= commandContextOf(this.#admitted, this.#attempt);
    return this.#by;
  }

  get caller(): string {
    return this.readOptions.walker.caller;
  }

  // Few handlers take it.
  get gone(): AbortSignal {
    const { response } = this.#admitted;
    const controller = new AbortController();
    if (response.destroyed) controller.abort(new Problem('malformed-request'));
    else response.once('close', () => controller.abort(new Problem('malformed-request')));
    return controller.signal;
  }
}

const identityOf = ({ response, parsed, admission: { bearer } }: Admitted, key: string): RequestIdentity => {
  const { method } = response.req;
  // The path without its prefix: both paths reach the same route.
  const path = response.req.path.slice(contextOf(response).prefix.length) + queryIn(response.req);
  const { walker } = parsed.readOptions;
  return { caller: bearer?.userId ?? ANONYMOUS, method, path, key, payload: parsed.body, walker };
};

/** Returns the query of a request as it was sent, from its question mark on; empty if it has none. */
const queryIn = ({ originalUrl }: Request): string => {
  // A query may have question marks in it (RFC 3986, 3.4).
  const [path = ''] = originalUrl.split('?', 1);
  return originalUrl.slice(path.length);
};

/** The id of the actor of an unauthenticated request. */
const ANONYMOUS = 'anonymous';

// A route that records nothing has no revision that a client could require.
const refuseVersions = (route: Route, { precondition }: Parsed): void => {
  if (recordsNothing(route) && precondition !== undefined) throw new PreconditionFailed(-1);
};

type Attempt = Pick<CommandContext, 'ids' | 'resumed'>;
const newAttempt = (): Attempt => ({ ids: randomIds(), resumed: false });

/** Returns the context of a command that the bearer of a request sent; anonymous without one. */
export const contextBy = (response: Response, bearer: Bearer | undefined, attempt = newAttempt()): CommandContext => {
  const { requestId, traceId } = contextOf(response);
  return { actor: actorOf(bearer), correlationId: traceId, causationId: requestId, ...attempt };
};

const commandContextOf = (
  { parsed: { origin, precondition }, response, admission }: Admitted,
  attempt: Attempt | undefined,
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

const responseOf = <Result extends RouteResult>(
  { route, status: usual, response }: Admitted,
  result: Result,
  token: string | undefined,
) => {
  const { body, revision, tag = revision?.toString(), location, nextCursor, cookies, isAlwaysSent } = result;
  const headers: Record<string, string> = { ...result.headers };
  if (route.access.personal) headers['Cache-Control'] = 'no-store';
  if (tag !== undefined) headers['ETag'] = `"${tag}"`;
  if (token !== undefined) headers['Consistency-Token'] = token;
  if (location !== undefined) headers['Location'] = `${contextOf(response).prefix}${location}`;
  if (nextCursor !== undefined) headers['Link'] = `<${nextPage(response.req, nextCursor)}>; rel="next"`;
  const sent = { status: result.status ?? usual, headers, body: body as Result['body'] };
  return { ...sent, ...(cookies && { cookies }), ...(isAlwaysSent && { isAlwaysSent }) };
};

const nextPage = (request: Request, cursor: string): string => {
  const query = queryIn(request);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  return `${request.originalUrl.slice(0, request.originalUrl.length - query.length)}?${parameters}`;
};
