// The successful responses in the OpenAPI document. For problems, see openapi-problems.ts.
import { countsAddresses } from '../edge/rate-limits.js';
import type { Callers } from '../kernel/access.js';
import { type NamedSchemas, nameOf } from '../kernel/json-schemas.js';
import { refusalsOf } from '../kernel/refusals.js';
import {
  acceptsIdempotencyKey,
  hasValidator,
  nothing,
  type Route,
  type Success,
  successStatuses,
} from '../kernel/route.js';
import examples from './examples.json' with { type: 'json' };
import type { Problems } from './openapi-problems.js';

type Json = Readonly<Record<string, unknown>>;

/** The response headers. */
export const responseHeaders = {
  ETag: { description: 'The revision of the aggregate, or a digest of a page of a list.', schema: { type: 'string' } },
  'Consistency-Token': {
    description:
      'Send this token with a GET request to get a response that is at least as recent as this one. Every write has one. A read has one if its state comes from the log because the read model is behind.',
    schema: { type: 'string' },
  },
  Location: {
    description:
      'The URL of the created resource, or of the next page to open. Questions, options and unities have no URL of their own, so this is the URL of their form or institution.',
    schema: { type: 'string' },
  },
  Link: {
    description: 'The URL of the next page, with rel="next". Absent on the last page.',
    schema: { type: 'string' },
  },
  'Content-Disposition': { description: 'The name of the file.', schema: { type: 'string' } },
  'Idempotency-Replayed': {
    description: '`true` if this is the stored response to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string' },
  },
  'Message-Withheld': {
    description: '`quota` if a quota prevented the message of this request from being sent.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'For each policy by name: the quota of requests (q) in a window of seconds (w).',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'For each policy by name: the remaining requests (r), and the seconds until the window ends (t).',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'The number of seconds to wait before a retry.', schema: { type: 'string' } },
  'WWW-Authenticate': {
    description: 'The authentication scheme, and the reason why the token was rejected.',
    schema: { type: 'string' },
  },
} as const;

type HeaderName = keyof typeof responseHeaders;

const shown = (names: readonly HeaderName[]): Json =>
  names.length === 0
    ? {}
    : { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };

/** The response to a GET of an unchanged resource. */
export const notModified = {
  description: 'The ETag in If-None-Match is still current.',
  ...shown(['ETag']),
};

/** The examples of successful responses, by the names of their schemas. */
export const successExamples: Json = Object.fromEntries(
  Object.entries(examples).map(([name, value]) => [name, { value }]),
);

/** Describes responses. Collects shared parts in `schemas` and `problems`. */
export class Responses {
  readonly #schemas: NamedSchemas;
  readonly #problems: Problems;

  constructor(schemas: NamedSchemas, problems: Problems) {
    this.#schemas = schemas;
    this.#problems = problems;
  }

  /** Returns the responses of a route to `callers`, by status. */
  forRoute(route: Route, callers: Callers): Json {
    return {
      ...Object.fromEntries(successStatuses(route).map((status) => [status, this.#success(route, status)])),
      ...(hasValidator(route) && { 304: { $ref: '#/components/responses/NotModified' } }),
      ...this.#problems.responsesOf(refusalsOf(route, callers)),
    };
  }

  #success(route: Route, status: Success): Json {
    const schema = route.responses[status] ?? nothing;
    const headers = headersOf(route, status);
    if (schema === nothing) return { description: DESCRIPTIONS[status], ...shown(headers) };
    const name = nameOf(schema) ?? '';
    const example = Object.hasOwn(examples, name) && {
      examples: { [name]: { $ref: `#/components/examples/${name}` } },
    };
    return {
      description: DESCRIPTIONS[status],
      ...shown(headers),
      content: {
        [route.type ?? 'application/json']: { schema: this.#schemas.shown(schema, 'output'), ...example },
        ...Object.fromEntries(Object.keys(route.streams ?? {}).map((type) => [type, { schema: { type: 'string' } }])),
      },
    };
  }
}

const DESCRIPTIONS: { readonly [status in Success]: string } = {
  200: 'Success.',
  201: 'Created.',
  204: 'Success. The response has no body.',
  301: 'Signed out. The response redirects to `/`.',
};

const headersOf = (route: Route, status: Success): readonly HeaderName[] => {
  const always: readonly [HeaderName, boolean][] = [
    ['ETag', hasValidator(route) || acceptsIdempotencyKey(route)],
    ['Consistency-Token', acceptsIdempotencyKey(route) || route.travelsInTime === true],
    ['Location', status === 201 || status === 301 || route.creates === true],
    ['Content-Disposition', route.isFile === true],
    ['Idempotency-Replayed', acceptsIdempotencyKey(route)],
    ['Message-Withheld', route.sendsMessage === true],
    ['Link', isPage(route, status)],
    // In the other rate classes, most callers have no quota.
    ['RateLimit-Policy', countsAddresses(route.access.rate)],
    ['RateLimit', countsAddresses(route.access.rate)],
  ];
  return always.filter(([, isSent]) => isSent).map(([name]) => name);
};

const isPage = ({ responses, query }: Route, status: Success): boolean =>
  nameOf(responses[status] ?? nothing)?.endsWith('Page') === true && 'cursor' in shapeOf(query);

const shapeOf = (query: Route['query']): object =>
  query !== undefined && 'shape' in query ? (query.shape as object) : {};
