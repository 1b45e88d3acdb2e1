// Every response, success or problem, and every example body is valid against /openapi.json.

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { allRoutes } from '../../scripts/routes-doc.js';
import type { RouteContext } from '../../src/http/route/context.js';
import { routesOf } from '../../src/http/routes.js';
import type { ClientResponse } from '../support/client.js';
import { Contract, fetchOpenApi, type OpenApiDocument, type Operation } from '../support/contract.js';
import { since } from '../support/opaque.js';
import { sendRaw } from '../support/raw-http.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem } from './refusals.js';
import { UNKNOWN_ID } from './samples.js';
import { allOperationsOf, exampleOf, type Ids, pathOf, type Step, walk, walkWrites } from './walk.js';

const server = sharedService();
const MIB = 1_048_576;
// Fields that change the body of any route.
const OTHER = {
  ...{ prompt: 'Other', address: 'Other', description: 'Other', score: 99, weight: 99 },
  ...{ firstName: 'Other', documentDoctor: 'Other', reason: 'Other', userId: UNKNOWN_ID, ids: [UNKNOWN_ID] },
};
// A position beyond the end of the log.
const FUTURE = '9'.repeat(16);
const places = routesOf({} as RouteContext).map(({ method, path, ...route }) => ({
  method: method as Step['method'],
  route: path,
  hasBody: route.body !== undefined,
  acceptsIdempotencyKey: method !== 'get' && !route.recordsNothing,
}));
const writes = places.filter(({ method }) => method !== 'get');
const reads = places.filter(({ method }) => method === 'get');

let described: OpenApiDocument;
let contract: Contract;
let ids: Ids;
const walked = new Map<string, ClientResponse>();

const send = ({ method, path, body }: Step, headers: Record<string, string> = {}) =>
  server.send(method.toUpperCase(), path, { json: body, headers });

beforeAll(async () => {
  described = await fetchOpenApi<OpenApiDocument>(server);
  contract = new Contract(described);
  ids = await walk(described, async (step) => {
    const response = await send(step);
    walked.set(`${step.method} ${step.route}`, response);
    return response;
  });
});

type Place = (typeof places)[number];
/** Returns the rows of a test table: the name of each place and the place. */
const named = (of: readonly Place[]) =>
  of.map((place) => [`${place.method.toUpperCase()} ${place.route}`, place] as const);
const operationAt = ({ method, route }: Place): Operation => {
  const operation = described.paths[route]?.[method];
  if (operation === undefined) throw new Error(`${method} ${route} is not described`);
  return operation;
};
/** Returns a request that succeeds unless the test adds headers or other ids. */
const stepAt = (place: Place, of: Ids = ids): Step => ({
  method: place.method,
  route: place.route,
  path: pathOf(place.route, of),
  body: exampleOf(place.route, operationAt(place), ids),
});
/**
 * Sends the request of a place. If the service refuses the request because of an earlier one, repeats the writes of the
 * walk and sends the request for the new resources. A walk takes as many requests as there are writes.
 */
const sendWithRetry = async (place: Place, headersOf: () => Record<string, string>) => {
  const attempt = async () => {
    const [step, headers] = [stepAt(place), headersOf()];
    return { step, headers, status: (await send(step, headers)).status };
  };
  const first = await attempt();
  if (first.status < 300) return first;
  ids = await walkWrites(described, send);
  return attempt();
};
const expectDescribed = (place: Pick<Place, 'method' | 'route'>, response: ClientResponse, status: number) => {
  expect(response.status).toBe(status);
  expect(contract.faultsInResponse(place, response)).toEqual([]);
};
const unknownIds = () => Object.fromEntries(Object.keys(ids).map((name) => [name, UNKNOWN_ID]));

describe('the OpenAPI document', () => {
  it('has exactly the routes of the service', () => {
    const has = allOperationsOf(described).map(({ method, route }) => `${method} ${route}`);
    const all = allRoutes.map(({ method, path }) => `${method} ${path}`);
    expect(has.toSorted()).toEqual(all.toSorted());
  });

  it('has an example for every request body, and the schema of the body accepts it', () => {
    for (const place of writes.filter(({ hasBody }) => hasBody)) {
      const example = operationAt(place).requestBody?.content['application/json']?.example;
      expect(contract.faultsInBody(place, example)).toEqual([]);
    }
  });
});

describe('a success is as described', () => {
  it.each(named(places))('%s, with the example as its body', (_, { method, route }) => {
    const response = walked.get(`${method} ${route}`);
    if (response === undefined) throw new Error('the walk did not call the route');
    expect(contract.faultsInResponse({ method, route }, response)).toEqual([]);
  });

  it.each(named(reads))('%s, when nothing has changed', async (_, place) => {
    expect(walked.get(`get ${place.route}`)?.headers.get('etag')).toEqual(expect.any(String));
    expectDescribed(place, await send(stepAt(place), { 'If-None-Match': '*' }), 304);
  });
});

describe('a page for operators is as described', () => {
  it.each(['/livez', '/readyz', '/metrics'])('%s', async (route) => {
    expectDescribed({ method: 'get', route }, await server.get(route), 200);
  });
});

describe('a problem is as described', () => {
  it.each(named(places))('%s, for a malformed header', async (_, place) => {
    const headers = { 'If-Match': 'x', 'Consistency-Token': 'x', 'Idempotency-Key': 'k'.repeat(256) };
    expectDescribed(place, await send(stepAt(place), headers), 400);
  });

  it.each(named(places))('%s, for a foreign host name', async (_, place) => {
    const { method, path } = stepAt(place);
    const head = `${method.toUpperCase()} ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
    const { status, headers, body } = await sendRaw(server.url, head);
    expectDescribed(place, { status, headers, body: JSON.parse(body) }, 421);
  });

  it.each(named(writes))('%s, for a page of another site', async (_, place) => {
    const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
    expectDescribed(place, await send(stepAt(place), headers), 403);
  });

  it.each(named(places.filter(({ route }) => route.includes('{'))))('%s, for malformed ids', async (_, place) => {
    const path = place.route.replaceAll(/\{\w+\}/g, 'x');
    // A path that C2SP tlog-tiles does not define is not found.
    const status = place.route.endsWith('{tile}') ? 404 : 400;
    expectDescribed(place, await send({ ...stepAt(place), path }), status);
  });

  it.each(named(places.filter(({ route }) => route.includes('{'))))('%s, for unknown ids', async (_, place) => {
    expectDescribed(place, await send(stepAt(place, unknownIds())), 404);
  });

  it('for every read of a view, with a token from beyond the end of the log', async () => {
    // The audit trail, histories and evidence come from the log itself, not from a view.
    const ofViews = reads.filter(({ route }) => !/^\/audit\/|\/history(\/evidence)?$/.test(route));
    const headers = since(await server.opaque(), FUTURE);
    await Promise.all(ofViews.map(async (place) => expectDescribed(place, await send(stepAt(place), headers), 400)));
  });

  const acceptsIfMatch = (place: Place) => operationAt(place).parameters.some(({ name }) => name === 'If-Match');
  it.each(named(writes))('%s, for an ETag that does not match', async (_, place) => {
    const response = await send(stepAt(place), { 'If-Match': '"999999"' });
    if (acceptsIfMatch(place)) expectDescribed(place, response, 412);
    else expectProblem(response, 412, 'revision-mismatch');
  });

  it.each(named(writes))('%s, which lists If-Match only if the resource already exists', async (_, place) => {
    // `*` matches any revision of an existing resource, and nothing else.
    const anyRevision = { 'If-Match': '*' };
    if (acceptsIfMatch(place)) expect((await sendWithRetry(place, () => anyRevision)).status).not.toBe(412);
    else expect((await send(stepAt(place), anyRevision)).status).toBe(412);
  });

  const withBody = writes.filter(({ hasBody }) => hasBody);
  it.each(named(withBody))('%s, for a body that is invalid, too large or of another media type', async (_, place) => {
    const step = stepAt(place);
    const bytes = 'x'.repeat(MIB + 1);
    const method = place.method.toUpperCase();
    expectDescribed(place, await send({ ...step, body: [] }), 400);
    expectDescribed(place, await server.send(method, step.path, { bytes: '{' }), 400);
    expectDescribed(place, await server.send(method, step.path, { bytes }), 413);
    expectDescribed(place, await send(step, { 'Content-Type': 'text/plain' }), 415);
  });

  it.each(named(withBody.filter(({ acceptsIdempotencyKey }) => acceptsIdempotencyKey)))(
    '%s, for a key that was used with another body',
    async (_, place) => {
      const { step, headers, status } = await sendWithRetry(place, () => ({ 'Idempotency-Key': randomUUID() }));
      expect(status).toBeLessThan(300);
      const other = { ...(step.body as object), ...OTHER };
      expectDescribed(place, await send({ ...step, body: other }, headers), 422);
    },
  );

  it('for an option of a question that takes no options', async () => {
    const question = { questionText: 'How many?', responseType: 'NUMBER' };
    const path = `/protocols/${ids['protocolId']}`;
    const { body } = await server.post<{ id: string }>(`${path}/forms/${ids['formId']}/questions`, question);
    const response = await server.post(`${path}/questions/${body.id}/options`, { optionText: 'A', score: 1 });
    expectDescribed({ method: 'post', route: '/protocols/{id}/questions/{questionId}/options' }, response, 409);
  });

  it('for a name that is taken', async () => {
    const { body } = await server.get(`/specialties/${ids['specialtyId']}`);
    const { name } = body as { name: string };
    expectDescribed({ method: 'post', route: '/specialties' }, await server.post('/specialties', { name }), 409);
    const other = await server.post<{ id: string }>('/specialties', { name: `${name} other` });
    const response = await server.put(`/specialties/${other.body.id}`, { name });
    expectDescribed({ method: 'put', route: '/specialties/{id}' }, response, 409);
  });

  it('without an operation: for unknown paths and methods, and for malformed requests', async () => {
    const unparsed = await sendRaw(server.url, 'nonsense\r\n\r\n');
    const documents = [
      (await server.get('/nothing')).body,
      (await server.send('DELETE', '/protocols')).body,
      JSON.parse(unparsed.body),
    ];
    for (const document of documents) expect(contract.faultsInSchema('Problem', document)).toEqual([]);
  });
});
