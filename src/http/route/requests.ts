// Reads and checks a request before a handler sees it. One response reports all errors of the request.
import { parse } from 'content-type';
import type { Request } from 'express';
import { z } from 'zod';
import type { Precondition } from '../../commands/context.js';
import type { Walker } from '../../commands/walks.js';
import { DomainError, type FieldError } from '../../domain/errors.js';
import { formatted, text } from '../../domain/fields.js';
import { StoreUnavailable } from '../../infrastructure/errors.js';
import type { Position } from '../../infrastructure/facts/facts.js';
import { Problem } from '../problems/problems.js';
import { RequestErrors } from '../problems/request-errors.js';
import type { BodyReader } from '../request/bodies.js';
import { checkBody, checkParameters } from '../request/checking.js';
import { type ReadJson, readJson } from '../request/strict-json.js';
import { JSON_TYPE } from '../response/sending.js';
import type { LoadOpaque, OpaqueKind } from './opaque.js';
import { cursorText, listOf, OF_THIS_LIST } from './paging.js';
import { queryReaderOf } from './query.js';
import { paramNames, type ReadOptions, type Route } from './route.js';

// The maximum size of a body in bytes, decompressed, unless its route has another: for what belongs to protocols,
// institutions, users and profiles, and for everything else.
const LIMITS = { content: 65_536, others: 16_384 } as const;
const CONTENT = /^\/(protocols|institutions|users\/doctor$|users\/\{id\}($|\/profiles))/;

/** Returns the maximum size of a route's body in bytes, decompressed. */
export const bodyLimitOf = ({ path, bodyLimit }: Pick<Route, 'path' | 'bodyLimit'>): number =>
  bodyLimit ?? (CONTENT.test(path) ? LIMITS.content : LIMITS.others);

/** A parsed request. */
export interface Parsed extends Omit<ReadHeaders, 'consistency'> {
  readonly params: Record<string, string>;
  readonly query: unknown;
  readonly body: unknown;
  readonly readOptions: ReadOptions;
  /** Present if the request has errors. The other members are then what could be read. */
  readonly refusal?: Refusal;
}

interface Refusal {
  readonly refused: RequestErrors;
  readonly knownParameters: readonly string[] | undefined;
  /** The body as it was sent. */
  readonly sent: unknown;
}

/** The dependencies of reading requests. */
export interface Readers {
  readonly bodies: BodyReader;
  readonly opaque: LoadOpaque;
  /** The media types that bodies may have. Default: application/json. */
  readonly bodyTypes?: readonly string[] | undefined;
}

type Parameters = Readonly<Record<string, unknown>>;

/** The parts of a request that may take time to read. */
export interface Sent {
  /** The body; undefined if there is none. */
  readonly bytes: Buffer | undefined;
  readonly query: Parameters;
  readonly headers: Parameters;
}

/** Counts unpacked bytes of a body. Rejects if the caller has sent too many; with 0 bytes, if that was so before. */
type CountBytes = (bytes: number) => Promise<void> | undefined;

const NONE: Parameters = Object.freeze({});

/** Returns the body, the query and the headers of a request, with the sealed texts opened. */
export const readRequest = async (
  route: Route,
  request: Request,
  readers: Readers,
  count: CountBytes = () => undefined,
): Promise<Sent> => {
  const { opaque } = readers;
  const bytes = route.body === undefined ? undefined : await readBody(route, request, readers, count);
  const query = request.url.includes('?') ? await openSealed(request.query, 'cursor', opaque) : NONE;
  return { bytes, query, headers: await openSealed(request.headers, 'consistency-token', opaque) };
};

/** Returns the parser of the requests of a route. */
export const parserOf = (route: Route) => {
  const readQuery = queryReaderOf(route);
  const names = paramNames(route.path);
  const isList = route.query instanceof z.ZodObject && Object.hasOwn(route.query.shape, 'cursor');

  return (request: Request, sent: Sent, walker: Walker): Parsed => {
    const refused = new RequestErrors();
    const { knownParameters, asOf, query } = readQuery(sent.query, refused);
    const { consistency, ...headers } = readHeaders(sent.headers, refused);
    const params = readParams(route, names, request, refused);
    const list = isList && query !== undefined ? readList(route, { params, query }, sent.query, refused) : noList;
    const json = sent.bytes && readJson(sent.bytes, refused);
    const body = route.body && readFields(route.body, json, refused);
    const parsed = { ...headers, params, query, body, readOptions: { asOf, consistency, list, walker } };
    if (refused.errors.length === 0) return parsed;
    return { ...parsed, refusal: { refused, knownParameters, sent: json?.value } };
  };
};

/**
 * Returns the problem of a request with errors: those of the parser and those that `faults` of its route finds, up to the
 * maximum length of the list.
 */
export const problemOfErrors = async (
  route: Route,
  { params, readOptions }: Parsed,
  { refused, knownParameters, sent }: Refusal,
): Promise<Problem> => {
  const hasAllParams = paramNames(route.path).every((name) => Object.hasOwn(params, name));
  if (route.faults && hasAllParams && !refused.isCut) {
    const faults = await route.faults({ params: params as never, readOptions }, sent).catch(noneIfRefused);
    for (const { path, code, message } of faults) refused.inBody(path, code, message);
  }
  const { errors, isCut } = refused;
  return new Problem('fields-refused', { errors, isCut, extensions: knownParameters && { knownParameters } });
};

/** If the resource cannot be read, the errors that are known already come first. */
const noneIfRefused = (error: unknown): readonly FieldError[] => {
  if (error instanceof DomainError || error instanceof Problem || error instanceof StoreUnavailable) return [];
  throw error;
};

/**
 * Opens the sealed parameter `kind`. A text that this service did not seal becomes empty, which every schema rejects.
 */
const openSealed = async (parameters: Parameters, kind: OpaqueKind, opaque: LoadOpaque): Promise<Parameters> => {
  const sent = parameters[kind];
  return typeof sent === 'string' ? { ...parameters, [kind]: (await opaque()).open(kind, sent) ?? '' } : parameters;
};

const noList = (): string => '';

/** Returns the function that names the requested list. Refuses a cursor of another list. */
const readList = (
  { path }: Route,
  { params, query }: { readonly params: object; readonly query: unknown },
  sent: Parameters,
  refused: RequestErrors,
): ReadOptions['list'] => {
  const asked = query as Parameters;
  const list = () => listOf(path, params, asked);
  const { cursor } = asked;
  if (cursor !== undefined && sent['cursor'] !== cursorText(String(cursor), list())) {
    refused.inParameter('cursor', 'bad-cursor', OF_THIS_LIST);
  }
  return list;
};

/** Returns the bytes of a body; undefined if the request has none. */
const readBody = async (
  route: Route,
  request: Request,
  { bodies, bodyTypes = [JSON_TYPE] }: Readers,
  count: CountBytes,
): Promise<Buffer | undefined> => {
  const hasBytes = await bodies.hasBytes(request);
  // Drops the rest of a body that was begun but is not read.
  if (!hasBytes) return void request.resume();
  if (!isOneOf(bodyTypes, request.headers['content-type'])) {
    request.resume();
    throw new Problem('unsupported-media-type', { headers: { Accept: bodyTypes.join(', ') } });
  }
  await count(0);
  const limit = bodyLimitOf(route);
  const bytes = await bodies.read(request, limit).catch(async (error: unknown) => {
    // What was unpacked before the refusal took time, too.
    if (request.headers['content-encoding'] !== undefined) await count(limit);
    throw error;
  });
  await count(bytes.length);
  return bytes.length === 0 ? undefined : bytes;
};

// The labels of UTF-8 (the Encoding standard, 4.2). ASCII is not among them: that label means windows-1252.
const UTF8 = /^\s*(utf-?8|unicode-1-1-utf-8|unicode11utf8|(x-)?unicode20utf8)\s*$/i;

const isOneOf = (types: readonly string[], contentType = ''): boolean => {
  const { type, parameters } = parse(contentType);
  return types.includes(type) && UTF8.test(parameters['charset'] ?? 'utf-8');
};

const readFields = (schema: z.ZodType, json: ReadJson | undefined, refused: RequestErrors): unknown => {
  if (json !== undefined) return refused.isCut ? undefined : checkBody(schema, json, refused);
  if (acceptsNothing(schema)) return schema.parse(undefined);
  refused.inBody([], 'required', 'is required: send a JSON object');
  return undefined;
};

/** Returns whether the body with this schema may be omitted. */
export const acceptsNothing = (schema: z.ZodType): boolean => schema.safeParse(undefined).success;

const readParams = (
  { texts = {} }: Route,
  names: readonly string[],
  request: Request,
  refused: RequestErrors,
): Record<string, string> => {
  const params: Record<string, string> = {};
  for (const name of names) {
    const sent = sentText(request.params[name]);
    if (Object.hasOwn(texts, name)) params[name] = sent;
    else if (z.regexes.guid.test(sent)) params[name] = sent.toLowerCase();
    else refused.inParameter(name, 'invalid-format', 'must be a UUID');
  }
  return params;
};

// Express returns a parameter that matches the rest of a path as a list of segments.
const sentText = (matched: string | readonly string[] = ''): string =>
  typeof matched === 'string' ? matched : matched.join('/');

// The origins that browsers send (RFC 6454, 6.2), and the names of other clients. Other texts could contain personal
// data, and metadata is never erased.
const WEB_ORIGIN = /^[a-z][a-z0-9+.-]{0,30}:\/\/([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i;
const NAMED_ORIGIN = /^[\w.:/-]{1,64}$/;

/** Returns an `origin` header if it may be stored; otherwise undefined. */
const keptOrigin = (origin: string): string | undefined =>
  WEB_ORIGIN.test(origin) || NAMED_ORIGIN.test(origin) ? origin : undefined;

/** The schema of the parsed headers, which OpenAPI also shows. */
export const RequestHeaders = z.object({
  'idempotency-key': text(255).min(1).optional(),
  // The opened token: tokens are opened before headers are checked.
  'consistency-token': formatted(
    64,
    (error) => z.regex(/^[0-9a-z]{16,64}$/, error),
    'must be a token that this service gave',
  )
    .optional()
    .meta({ openapi: { type: 'string', maxLength: 200 } }),
  'if-match': text(1_000)
    .regex(/^\s*(\*|(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*)\s*$/, 'must be * or a list of entity tags')
    .optional(),
  origin: z.string().transform(keptOrigin).optional(),
  'app-name': text(255).optional(),
});

const HEADERS = Object.keys(RequestHeaders.shape);

interface ReadHeaders {
  readonly consistency?: Position | undefined;
  readonly precondition?: Precondition | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly origin?: string | undefined;
  readonly appName?: string | undefined;
}

const readHeaders = (sent: Parameters, refused: RequestErrors): ReadHeaders => {
  if (HEADERS.every((name) => sent[name] === undefined)) return {};
  const headers = checkParameters(RequestHeaders, sent, refused);
  return {
    // A token that this service sealed is valid, whatever is wrong with other headers. The text of any other one is empty.
    consistency: (sent['consistency-token'] || undefined) as Position | undefined,
    precondition: preconditionOf(headers?.['if-match']),
    idempotencyKey: headers?.['idempotency-key'],
    origin: headers?.origin,
    appName: headers?.['app-name'],
  };
};

// Strong comparison (RFC 9110, 13.1.1): a weak tag, or a tag that this service never issued, matches nothing.
const preconditionOf = (ifMatch: string | undefined): Precondition | undefined => {
  if (ifMatch === undefined) return undefined;
  if (ifMatch.trim() === '*') return 'any';
  return [...ifMatch.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag = '']) =>
    weak === undefined && /^(0|[1-9]\d*)$/.test(tag) ? [Number(tag)] : [],
  );
};
