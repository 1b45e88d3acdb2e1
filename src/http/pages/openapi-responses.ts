// The responses in the OpenAPI document, of successes; openapi-problems.ts has those of refusals.
import { countsAddresses } from '../edge/rate-limits.js';
import type { Callers } from '../kernel/access.js';
import { type NamedSchemas, nameOf } from '../kernel/json-schemas.js';
import { refusalsOf } from '../kernel/refusals.js';
import {
  hasValidator,
  nothing,
  type Route,
  type Success,
  successStatuses,
  takesIdempotencyKey,
} from '../kernel/route.js';
import examples from './examples.json' with { type: 'json' };
import type { Problems } from './openapi-problems.js';

type Json = Readonly<Record<string, unknown>>;

/** The headers that responses may have. */
export const responseHeaders = {
  ETag: { description: 'The revision of the aggregate, or a digest of a page of a list.', schema: { type: 'string' } },
  'Consistency-Token': { description: 'Send it with a GET to read at least this write.', schema: { type: 'string' } },
  Location: {
    description:
      'The address of what was created, or of the page to go on with. A question, an option and a unity are read with their form or institution, so it is the address of that.',
    schema: { type: 'string' },
  },
  Link: { description: 'The next page, rel="next"; absent on the last page.', schema: { type: 'string' } },
  'Content-Disposition': { description: 'The name of the file.', schema: { type: 'string' } },
  'Idempotency-Replayed': {
    description: '`true` if this is the stored response of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string' },
  },
  'Message-Withheld': {
    description: '`quota` if a quota kept back the message that the request would have sent.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'By the name of each policy, how many requests (q) a window of so many seconds (w) has.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'By the name of each policy, how many requests remain (r), and the seconds until the window ends (t).',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'The seconds after which to try again.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'How to sign in, and why the token was refused.', schema: { type: 'string' } },
} as const;

type HeaderName = keyof typeof responseHeaders;

const shown = (names: readonly HeaderName[]): Json =>
  names.length === 0
    ? {}
    : { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };

/** The response to a GET of what has not changed. */
export const notModified = {
  description: 'The ETag in If-None-Match is still current.',
  ...shown(['ETag']),
};

/** The examples of successful responses, by the names of their schemas. */
export const successExamples: Json = Object.fromEntries(
  Object.entries(examples).map(([name, value]) => [name, { value }]),
);

/** Describes responses; what they share is collected in `schemas` and `problems`. */
export class Responses {
  readonly #schemas: NamedSchemas;
  readonly #problems: Problems;

  constructor(schemas: NamedSchemas, problems: Problems) {
    this.#schemas = schemas;
    this.#problems = problems;
  }

  /** Returns the responses of a route to `callers`, by status. */
  of(route: Route, callers: Callers): Json {
    return {
      ...Object.fromEntries(successStatuses(route).map((status) => [status, this.#success(route, status)])),
      ...(hasValidator(route) && { 304: { $ref: '#/components/responses/NotModified' } }),
      ...this.#problems.responsesOf(refusalsOf(route, callers)),
    };
  }

  #success(route: Route, status: Success): Json {
    const schema = route.answers[status] ?? nothing;
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
  204: 'Success, without a body.',
  301: 'Signed out. The page to go on with is `/`.',
};

const headersOf = (route: Route, status: Success): readonly HeaderName[] => {
  const always: readonly [HeaderName, boolean][] = [
    ['ETag', hasValidator(route) || takesIdempotencyKey(route)],
    ['Consistency-Token', takesIdempotencyKey(route)],
    ['Location', status === 201 || status === 301 || route.creates === true],
    ['Content-Disposition', route.isFile === true],
    ['Idempotency-Replayed', takesIdempotencyKey(route)],
    ['Message-Withheld', route.sendsMessage === true],
    ['Link', isPage(route, status)],
    // Of the other classes most callers have no quota.
    ['RateLimit-Policy', countsAddresses(route.access.rate)],
    ['RateLimit', countsAddresses(route.access.rate)],
  ];
  return always.filter(([, isThere]) => isThere).map(([name]) => name);
};

const isPage = ({ answers, query }: Route, status: Success): boolean =>
  nameOf(answers[status] ?? nothing)?.endsWith('Page') === true && 'cursor' in shapeOf(query);

const shapeOf = (query: Route['query']): object =>
  query !== undefined && 'shape' in query ? (query.shape as object) : {};
