// What a request brings, read and checked before a handler sees it; everything that is wrong with it in one answer.
import express, { type Request, type Response } from 'express';
import { z } from 'zod';
import type { Precondition } from '../commands/context.js';
import type { Position } from '../infrastructure/facts/facts.js';
import { Problem, pointerTo, type RequestError } from './problems.js';
import { type Asked, paramNames, type Route } from './route.js';
import { readJson } from './strict-json.js';

/** The most bytes of a body, unpacked. */
export const BODY_LIMIT = 1_048_576;

const readBytes = express.raw({ limit: BODY_LIMIT, type: () => true });

/** What was read of a request. */
export interface Parsed {
  readonly params: Record<string, string>;
  readonly query: unknown;
  readonly body: unknown;
  readonly asked: Asked;
  readonly precondition: Precondition | undefined;
  readonly idempotencyKey: string | undefined;
  readonly origin: string | undefined;
  readonly appName: string | undefined;
}

/** Reads everything that a route takes. Rejects with a `Problem` that names every fault. */
export const parseRequest = async (route: Route, request: Request, response: Response): Promise<Parsed> => {
  const body = route.body === undefined ? undefined : await readBody(request, response);
  const errors: RequestError[] = [...(body?.errors ?? [])];
  const parsed = {
    params: readParams(route, request, errors),
    query: readQuery(route, request, errors),
    body: route.body === undefined ? undefined : readFields(route.body, body?.value, errors),
    ...readHeaders(route, request, errors),
  };
  if (errors.length > 0) throw new Problem('fields-refused', { errors: onePerPlace(errors) });
  return parsed;
};

const readBody = async (request: Request, response: Response) => {
  const { headers } = request;
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (isEmpty) return { value: undefined, errors: [] };
  if (!isJson(headers['content-type'])) {
    throw new Problem('unsupported-media-type', { headers: { Accept: 'application/json' } });
  }
  await new Promise<void>((resolve, reject) => {
    readBytes(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  return readJson(request.body as Buffer);
};

const isJson = (contentType = ''): boolean => {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return (
    type === 'application/json' &&
    parameters.every((part) => !part.startsWith('charset=') || /^charset="?utf-8"?$/.test(part))
  );
};

const readFields = (schema: z.ZodType, value: unknown, errors: RequestError[]): unknown => {
  if (value === undefined && !takesNothing(schema)) {
    errors.push({ pointer: '', code: 'required', message: 'a JSON body is required' });
    return undefined;
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  errors.push(...faultsOf(result.error, value));
  return undefined;
};

const faultsOf = ({ issues }: z.ZodError, value: unknown): readonly RequestError[] =>
  issues.map((issue) => ({ pointer: pointerTo(issue.path), ...said(issue, value) }));

/** What is wrong with a value as a body of this schema: one fault for each place. */
export const faultsIn = (schema: z.ZodType, value: unknown): readonly RequestError[] => {
  const { error } = schema.safeParse(value);
  return error === undefined ? [] : onePerPlace(faultsOf(error, value));
};

/** Whether a route that takes this body may be called without one. */
export const takesNothing = (schema: z.ZodType): boolean => schema.safeParse(undefined).success;

const readParams = ({ path }: Route, request: Request, errors: RequestError[]): Record<string, string> => {
  const params: Record<string, string> = {};
  for (const name of paramNames(path)) {
    const result = Uuid.safeParse(request.params[name]);
    if (result.success) params[name] = result.data;
    else errors.push({ parameter: name, code: 'invalid-format', message: 'is not a UUID' });
  }
  return params;
};

const readQuery = ({ query }: Route, request: Request, errors: RequestError[]): unknown =>
  query === undefined ? undefined : readParameters(query, request.query, errors);

const readParameters = (schema: z.ZodType, values: unknown, errors: RequestError[]): unknown => {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  for (const issue of result.error.issues) errors.push({ parameter: String(issue.path[0]), ...said(issue, values) });
  return undefined;
};

const Uuid = z.guid().toLowerCase();
/** The headers that are parsed, as OpenAPI shows them, too. */
export const RequestHeaders = z.object({
  'idempotency-key': z.string().min(1).max(255).optional(),
  'consistency-token': z
    .string()
    .regex(/^[0-9a-z]{16,64}$/, 'is no token that this service gave')
    .optional(),
  'if-match': z
    .string()
    .max(1_000)
    .regex(/^\s*(\*|(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*)\s*$/, 'is neither * nor a list of entity tags')
    .optional(),
  origin: z.string().max(255).optional(),
  'app-name': z.string().max(255).optional(),
});
const Instant = z.object({ asOf: z.iso.datetime({ offset: true }).optional() });

const readHeaders = (route: Route, request: Request, errors: RequestError[]) => {
  const headers = readParameters(RequestHeaders, request.headers, errors) as z.infer<typeof RequestHeaders> | undefined;
  const travels = route.travelsInTime
    ? (readParameters(Instant, request.query, errors) as z.infer<typeof Instant>)
    : undefined;
  const asOf = travels?.asOf === undefined ? undefined : new Date(travels.asOf).toISOString();
  return {
    asked: { asOf, consistency: headers?.['consistency-token'] as Position | undefined },
    precondition: preconditionOf(headers?.['if-match']),
    idempotencyKey: headers?.['idempotency-key'],
    origin: headers?.origin,
    appName: headers?.['app-name'],
  };
};

// Strong comparison (RFC 9110, 13.1.1): a weak tag, or one that this service never gave, matches nothing.
const preconditionOf = (ifMatch: string | undefined): Precondition | undefined => {
  if (ifMatch === undefined) return undefined;
  if (ifMatch.trim() === '*') return 'any';
  return [...ifMatch.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag = '']) =>
    weak === undefined && /^(0|[1-9]\d*)$/.test(tag) ? [Number(tag)] : [],
  );
};

const said = (issue: z.core.$ZodIssue, value: unknown) => {
  if (issue.code === 'custom') return { code: String(issue.params?.['code'] ?? 'invalid'), message: issue.message };
  const sent = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  return sent === undefined
    ? { code: 'required', message: 'is required' }
    : { code: issue.code.replaceAll('_', '-'), message: issue.message };
};

const onePerPlace = (errors: readonly RequestError[]): readonly RequestError[] =>
  [
    ...new Map(
      errors.toReversed().map((error) => ['pointer' in error ? `/${error.pointer}` : error.parameter, error]),
    ).values(),
  ].reverse();
