// A route: path, what it takes, what it answers and its handler in one place. The router, OpenAPI and the tests that
// walk every route are made from the same list.
import { z } from 'zod';
import type { Bearer } from '../../auth/tokens/access-tokens.js';
import type { CommandContext } from '../../commands/context.js';
import type { Position } from '../../infrastructure/facts/facts.js';
import type { Client } from '../edge/client.js';
import type { Access } from './access.js';
import type { ProblemCode } from './problem-kinds.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The parameters in a path: `{ id: string }` for `/protocols/{id}`. Each is a UUID in lower case, but for `texts`. */
export type ParamsOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<Rest>
  : unknown;

/** What a reader asked of the answer's freshness. */
export interface Asked {
  /** The state as it was at this instant. */
  readonly asOf: string | undefined;
  /** The answer may not be older than this position. */
  readonly consistency: Position | undefined;
}

/** A call as a handler sees it: nothing that was not parsed. */
export interface Call<Params, Body, Query> {
  readonly params: Params;
  readonly body: Body;
  readonly query: Query;
  readonly asked: Asked;
  /** Who calls, for commands. */
  readonly by: CommandContext;
  /** The bearer of the access token; undefined if the request has no token. */
  readonly bearer: Bearer | undefined;
  /** Whether the caller may see what only administrators see; everybody may, where the service is open. */
  readonly seesAll: boolean;
  /** What the caller is called by. */
  readonly client: Client;
}

/** The statuses of success. */
export const successes = [201, 200, 204, 301] as const;
export type Success = (typeof successes)[number];

/** What a handler answers. */
export interface Answer {
  /** The status, for a route that answers with more than one. */
  readonly status?: Success;
  /** JSON text; empty where there is no body. */
  readonly json: string;
  /** The body in place of JSON, for a route with a `type`. */
  readonly bytes?: Uint8Array;
  /** The revision of the aggregate, for the ETag. */
  readonly revision?: number;
  /** What an ETag says if no single revision does: it changes with the text. */
  readonly tag?: string;
  /** The position up to which a write is recorded, for the Consistency-Token. */
  readonly position?: Position | undefined;
  /** The ids of the aggregates that it shows: if the route is personal, the users whose data the response holds. */
  readonly shows?: readonly string[];
  /** The path of what was created. */
  readonly location?: string;
  /** The cursor of the next page of a list. */
  readonly nextCursor?: string | undefined;
  /** Headers of this answer alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The values of its Set-Cookie headers. */
  readonly cookies?: readonly string[];
}

/** A long answer, text by text, by its media type. */
export type Streamed<C> = Readonly<Record<string, (call: C) => Promise<AsyncIterable<string>>>>;

/** A parameter in a path that is no UUID, as OpenAPI shows it. */
export interface TextParameter {
  readonly description: string;
  readonly pattern: string;
  readonly example: string;
}

export interface Definition<Params, Body extends z.ZodType, Query extends z.ZodType> {
  readonly access: Access;
  /** The name by which clients call it, unique: `createQuestionnaire`. OpenAPI shows it as the operationId. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: Query;
  readonly body?: Body;
  /** The most bytes that the body may have, unpacked; `bodyLimitOf` has the default. */
  readonly bodyLimit?: number;
  /** An example of the body, shown in the documentation and posted by its test. */
  readonly example?: z.input<Body>;
  /**
   * The parameters in the path that are no UUIDs. The handler refuses a value that it does not know. If the last parameter
   * of the path is one of them, it takes the rest of the path with its slashes.
   */
  readonly texts?: Readonly<Record<string, TextParameter>>;
  /** The media type of a success that is not JSON: the handler responds with `bytes`. */
  readonly type?: 'text/plain' | 'application/octet-stream';
  /** The status of success and what it answers; 201 comes first where there are both. */
  readonly answers: { readonly [status in Success]?: z.ZodType };
  /** Other forms of what it answers, by media type, each written as it is read; `handle` answers JSON. */
  readonly streams?: Streamed<Call<Params, z.output<Body>, z.output<Query>>>;
  /** Whether `asOf` is taken: for the GET of a single resource, and of a list that can be true to the past. */
  readonly travelsInTime?: boolean;
  /** Whether a GET ignores query parameters that it does not know, as a client of the contract may expect. */
  readonly ignoresUnknownParameters?: boolean;
  /**
   * Whether nothing is recorded that an ETag or a token could name: it only asks, or what it changes is no aggregate. It
   * is handled again each time: no response is stored, even if the request has an Idempotency-Key.
   */
  readonly recordsNothing?: boolean;
  /** Whether it makes an aggregate. No client can have an ETag of it before, so If-Match is refused. */
  readonly creates?: boolean;
  /** Whether it reads the log itself and no view: what it reads is never behind. */
  readonly readsLog?: boolean;
  /** Whether the response is a file to keep, with a name in Content-Disposition. */
  readonly isFile?: boolean;
  /** Whether it may have a message sent, which a quota may keep back. */
  readonly sendsMessage?: boolean;
  /** Whether it sets or reads the cookies of a sign-in. The pages of other sites may not call such a route. */
  readonly usesCookies?: boolean;
  /** Whether it looks at the header app-name. */
  readonly takesAppName?: boolean;
  /** The problems that it can respond with, beside those that follow from what the route is and takes. */
  readonly refuses?: readonly ProblemCode[];
  readonly handle: (call: Call<Params, z.output<Body>, z.output<Query>>) => Promise<Answer>;
}

/** A route with its types laid aside, as the router and OpenAPI walk it. */
export interface Route extends Omit<Definition<unknown, z.ZodType, z.ZodType>, 'handle' | 'streams' | 'example'> {
  readonly method: Method;
  readonly path: string;
  readonly example?: unknown;
  readonly handle: (call: Call<never, never, never>) => Promise<Answer>;
  readonly streams?: Streamed<Call<never, never, never>>;
}

const route =
  (method: Method) =>
  <P extends string, Body extends z.ZodType = z.ZodUndefined, Query extends z.ZodType = z.ZodUndefined>(
    path: P,
    definition: Definition<ParamsOf<P>, Body, Query>,
  ): Route => ({ method, path, ...definition });

export const get = route('get');
export const post = route('post');
export const put = route('put');
export const del = route('delete');
export const patch = route('patch');

/** The names of the parameters in a path, in order. */
export const paramNames = (path: string): readonly string[] => {
  const known = namesByPath.get(path) ?? [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  namesByPath.set(path, known);
  return known;
};
const namesByPath = new Map<string, readonly string[]>();

/** Returns whether the last parameter in the path of a route takes the rest of a path with its slashes. */
export const takesRest = ({ path, texts = {} }: Route): boolean => {
  const last = paramNames(path).at(-1);
  return last !== undefined && Object.hasOwn(texts, last) && path.endsWith(`{${last}}`);
};

/** The statuses with which a route answers when all went well, the one that it answers by itself first. */
export const successStatuses = ({ answers }: Route): readonly Success[] =>
  successes.filter((status) => answers[status] !== undefined);

/** Whether a route reads a view, which may be behind a write. */
export const readsView = ({ method, recordsNothing, readsLog }: Route): boolean =>
  method === 'get' && !recordsNothing && !readsLog;

/** Whether the responses of a route carry an ETag, with which a client can ask whether anything has changed. */
export const hasValidator = ({ method, recordsNothing }: Route): boolean => method === 'get' && !recordsNothing;

/** Whether a route records something, and so repeats its response to a request with the same Idempotency-Key. */
export const takesIdempotencyKey = ({ method, recordsNothing }: Route): boolean => method !== 'get' && !recordsNothing;

/** Whether a route changes what is there, and so takes the ETag that this must have. */
export const takesPrecondition = (route: Route): boolean => takesIdempotencyKey(route) && !route.creates;

/** What a route answers that answers with no body. */
export const nothing = z.undefined();
