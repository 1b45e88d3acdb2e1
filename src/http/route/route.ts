// The definition of a route: its path, its inputs, its responses and its handler. The router, OpenAPI and the tests
// that walk every route read the same list of routes.
import { z } from 'zod';
import type { Bearer } from '../../auth/tokens/access-tokens.js';
import type { CommandContext } from '../../commands/context.js';
import type { Position } from '../../infrastructure/facts/facts.js';
import type { Access } from '../access/access.js';
import type { Rate, RateClass } from '../access/rate-limits.js';
import type { ProblemCode } from '../problems/problem-kinds.js';
import type { Client } from '../request/client.js';
import type { OtherBody } from '../response/sending.js';

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
  /** The path, the sort and the filters of the list to which a cursor belongs; empty for other routes. */
  readonly list: string;
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
  /** Whether the caller may see what only administrators see. Always true in open mode. */
  readonly seesAll: boolean;
  /** The program that sent the request. */
  readonly client: Client;
  /** Counts a sign-in of a user. Rejects with a `Problem` above the quota. */
  readonly countSignIn: (userId: string) => Promise<void>;
}

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
  /** The body as JSON text; empty if the response has no body. */
  readonly json: string;
  /** The body instead of JSON, for a route with a `type`. */
  readonly bytes?: Uint8Array;
  /** The body as JSON text in parts that are made while they are sent, instead of `json`. */
  readonly texts?: AsyncIterable<string>;
  /** The revision of the aggregate, for the ETag. */
  readonly revision?: number;
  /** Whether the body can change without its revision, so that If-None-Match never matches. */
  readonly isAlwaysSent?: boolean;
  /** The ETag if no single revision can serve as one. It changes with the text. */
  readonly tag?: string;
  /** The position in the log of the write, or of a state that was read from the log, for the Consistency-Token. */
  readonly position?: Position | undefined;
  /** The ids of the aggregates in the response. For a personal route: the users whose data the response contains. */
  readonly shows?: readonly string[];
  /** What the body shows, from which it can be made again. A list makes a body with `items`. */
  readonly made?: Shown | readonly Shown[];
  /** The path of the created resource. */
  readonly location?: string;
  /** The cursor of the next page of a list. */
  readonly nextCursor?: string | undefined;
  /** Additional headers of this response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The values of the Set-Cookie headers. */
  readonly cookies?: readonly string[];
}

/** The streamed forms of a response, by media type. */
export type Streamed<C> = Readonly<Record<string, (call: C) => Promise<AsyncIterable<string>>>>;

/** A parameter in a path that is not a UUID, as OpenAPI shows it. */
export interface TextParameter {
  readonly description: string;
  readonly pattern: string;
  readonly example: string;
}

/** `C`: what the handler sees of a call. `R`: the rates that the route may have. */
export interface Definition<
  Params,
  Body extends z.ZodType,
  Query extends z.ZodType,
  C = Call<Params, z.output<Body>, z.output<Query>>,
  R extends Rate = Rate,
> {
  readonly access: Access & { readonly rate: R };
  /** The unique name of the operation, for example `createQuestionnaire`. OpenAPI shows it as the operationId. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: Query;
  readonly body?: Body;
  /** The maximum size of the body in bytes, decompressed. `bodyLimitOf` returns the default. */
  readonly bodyLimit?: number;
  /** An example of the body, which the documentation shows and a test sends. */
  readonly example?: z.input<Body>;
  /**
   * The parameters in the path that are not UUIDs. The handler rejects unknown values. If the last parameter of the
   * path is one of these, it matches the rest of the path, including slashes.
   */
  readonly texts?: Readonly<Record<string, TextParameter>>;
  /** The media type of a success response that is not JSON. The handler responds with `bytes`. */
  readonly type?: OtherBody['type'];
  /** The schemas of the success responses, by status. If a route has both 200 and 201, 201 is the default. */
  readonly responses: { readonly [status in Success]?: z.ZodType };
  /** Other forms of the response, by media type, each streamed as it is read. `handle` responds with JSON. */
  readonly streams?: Streamed<C>;
  /** Whether the route accepts `asOf`: for the GET of a single resource, or of a list that can show the past. */
  readonly travelsInTime?: boolean;
  /** Whether the route is a probe: it accepts any query, is never refused under load, and matches only its exact path. */
  readonly isProbe?: boolean;
  /** Whether a GET ignores unknown query parameters, as clients of the contract may expect. */
  readonly ignoresUnknownParameters?: boolean;
  /**
   * Whether the route records nothing that an ETag or a token could name, because it only reads or changes no
   * aggregate. The route handles each request again: no response is stored, even if the request has an Idempotency-Key.
   */
  readonly recordsNothing?: boolean;
  /** Whether the route creates an aggregate. No client can have an ETag of a new aggregate, so every If-Match fails. */
  readonly creates?: boolean;
  /** Whether the route reads the log or the vault instead of a view, so that its response is never behind. */
  readonly readsLog?: boolean;
  /** The headers that OpenAPI shows for this route only. */
  readonly documentedHeaders?: readonly ('app-name' | 'Content-Disposition' | 'Message-Withheld')[];
  /** Whether the route sets or reads the cookies of a sign-in. Pages of other sites may not call such a route. */
  readonly usesCookies?: boolean;
  /** The problems of the route, in addition to those that follow from its definition. */
  readonly refuses?: readonly ProblemCode[];
  readonly handle: (call: C) => Promise<RouteResult>;
}

/** A route without its type parameters, as the router and OpenAPI see it. */
export interface Route extends Omit<Definition<unknown, z.ZodType, z.ZodType>, 'handle' | 'streams' | 'example'> {
  readonly method: Method;
  readonly path: string;
  /** Whether a GET sends a message, so that it is not safe and HEAD is not allowed. */
  readonly sends?: boolean;
  readonly example?: unknown;
  readonly handle: (call: Call<never, never, never>) => Promise<RouteResult>;
  readonly streams?: Streamed<Call<never, never, never>>;
}

type AnyCall = Call<unknown, unknown, unknown>;

/** Returns a maker of GETs with the rates `R`, whose handlers do not see the members `Unseen` of a call. */
const reading =
  <Unseen extends keyof AnyCall, R extends Rate>(more: Pick<Route, 'sends'> = {}) =>
  <P extends string, Query extends z.ZodType = z.ZodUndefined>(
    path: P,
    definition: Definition<
      ParamsOf<P>,
      z.ZodUndefined,
      Query,
      Omit<Call<ParamsOf<P>, undefined, z.output<Query>>, Unseen>,
      R
    >,
  ): Route => ({ method: 'get', path, ...more, ...definition });

/** Makes a GET that only reads: without `by` and `client`, it can neither record anything nor send a message. */
export const get = reading<'by' | 'client', Exclude<Rate, 'write'>>();
/** Makes a GET that records the reading, and therefore counts as a write. */
export const getRecorded = reading<never, 'write'>();
/** Makes a GET that sends a message. */
export const getSending = reading<'by', RateClass>({ sends: true });

const route =
  (method: Method) =>
  <P extends string, Body extends z.ZodType = z.ZodUndefined, Query extends z.ZodType = z.ZodUndefined>(
    path: P,
    definition: Definition<ParamsOf<P>, Body, Query>,
  ): Route => ({ method, path, ...definition });

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

/** Returns whether a route reads a view, which may be behind a write. */
export const readsView = ({ method, recordsNothing, readsLog }: Route): boolean =>
  method === 'get' && !recordsNothing && !readsLog;

/** Returns whether the responses of a route carry an ETag, so that a client can ask whether anything has changed. */
export const hasValidator = ({ method, recordsNothing }: Route): boolean => method === 'get' && !recordsNothing;

/** Returns whether a route records something, so that it replays its response to a repeated Idempotency-Key. */
export const acceptsIdempotencyKey = ({ method, recordsNothing }: Route): boolean =>
  method !== 'get' && !recordsNothing;

/** Returns whether a route changes an existing aggregate, so that it accepts If-Match. */
export const acceptsPrecondition = (route: Route): boolean => acceptsIdempotencyKey(route) && !route.creates;

/** The schema of a response without a body. */
export const nothing = z.undefined();
