// The OpenAPI 3.1 document, made from the routes and the schemas that they parse and answer with.
import { z } from 'zod';
import { countsAddresses } from '../edge/rate-limits.js';
import { asksForToken, type Callers, type Rule } from '../kernel/access.js';
import { inline, nameOf, problemSchema, reference, schemasOf } from '../kernel/json-schemas.js';
import { problemKinds } from '../kernel/problem-kinds.js';
import { bodyLimitOf, RequestHeaders, takesNothing } from '../kernel/requests.js';
import { type Method, nothing, paramNames, type Route, type Success, successStatuses } from '../kernel/route.js';

type Json = Readonly<Record<string, unknown>>;

const ALWAYS = [400, 404, 500, 503];
const OF_WRITES = [412, 413];
// Open, it answers to loopback names alone, and takes no write of another site's page.
const OF_OPEN = [421];
const OF_OPEN_WRITES = [403];
const OF_STREAMS = [406];
const TOO_MANY = 429;
const OF_BODIES = [415, TOO_MANY];
const OF_IDEMPOTENCY = [409, 422];

/**
 * Makes the document, of the administration routes and of those that are served at their own paths alone, as they are
 * served to `callers`.
 */
export const openApiOf = (administration: readonly Route[], own: readonly Route[], callers: Callers): Json => {
  const routes = [...administration, ...own];
  const paths: Record<string, Partial<Record<Method, Json>>> = {};
  for (const route of routes)
    paths[route.path] = {
      ...paths[route.path],
      [route.method]: { ...operationOf(route, callers), ...(own.includes(route) && { servers: [{ url: '/' }] }) },
    };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Clinical protocols',
      version: '1.0.0',
      description:
        'Administration of clinical protocols. Every path but those of /auth-service, /api and /.well-known is also served under /admin-service. Texts are kept as sent; control characters other than tab and line ends are refused.',
    },
    servers: [{ url: '/' }, { url: '/admin-service' }],
    paths,
    components: {
      schemas: { ...schemasOf(routes), Problem: problemSchema },
      headers: answerHeaders,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
};

const operationOf = (route: Route, callers: Callers): Json => ({
  operationId: `${route.method}${route.path.replaceAll(/[^A-Za-z]+(\w)/g, (_, letter: string) => letter.toUpperCase()).replaceAll(/\W/g, '')}`,
  tags: [route.path.split('/')[1] ?? ''],
  summary: route.summary,
  ...descriptionOf(route, callers),
  security: securityOf(route.access.who, callers),
  parameters: parametersOf(route),
  ...(route.body !== undefined && { requestBody: bodyOf(route, route.body) }),
  responses: responsesOf(route, callers),
});

const descriptionOf = ({ description, access: { who, maxAuthAgeS } }: Route, callers: Callers): Json => {
  const isLimited = maxAuthAgeS !== undefined && asksForToken(who, callers);
  const stepUp = isLimited ? [`Requires a sign-in that is at most ${maxAuthAgeS} seconds old (RFC 9470).`] : [];
  const sentences = [...(description === undefined ? [] : [description]), ...stepUp];
  return sentences.length === 0 ? {} : { description: sentences.join(' ') };
};

// Each is enough by itself. Beside a scheme that has no scopes stand roles (OpenAPI 3.1, Security Requirement Object).
const securityOf = (rule: Rule, callers: Callers): readonly Json[] => {
  if (rule.token === 'unread') return [];
  return asksForToken(rule, callers) ? rule.allowed.map((who) => ({ bearer: [who] })) : [{}, { bearer: [] }];
};

const bodyOf = (route: Route, schema: z.ZodType): Json => ({
  description: `At most ${bodyLimitOf(route).toLocaleString('en')} bytes, unpacked.`,
  required: !takesNothing(schema),
  content: { 'application/json': { schema: inline(schema, 'input'), ...exampleOf(route) } },
});

const exampleOf = ({ example }: Route): Json => (example === undefined ? {} : { example });

const header = (name: string, description: string): Json => {
  const parsed = Object.entries<z.ZodType>(RequestHeaders.shape).find(([key]) => key === name.toLowerCase())?.[1];
  return {
    name,
    in: 'header',
    description,
    schema: parsed === undefined ? { type: 'string' } : inline(parsed, 'input'),
  };
};

const asOf: Json = {
  name: 'asOf',
  in: 'query',
  description: 'The state as it was at this instant.',
  schema: { type: 'string', format: 'date-time' },
};

const parametersOf = (route: Route): readonly Json[] => [
  ...paramNames(route.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  })),
  ...queryOf(route),
  ...(route.travelsInTime ? [asOf] : []),
  ...headersOf(route),
];

const queryOf = ({ query }: Route): readonly Json[] => {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = inline(query, 'input') as {
    properties?: Record<string, Json>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    ...(description !== undefined && { description }),
    schema,
  }));
};

const headersOf = (route: Route): readonly Json[] => [
  ...(route.takesAppName ? [header('app-name', 'The name of the client application, kept with the session.')] : []),
  ...(route.recordsNothing ? [] : generalHeadersOf(route)),
];

const generalHeadersOf = (route: Route): readonly Json[] =>
  route.method === 'get'
    ? [
        header('Consistency-Token', 'The answer is at least as new as the write that gave it.'),
        header('If-None-Match', 'An ETag: 304 while it is current.'),
      ]
    : [header('If-Match', 'The ETag that the resource must have: 412 where it has another.'), idempotencyKey];

const idempotencyKey = header(
  'Idempotency-Key',
  'At most 255 characters. The same key and body answers the stored response for 24 hours.',
);

const answerHeaders = {
  ETag: { description: 'The revision of the aggregate, or a digest of a page of a list.', schema: { type: 'string' } },
  'Consistency-Token': { description: 'Send it with a GET to read at least this write.', schema: { type: 'string' } },
  Location: { description: 'Where the new resource is.', schema: { type: 'string' } },
  Link: { description: 'The next page, rel="next".', schema: { type: 'string' } },
  'RateLimit-Policy': {
    description: 'By the name of each policy, how many requests (q) a window of so many seconds (w) has.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'By the name of each policy, how many requests remain (r), and the seconds until the window ends (t).',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'The seconds after which to try again.', schema: { type: 'string' } },
} as const;

const shown = (...names: readonly (keyof typeof answerHeaders)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Those of who calls, and how often. */
const ofCallers = (route: Route, callers: Callers): readonly number[] => {
  const { who } = route.access;
  return [
    ...(who.token === 'unread' ? [] : [401]),
    ...(asksForToken(who, callers) ? [403] : []),
    ...(callers === 'open' ? ofOpen(route) : []),
    ...(isLimited(route) ? [TOO_MANY] : []),
  ];
};

const ofOpen = ({ method }: Route) => (method === 'get' ? OF_OPEN : [...OF_OPEN, ...OF_OPEN_WRITES]);

/** The problems that a route may answer, by what it is and takes. */
const failuresOf = (route: Route, callers: Callers): readonly number[] => {
  const isWrite = route.method !== 'get';
  return [
    ...ALWAYS,
    ...(isWrite ? OF_WRITES : []),
    ...(isWrite && !route.recordsNothing ? OF_IDEMPOTENCY : []),
    ...ofCallers(route, callers),
    ...(route.body === undefined ? [] : OF_BODIES),
    ...(route.streams === undefined ? [] : OF_STREAMS),
    ...(route.problems ?? []),
  ];
};

const responsesOf = (route: Route, callers: Callers): Json => {
  return {
    ...Object.fromEntries(successStatuses(route).map((status) => [status, success(route, status)])),
    ...(route.method !== 'get' || route.recordsNothing
      ? {}
      : { 304: { description: 'Not changed since the ETag in If-None-Match.' } }),
    ...Object.fromEntries(
      [...new Set(failuresOf(route, callers))]
        .sort((a, b) => a - b)
        .map((failure) => [failure, problemAnswer(failure)]),
    ),
  };
};

const success = (route: Route, status: Success): Json => {
  // Elsewhere most callers have no quota.
  const limited = countsAddresses(route.access.rate) ? LIMIT_HEADERS : [];
  if (route.answers[status] === nothing) {
    return { description: WITHOUT_BODY[status] ?? '', ...(limited.length > 0 && { headers: shown(...limited) }) };
  }
  const name = nameOf(route.answers[status] ?? z.unknown()) ?? '';
  return {
    description: status === 201 ? 'Created.' : 'Done.',
    headers: shown(...headersAnswered(route, status, name), ...limited),
    content: {
      'application/json': { schema: reference(name) },
      ...Object.fromEntries(Object.keys(route.streams ?? {}).map((type) => [type, { schema: { type: 'string' } }])),
    },
  };
};

const WITHOUT_BODY: { readonly [status in Success]?: string } = { 204: 'Done.', 301: 'Done; go on at `/`.' };

const headersAnswered = (
  { method, recordsNothing }: Route,
  status: number,
  name: string,
): readonly (keyof typeof answerHeaders)[] => {
  if (recordsNothing) return [];
  if (method === 'get') return name.endsWith('Page') ? ['ETag', 'Link'] : ['ETag'];
  return status === 201 ? ['ETag', 'Consistency-Token', 'Location'] : ['ETag', 'Consistency-Token'];
};

// A read of the past folds a stream.
const isLimited = ({ access, travelsInTime }: Route): boolean => access.rate !== 'unlimited' || travelsInTime === true;

const LIMIT_HEADERS = ['RateLimit-Policy', 'RateLimit'] as const;

const problemAnswer = (status: number): Json => ({
  description: [
    ...new Set(
      Object.values(problemKinds)
        .filter((kind) => kind.status === status)
        .map(({ title }) => title),
    ),
  ].join('; '),
  ...(status === TOO_MANY && { headers: shown('Retry-After', ...LIMIT_HEADERS) }),
  content: { 'application/problem+json': { schema: reference('Problem') } },
});
