// Checks that an operation lists every problem that it returns to an HTTP test.

import { openApiOf } from '../../src/http/openapi/document.js';
import type { RouteContext } from '../../src/http/route/context.js';
import { groupsOf } from '../../src/http/routes.js';
import type { ClientResponse } from './client.js';
import { Contract, type OpenApiDocument, withReferencesResolved } from './contract.js';

/** A rejected request. */
interface Refused {
  readonly method: string;
  /** The path with the query, if there is one. */
  readonly path: string;
  readonly headers: Headers;
}

const app = {} as RouteContext;
const documents = (['open', 'required'] as const).map((callers) =>
  withReferencesResolved(openApiOf(groupsOf(app), callers) as unknown as OpenApiDocument),
);
const contracts = documents.map((document) => new Contract(document));
const paths = documents[0]?.paths ?? {};
// Routes without parameters match before routes with parameters, as in the router.
const routes = Object.keys(paths)
  .toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
  .map((route) => ({ route, pattern: new RegExp(`^(/admin-service)?${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));

/** Throws if the operation does not list the problem, or describes it differently. */
export const expectListedProblem = ({ method, path, headers }: Refused, response: ClientResponse): void => {
  const [address = ''] = path.split('?', 1);
  const route = routes.find(({ pattern }) => pattern.test(address))?.route ?? '';
  const place = { method: method.toLowerCase(), route };
  const operation = paths[route]?.[place.method];
  if (operation === undefined || !isOfOperation(response) || isUndescribedHeader(operation, headers, response)) return;
  const { code = '' } = response.body as { readonly code?: string };
  const faults = contracts.map((contract) => contract.faultsInResponse(place, response));
  if (faults.some((each) => each.length === 0)) return;
  throw new Error(`${method} ${route} does not describe its problem ${code}: ${faults.flat().join('; ')}`);
};

const isOfOperation = ({ headers, body }: ClientResponse) =>
  headers.get('content-type')?.startsWith('application/problem+json') === true &&
  (body as { readonly code: string }).code !== 'route-not-found';

// Operations that create resources reject If-Match. The document says so once for all operations.
const isUndescribedHeader = (
  { parameters }: OpenApiDocument['paths'][string][string],
  headers: Headers,
  { status }: ClientResponse,
) => status === 412 && headers.has('if-match') && !parameters.some(({ name }) => name === 'If-Match');
