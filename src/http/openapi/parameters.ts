// The path, query and header parameters in the OpenAPI document.
import { z } from 'zod';
import type { Json } from '../request/json-schemas.js';
import { acceptsNothing, RequestHeaders } from '../route/requests.js';
import { has, paramNames, type Route } from '../route/route.js';
import type { Components } from './components.js';

const HEADERS: Readonly<Record<string, { readonly description: string; readonly accepts: (route: Route) => boolean }>> =
  {
    'app-name': {
      description: 'The name of the client application, which is stored with the session.',
      accepts: ({ access }) => access.rate === 'sign-in',
    },
    'Consistency-Token': {
      description: 'The token from the response to a write. The response is at least as recent as that write.',
      accepts: (route) => has(route, 'view') || has(route, 'names'),
    },
    'If-None-Match': {
      description: 'An ETag. The response is 304 if the ETag is still current.',
      accepts: (route) => has(route, 'etag'),
    },
    'If-Match': {
      description:
        'The expected ETag of the resource, or `*` for any. The response is 412 if the resource has a different ETag.',
      accepts: (route) => has(route, 'precondition'),
    },
    'Idempotency-Key': {
      description:
        'A unique key for each request. For 24 hours, a request with the same key, query and body gets the stored response.',
      accepts: (route) => has(route, 'replay'),
    },
  };

export const parametersOf = (route: Route, components: Components): readonly Json[] => {
  const shared = (name: string, parameter: Json) => components.add('parameters', name, { name, ...parameter });
  const headers = Object.entries(HEADERS).filter(([, { accepts }]) => accepts(route));
  return [
    ...paramNames(route.path).map((name) => shared(name, { in: 'path', required: true, ...inPath(route, name) })),
    ...Object.entries(queryFieldsOf(route)).map(([name, field]) => inQuery(name, field, components)),
    ...(route.travelsInTime ? [shared('asOf', asOf)] : []),
    ...headers.map(([name, { description }]) =>
      shared(name, { in: 'header', description, schema: headerSchema(name, components) }),
    ),
  ];
};

export const queryFieldsOf = ({ query }: Route): Readonly<Record<string, z.ZodType>> =>
  query instanceof z.ZodObject ? query.shape : {};

const inPath = ({ texts = {} }: Route, name: string): Json => {
  const { pattern, ...shown } = texts[name] ?? {};
  return { ...shown, schema: pattern === undefined ? { type: 'string', format: 'uuid' } : { type: 'string', pattern } };
};

const inQuery = (name: string, field: z.ZodType, components: Components): Json => {
  const { description, ...schema } = components.schemaOf(field, 'input');
  return {
    name,
    in: 'query',
    ...(!acceptsNothing(field) && { required: true }),
    ...(description !== undefined && { description }),
    schema,
  };
};

const headerSchema = (name: string, components: Components): Json => {
  const parsed = RequestHeaders.shape[name.toLowerCase() as keyof typeof RequestHeaders.shape];
  return parsed === undefined ? { type: 'string' } : components.schemaOf(parsed, 'input');
};

const asOf = {
  in: 'query',
  description: 'The response shows the state at this time.',
  schema: { type: 'string', format: 'date-time' },
};
