// The successful responses in the OpenAPI document. For problems, see problems.ts.
import type { Callers } from '../access/access.js';
import { type Json, schemaIdOf } from '../request/json-schemas.js';
import { JSON_TYPE } from '../response/sending.js';
import { has, nothing, type Route, type Success, successStatuses } from '../route/route.js';
import { type Components, type HeaderName, headersNamed } from './components.js';
import { queryFieldsOf } from './parameters.js';
import { problemsOf } from './problems.js';
import { refusalsOf } from './refusals.js';

export const responsesOf = (route: Route, callers: Callers, components: Components): Json => ({
  ...Object.fromEntries(successStatuses(route).map((status) => [status, successOf(route, status, components)])),
  ...(has(route, 'etag') && { 304: components.add('responses', 'NotModified', notModified) }),
  ...problemsOf(refusalsOf(route, callers), components),
});

const notModified = { description: 'The ETag in If-None-Match is still current.', ...headersNamed(['ETag']) };

const successOf = (route: Route, status: Success, components: Components): Json => {
  const schema = route.responses[status] ?? nothing;
  const head = { description: DESCRIPTIONS[status], ...headersNamed(headersOf(route, status)) };
  if (schema === nothing) return head;
  return {
    ...head,
    content: {
      [route.type ?? JSON_TYPE]: { schema: components.schemaOf(schema, 'output') },
      ...Object.fromEntries(Object.keys(route.forms ?? {}).map((type) => [type, { schema: { type: 'string' } }])),
    },
  };
};

const DESCRIPTIONS: { readonly [status in Success]: string } = {
  200: 'Success.',
  201: 'Created.',
  204: 'Success. The response has no body.',
  301: 'Signed out. The response redirects to `/`.',
  503: 'Not ready.',
};

const headersOf = (route: Route, status: Success): readonly HeaderName[] => {
  const { documentedHeaders = [], travelsInTime, access } = route;
  const isStored = has(route, 'replay');
  // In the other rate classes, most callers have no quota.
  const isCounted = access.rate !== undefined;
  const always: readonly [HeaderName, boolean | undefined][] = [
    ['ETag', has(route, 'etag') || isStored],
    ['Consistency-Token', isStored || travelsInTime],
    ['Location', status === 201 || status === 301 || route.kind === 'creation'],
    ['Set-Cookie', route.usesCookies],
    ['Content-Disposition', documentedHeaders.includes('Content-Disposition')],
    ['Idempotency-Replayed', isStored],
    ['Message-Withheld', documentedHeaders.includes('Message-Withheld')],
    ['Link', isPage(route, status)],
    ['RateLimit-Policy', isCounted],
    ['RateLimit', isCounted],
  ];
  return always.filter(([, isSent]) => isSent).map(([name]) => name);
};

const isPage = (route: Route, status: Success): boolean =>
  schemaIdOf(route.responses[status] ?? nothing)?.endsWith('Page') === true && 'cursor' in queryFieldsOf(route);
