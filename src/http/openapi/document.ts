// The OpenAPI 3.1 document, generated from the routes and the schemas of their requests and responses.
import { CONTRACT_VERSION } from '../../infrastructure/version.js';
import { type Callers, conditions, type Rule, requiresToken } from '../access/access.js';
import type { Json } from '../request/json-schemas.js';
import { JSON_TYPE } from '../response/sending.js';
import { acceptsNothing, bodyLimitOf } from '../route/requests.js';
import type { Method, Route } from '../route/route.js';
import type { RouteGroup } from '../route/routing.js';
import { Components } from './components.js';
import { parametersOf } from './parameters.js';
import { problemsInWords } from './problems.js';
import { refusalsOf } from './refusals.js';
import { responsesOf } from './responses.js';
import { tagOf, tags } from './tags.js';

const DESCRIPTION = `Administration of clinical protocols.

- All paths are also served under /admin-service, except /auth-service, /api, /.well-known and the probes.
- Texts are stored unchanged, except that names lose the direction marks U+200E, U+200F and U+061C. Control characters other than tabs and line breaks are rejected.
- A number that a double would change is rejected as \`inexact-number\`: a whole number in any notation unless the double has exactly its value, another number unless the double is within 1e-15 of its value. Send such values as texts.
- Every problem is an RFC 9457 document with a stable \`code\` for clients. Each operation lists the problems that
  it can respond with. In addition, every path responds with 405 to unsupported methods, and with 408 or 431
  to requests that arrive too slowly or whose headers are too large.
- A request that creates a resource responds with 412 to an If-Match header, because no ETag can match yet.`;

// What "Authorize" and the padlocks of the page cannot say.
const OPEN =
  '**No token is needed**, except for your own sessions and your own account: this service runs in open mode.\n\n';

/** Returns the document for `callers`. The prefixes of the first group are the default servers. */
export const openApiOf = (groups: readonly RouteGroup[], callers: Callers): Json => {
  const components = new Components();
  const paths: Record<string, Partial<Record<Method, Json>>> = {};
  const [first] = groups;
  for (const group of groups) {
    for (const route of group.routes) {
      const operation = operationOf(route, group, { callers, components });
      const own = group.prefixes !== first?.prefixes && { servers: serversOf(group) };
      paths[route.path] = { ...paths[route.path], [route.method]: { ...operation, ...own } };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Clinical protocols',
      version: CONTRACT_VERSION,
      description: callers === 'open' ? `${OPEN}${DESCRIPTION}` : DESCRIPTION,
      license: { name: 'All rights reserved; ask the owner' },
    },
    servers: first && serversOf(first),
    tags,
    paths,
    components: { ...components, securitySchemes: { bearer } },
  };
};

const serversOf = ({ prefixes }: RouteGroup) => prefixes.map((prefix) => ({ url: prefix || '/' }));

const operationOf = (
  route: Route,
  { bodyTypes = [JSON_TYPE] }: RouteGroup,
  { callers, components }: { readonly callers: Callers; readonly components: Components },
): Json => ({
  operationId: route.name,
  tags: [tagOf(route.path)],
  summary: route.summary,
  description: descriptionOf(route, callers),
  security: securityOf(route.access.who, callers),
  parameters: parametersOf(route, components),
  ...(route.body !== undefined && {
    requestBody: bodyOf(route, bodyTypes, components.schemaOf(route.body, 'input', bodyNameOf(route))),
  }),
  responses: responsesOf(route, callers, components),
});

const bodyNameOf = ({ name }: Route): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}Request`;

const bodyOf = (route: Route, types: readonly string[], schema: Json): Json => ({
  description: `At most ${bodyLimitOf(route).toLocaleString('en')} bytes after decompression.`,
  required: route.body !== undefined && !acceptsNothing(route.body),
  content: Object.fromEntries(
    types.map((type) => [type, { schema, ...(route.example !== undefined && { example: route.example }) }]),
  ),
});

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
