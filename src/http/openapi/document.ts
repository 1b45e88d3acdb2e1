// The OpenAPI 3.1 document, generated from the routes and the schemas of their requests and responses.
import type { z } from 'zod';
import { VERSION } from '../../infrastructure/version.js';
import { type Callers, conditions, type Rule, requiresToken } from '../access/access.js';
import type { Json } from '../request/json-schemas.js';
import { acceptsNothing, bodyLimitOf } from '../route/requests.js';
import type { Method, Route } from '../route/route.js';
import { Components } from './components.js';
import { parametersOf } from './parameters.js';
import { problemsInWords } from './problems.js';
import { refusalsOf } from './refusals.js';
import { responsesOf } from './responses.js';
import { tagOf, tags } from './tags.js';

const DESCRIPTION = `Administration of clinical protocols.

- All paths are also served under /admin-service, except /auth-service, /api, /.well-known and the probes.
- Texts are stored unchanged. Control characters other than tabs and line breaks are rejected.
- Integers with more digits than a double keeps are rejected as \`inexact-number\`. Send such values as texts.
- Every problem is an RFC 9457 document with a stable \`code\` for clients. Each operation lists the problems that
  it can respond with. In addition, every path responds with 405 to unsupported methods, and with 408 or 431
  to requests that arrive too slowly or whose headers are too large.
- A request that creates a resource responds with 412 to an If-Match header, because no ETag can match yet.`;

/**
 * Returns the document for `callers`. `administration` are the routes that are also served under /admin-service, `own`
 * are the routes that are served only at their own paths.
 */
export const openApiOf = (administration: readonly Route[], own: readonly Route[], callers: Callers): Json => {
  const components = new Components();
  const paths: Record<string, Partial<Record<Method, Json>>> = {};
  for (const route of [...administration, ...own]) {
    const servers = own.includes(route) && { servers: [{ url: '/' }] };
    const operation = { ...operationOf(route, callers, components), ...servers };
    paths[route.path] = { ...paths[route.path], [route.method]: operation };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Clinical protocols', version: VERSION, description: DESCRIPTION },
    servers: [{ url: '/' }, { url: '/admin-service' }],
    tags,
    paths,
    components: { ...components, securitySchemes: { bearer } },
  };
};

const operationOf = (route: Route, callers: Callers, components: Components): Json => ({
  operationId: route.name,
  tags: [tagOf(route.path)],
  summary: route.summary,
  description: descriptionOf(route, callers),
  security: securityOf(route.access.who, callers),
  parameters: parametersOf(route, components),
  ...(route.body !== undefined && { requestBody: bodyOf(route, route.body, components) }),
  responses: responsesOf(route, callers, components),
});

const bodyOf = (route: Route, schema: z.ZodType, components: Components): Json => {
  const name = `${route.name.charAt(0).toUpperCase()}${route.name.slice(1)}Request`;
  return {
    description: `At most ${bodyLimitOf(route).toLocaleString('en')} bytes after decompression.`,
    required: !acceptsNothing(schema),
    content: {
      'application/json': {
        schema: components.schemaOf(schema, 'input', name),
        ...(route.example !== undefined && { example: route.example }),
      },
    },
  };
};

const descriptionOf = (route: Route, callers: Callers): string => {
  const { summary, description = `${summary}.`, access } = route;
  const { who, maxAuthAgeS } = access;
  const needsToken = requiresToken(who, callers);
  const sentences = [
    description,
    ...(needsToken ? [`Callers: ${who.allowed.map((each) => conditions[each].requires).join('; ')}.`] : []),
    ...(needsToken && maxAuthAgeS !== undefined
      ? [`Requires a sign-in at most ${maxAuthAgeS} seconds ago (RFC 9470).`]
      : []),
  ];
  return `${sentences.join(' ')}\n\nProblems:\n\n${problemsInWords(refusalsOf(route, callers))}`;
};

// Each requirement is sufficient on its own. For a scheme without scopes, the list contains roles (OpenAPI 3.1,
// Security Requirement Object).
const securityOf = (rule: Rule, callers: Callers): readonly Json[] => {
  if (rule.token === 'ignored') return [];
  return requiresToken(rule, callers)
    ? rule.allowed.map((condition) => ({ bearer: [condition] }))
    : [{}, { bearer: [] }];
};

const bearer = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: [
    'The access token of a sign-in (POST /auth-service/auth). The security requirements of an operation name the allowed callers; one of them is sufficient:',
    ...Object.entries(conditions).map(([name, { requires }]) => `- \`${name}\`: ${requires}`),
  ].join('\n'),
};
