// The definition of a route: its path, its inputs, its responses and its handler. The router, OpenAPI and the tests
// that walk every route read the same list of routes.
import { z } from 'zod';
import type { Bearer } from '../../auth/tokens/access-tokens.js';
import type { CommandContext } from '../../commands/context.js';
import type { Walker } from '../../commands/walks.js';
import type { FieldError } from '../../domain/errors.js';
import type { Position } from '../../infrastructure/facts/facts.js';
import type { Access } from '../access/access.js';
import type { ProblemCode } from '../problems/problem-kinds.js';
import type { Client } from '../request/client.js';
import type { Body } from '../response/sending.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The parameters in a path: `{ id: string }` for `/protocols/{id}`. Each is a UUID in lower case, except `texts`. */
export type ParamsOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<Rest>
  : unknown;

/** The past time or the minimum freshness that a reader requested. */
export interface ReadOptions {
  /** The time as of which to read the state. */
  readonly asOf: string | undefined;
  /** The oldest position that the response may reflect. */
  readonly consistency: Position | undefined;
  /** Returns the path, the sort and the filters of the list to which a cursor belongs; empty for other routes. */
  readonly list: () => string;
  /** The caller, if the read takes long. */
  readonly walker: Walker;
}

/** A call as a handler sees it. It contains only parsed values. */
export interface Call<Params, Body, Query> {
  readonly params: Params;
  readonly body: Body;
  readonly query: Query;
  readonly readOptions: ReadOptions;
  /** The context of commands, which names the caller. */
  readonly by: CommandContext;
  /** The bearer of the access token; undefined if the request has no token. */
  readonly bearer: Bearer | undefined;
  /** The id of the user; without a token, the address. */
  readonly caller: string;
  /** Aborts when the client closes the connection before the response is complete. */
  readonly gone: AbortSignal;
  /** Whether the caller may see what only administrators see. Always true in open mode. */
  readonly seesAll: boolean;
  /** The program that sent the request. */
  readonly client: Client;
  /** Counts a sign-in of a user. Rejects with a `Problem` above the quota. */
  readonly countSignIn: (userId: string) => Promise<void>;
}

/**
 * Returns the faults of a body of any shape that only stored data shows. The service calls it only for a request with
 * other faults, so that one response lists all of them. The handler finds the faults of every other request.
 */
export type FaultsOf<Params> = (
  call: Pick<Call<Params, unknown, unknown>, 'params' | 'readOptions'>,
  sent: unknown,
) => Promise<readonly FieldError[]>;

/** The statuses of handlers' responses. The first one that a route has is its default. */
export const successes = [201, 200, 204, 301, 503] as const;
export type Success = (typeof successes)[number];

/** Parts of an aggregate after an event, by their ids: one part, or a protocol and one of its forms. */
export interface Shown {
  readonly aggregate: string;
  readonly id: string;
  readonly revision: number;
  readonly parts: readonly string[];
  /** The revisions of the institutions whose names a user was shown with, by id. */
  readonly institutions?: Readonly<Record<string, number>>;
}

/** The response of a handler. */
export interface RouteResult {
  /** The status, for a route with several success statuses. */
  readonly status?: Success;
  /** The body; an empty text if the response has none. */
  readonly body: Body;
  /** The revision of the aggregate, for the ETag. */
  readonly revision?: number;
  /** Whether the body can change without its revision, so that If-None-Match never matches. */
  readonly isAlwaysSent?: boolean;
  /** The ETag if no single revision can serve as one. It changes with the text. */
  readonly tag?: string;
  /** The position in the log of the write, or of a state that was read from the log, for the Consistency-Token. */
  readonly position?: Position | undefined;
  /** The path of the created resource. */
  readonly location?: string;
  /** The cursor of the next page of a list. */
  readonly nextCursor?: string | undefined;
  /** Additional headers of this response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The values of the Set-Cookie headers. */
  readonly cookies?: readonly string[];
}

/** The response to a write, which is replayed if the request is repeated. */
export interface WriteResult extends RouteResult {
  readonly body: string;
  /** What the body shows, from which it can be made again: none if it has no personal data. A list makes `items`. */
  readonly made: Shown | readonly Shown[];
}

/** The maximum size of a body that has a form, or a text of any length, in bytes. */
export const LARGE_BODY = 1_048_576;

type Trait = 'view' | 'names' | 'etag' | 'replay' | 'precondition' | 'counted' | 'walk' | 'probe' | 'message';

/**
 * What follows from the kind of a route. `view`: it reads a view, which may be behind a write. `names`: it reads the log,
 * and names from a view. `etag`: a client can ask
 * whether anything has changed. `replay`: a repeated Idempotency-Key gets the stored response. `precondition`: it
 * accepts If-Match; no client can have an ETag of a new aggregate. `counted`: it counts as a write for the quotas.
 * `walk`: it may read for long, and has a place for each page of its work (commands/walks.ts).
 * `probe`: it accepts any query, is never refused under load, and matches only its exact path. `message`: its GET sends
 * a message, so that it is not safe and HEAD is not allowed.
 */
const kinds = {
  view: ['view', 'etag'],
  // Reads the log or the vault.
  log: ['etag'],
  // Reads what has no revision.
  plain: [],
  probe: ['probe'],
  message: ['message'],
  // A GET that records that a view, or the log, was read.
  recordedView: ['view', 'etag', 'counted', 'walk'],
  recorded: ['etag', 'counted', 'walk'],
  // A GET that records that a history was read, with names from a view.
  recordedHistory: ['names', 'etag', 'counted', 'walk'],
  write: ['replay', 'precondition', 'counted'],
  creation: ['replay', 'counted'],
  // Records nothing that an ETag or a token could name. Each request is handled again.
  action: ['counted'],
  // Computes something from its body, and from a view or not. It records nothing, so clients may send it often.
  calculation: [],
  viewCalculation: ['view'],
} as const satisfies Record<string, readonly Trait[]>;

/** The kind of a route: what it reads or records. */
export type Kind = keyof typeof kinds;
type WriteKind = 'write' | 'creation';
type CalculationKind = 'calculation' | 'viewCalculation';
type ReadKind = Exclude<Kind, WriteKind | CalculationKind | 'action'>;

/** Returns whether a route with a body records nothing that has a revision. */
export const recordsNothing = ({ kind }: Pick<Route, 'kind'>): boolean =>
  kind === 'action' || kind === 'calculation' || kind === 'viewCalculation';

/** Returns whether a trait follows from the kind of a route. */
export const has = ({ kind }: Pick<Route, 'kind'>, trait: Trait): boolean =>
  (kinds[kind] as readonly Trait[]).includes(trait);

/** The members of a call that handlers do not see, unless their kind records or sends. */
type Unseen<K extends Kind> = K extends WriteKind | 'action' | `recorded${string}`
  ? never
  : 'by' | (K extends 'message' ? never : 'client');
type ResultOf<K extends Kind> = K extends WriteKind ? WriteResult : RouteResult;

/** A parameter in a path that is not a UUID, as OpenAPI shows it. */
export interface TextParameter {
  readonly description: string;
  readonly pattern: string;
  readonly example: string;
}

/** A route of a kind, without its method and path. `C`: what its handler sees of a call. */
export interface Definition<
  Params,
  Body extends z.ZodType,
  Query extends z.ZodType,
  K extends Kind,
  C = Omit<Call<Params, z.output<Body>, z.output<Query>>, Unseen<K>>,
> {
  readonly access: Access;
  /** Default: `view` for a GET, `write` for other methods. */
  readonly kind?: K;
  /** The unique name of the operation, for example `createQuestionnaire`. OpenAPI shows it as the operationId. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: Query;
  readonly body?: Body;
  readonly faults?: FaultsOf<Params>;
  /**
   * Takes a place for work that few requests of a caller may wait for. Throws if there is none, before the body is read.
   * Returns what gives the place back when the handler begins.
   */
  readonly enter?: (asked: {
    readonly caller: string;
    readonly query: Readonly<Record<string, unknown>>;
  }) => () => void;
  /** The maximum size of the body in bytes, decompressed. `bodyLimitOf` returns the default. */
  readonly bodyLimit?: number;
  /** An example of the body, which the documentation shows and a test sends. */
  readonly example?: z.input<Body>;
  /**
   * The parameters in the path that are not UUIDs. The handler rejects unknown values. If the last parameter of the
   * path is one of these, it matches the rest of the path, including slashes.
   */
  readonly texts?: Readonly<Record<string, TextParameter>>;
  /** The media type of the responses of `handle`. Default: application/json. */
  readonly type?: string;
  /** The schemas of the success responses, by status. If a route has both 200 and 201, 201 is the default. */
  readonly responses: { readonly [status in Success]?: z.ZodType };
  /** Handlers that respond in other forms, by media type. A client that accepts none of these gets what `handle` returns. */
  readonly forms?: K extends WriteKind ? never : Readonly<Record<string, (call: C) => Promise<RouteResult>>>;
  /** Whether the route accepts `asOf`: for the GET of a single resource, or of a list that can show the past. */
  readonly travelsInTime?: boolean;
  /** Whether a GET ignores unknown query parameters, as clients of the contract may expect. */
  readonly ignoresUnknownParameters?: boolean;
  /** The response headers that OpenAPI shows for this route only. */
  readonly documentedHeaders?: readonly ('Content-Disposition' | 'Message-Withheld')[];
  /** Whether the route sets or reads the cookies of a sign-in. Pages of other sites may not call such a route. */
  readonly usesCookies?: boolean;
  /** The problems of the route, in addition to those that follow from its definition. */
  readonly refuses?: readonly ProblemCode[];
  readonly handle: (call: C) => Promise<ResultOf<K>>;
}

/** Handles a call of any route. */
export type RouteHandler<Result> = (call: Call<never, never, never>) => Promise<Result>;

/** A route without its type parameters, as the router and OpenAPI see it. */
export interface Route
  extends Omit<Definition<unknown, z.ZodType, z.ZodType, Kind>, 'kind' | 'handle' | 'forms' | 'faults' | 'example'> {
  readonly method: Method;
  readonly path: string;
  readonly kind: Kind;
  readonly example?: unknown;
  readonly handle: RouteHandler<RouteResult>;
  readonly forms?: Readonly<Record<string, RouteHandler<RouteResult>>> | undefined;
  readonly faults?: FaultsOf<never> | undefined;
}

/** A route whose responses are replayed. */
export interface WriteRoute extends Route {
  readonly handle: RouteHandler<WriteResult>;
}

/** Returns whether the responses of a route are replayed. */
export const isReplayed = (route: Route): route is WriteRoute => has(route, 'replay');

/** Makes a GET. */
export const get = <P extends string, Query extends z.ZodType = z.ZodUndefined, K extends ReadKind = 'view'>(
  path: P,
  definition: Definition<ParamsOf<P>, z.ZodUndefined, Query, K>,
): Route => ({ method: 'get', path, kind: 'view', ...definition });

const route =
  (method: Method) =>
  <
    P extends string,
    Body extends z.ZodType = z.ZodUndefined,
    Query extends z.ZodType = z.ZodUndefined,
    K extends Exclude<Kind, ReadKind> = 'write',
  >(
    path: P,
    definition: Definition<ParamsOf<P>, Body, Query, K>,
  ): Route => ({ method, path, kind: 'write', ...definition });

export const post = route('post');
export const put = route('put');
export const del = route('delete');
export const patch = route('patch');

/** Returns the names of the parameters in a path, in order. */
export const paramNames = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** Returns the path of a route in the syntax of Express. */
export const expressPath = ({ path, texts = {} }: Route): string =>
  path.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(texts, name) && path.endsWith(placeholder) ? `*${name}` : `:${name}`,
  );

/** Returns the success statuses of a route, the default status first. */
export const successStatuses = ({ responses }: Route): readonly Success[] =>
  successes.filter((status) => responses[status] !== undefined);

/** The schema of a response without a body. */
export const nothing = z.undefined();
