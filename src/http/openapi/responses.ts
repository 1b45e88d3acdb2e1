// The successful responses in the OpenAPI document. For problems, see problems.ts.

import type { Callers } from '../access/access.js';
import { countsAddresses } from '../access/rate-limits.js';
import { type NamedSchemas, nameOf } from '../request/json-schemas.js';
import type { responseHeaders } from '../response/response-headers.js';
import { refusalsOf } from '../route/refusals.js';
import {
  acceptsIdempotencyKey,
  hasValidator,
  nothing,
  type Route,
  type Success,
  successStatuses,
} from '../route/route.js';
import type { Problems } from './problems.js';

type Json = Readonly<Record<string, unknown>>;

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
    return {
      description: DESCRIPTIONS[status],
      ...shown(headers),
      content: {
        [route.type ?? 'application/json']: { schema: this.#schemas.shown(schema, 'output') },
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
  503: 'Not ready.',
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
