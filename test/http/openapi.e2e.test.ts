// Every response of an administration route, success or problem, and every example body is valid against /openapi.json.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { allRoutes } from '../../scripts/routes-doc.js';
import type { RouteContext } from '../../src/http/route/context.js';
import { has } from '../../src/http/route/route.js';
import { routesOf } from '../../src/http/routes.js';
import type { ClientResponse } from '../support/client.js';
import { Contract, fetchOpenApi, type OpenApiDocument } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { since } from '../support/opaque.js';
import { sendRaw } from '../support/raw-http.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import type { Call, Ids, Place } from './support/routes.js';
import { allOperationsOf, callOf, newResources, resourceOf } from './support/routes.js';
import { UNKNOWN_ID } from './support/samples.js';

const server = sharedService();
const MIB = 1_048_576;
// A position beyond the end of the log.
const FUTURE = '9'.repeat(16);
const routes = routesOf({} as RouteContext);
const writes = routes.filter(({ method }) => method !== 'get');
const reads = routes.filter(({ method }) => method === 'get');
const withBody = writes.filter(({ body }) => body !== undefined);
const withIds = routes.filter(({ path }) => path.includes('{'));

let described: OpenApiDocument;
let contract: Contract;
let ids: Ids;
beforeAll(async () => {
  described = await fetchOpenApi<OpenApiDocument>(server);
  contract = new Contract(described);
  ids = await newResources(server);
});

type Route = (typeof routes)[number];
/** Returns the rows of a test table: the name of each route and the route. */
const named = (of: readonly Route[]) =>
  of.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const);
const placeOf = ({ method, path }: Pick<Route, 'method' | 'path'>): Place => {
  const operation = described.paths[path]?.[method];
  if (operation === undefined) throw new Error(`${method} ${path} is not described`);
  return { method, route: path, operation };
};
/** Returns a request that succeeds unless the test adds headers or other ids. */
const callTo = (route: Route, of: Ids = ids): Call => callOf(placeOf(route), of);
const send = ({ method, path, json }: Call, headers: Record<string, string> = {}) =>
  server.send(method, path, { json, headers });
const expectDescribed = (route: Pick<Route, 'method' | 'path'>, response: ClientResponse, status: number) => {
  expect(response.status).toBe(status);
  expect(contract.faultsInResponse(placeOf(route), response)).toEqual([]);
};

/** Returns another valid body: its longest text is different. */
const otherBody = (body: unknown): unknown => {
  const texts: string[] = [];
  const sent = JSON.stringify(body, (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  const longest = first(texts.toSorted((one, other) => other.length - one.length));
  const other = /^[\da-f]{8}-[\da-f-]{27}$/.test(longest) ? UNKNOWN_ID : `x${longest}`;
  return JSON.parse(sent, (_, value: unknown) => (value === longest ? other : value));
};

describe('the OpenAPI document', () => {
  it('has exactly the routes of the service', () => {
    const has = allOperationsOf(described).map(({ method, route }) => `${method} ${route}`);
    const all = allRoutes.map(({ method, path }) => `${method} ${path}`);
    expect(has.toSorted()).toEqual(all.toSorted());
  });

  it('has an example for every request body, and the schema of the body accepts it', () => {
    for (const route of withBody) {
      const place = placeOf(route);
      const example = place.operation.requestBody?.content['application/json']?.example;
      expect(contract.faultsInBody(place, example)).toEqual([]);
    }
  });
});

describe('a success is as described', () => {
  it.each(named(routes))('%s, with the example as its body', async (_, route) => {
    const call = callTo(route, route.method === 'get' ? ids : await newResources(server));
    // A worker signs the log within seconds.
    const response = await eventually(async () => {
      const sent = await send(call);
      expect(sent.status).toBeLessThan(300);
      return sent;
    });
    expect(contract.faultsInResponse(placeOf(route), response)).toEqual([]);
  });

  it.each(named(reads))('%s, when nothing has changed', async (_, route) => {
    const { headers } = await send(callTo(route));
    expect(headers.get('etag')).toEqual(expect.any(String));
    expectDescribed(route, await send(callTo(route), { 'If-None-Match': '*' }), 304);
  });
});

describe('a page for operators is as described', () => {
  it.each(['/livez', '/readyz', '/metrics'])('%s', async (path) => {
    expectDescribed({ method: 'get', path }, await server.get(path), 200);
  });
});

/** The codes of the routes that look for another resource first. Other routes name the resource of the parameter. */
const HISTORY = '/users/{id}/profiles/{profileId}/history';
const MISSING: Readonly<Record<string, string>> = {
  [`${HISTORY} {id}`]: 'profile-not-found',
  [`${HISTORY}/evidence {id}`]: 'profile-not-found',
};

describe('an unknown id, or the id of another resource, is 404', () => {
  let other: Ids;
  beforeAll(async () => {
    other = await newResources(server);
  });
  const rows = withIds
    .filter(({ texts }) => texts === undefined)
    .flatMap((route) =>
      [...route.path.matchAll(/\{(\w+)\}/g)].map(([parameter, name = '']) => ({
        ...{ route, parameter, method: route.method, path: route.path },
        key: name === 'id' ? `${resourceOf(route.path)}Id` : name,
      })),
    );

  it.each(rows)('$method $path with $parameter', async ({ route, parameter, path, key }) => {
    const code = MISSING[`${path} ${parameter}`] ?? `${key.replace('Id', '')}-not-found`;
    // The user in a path belongs to no other resource of the path.
    const isPart = parameter !== '{id}' && key !== 'userId';
    const foreign = isPart ? other[key] : ids[key === 'userId' ? 'protocolId' : 'userId'];
    for (const id of [UNKNOWN_ID, `${foreign}`]) {
      const response = await send({ ...callTo(route), path: callTo(route, { ...ids, [key]: id }).path });
      expectProblem(response, 404, code);
      expectDescribed(route, response, 404);
    }
  });
});

describe('a problem is as described', () => {
  it.each(named(routes))('%s, for a malformed header', async (_, route) => {
    const headers = { 'If-Match': 'x', 'Consistency-Token': 'x', 'Idempotency-Key': 'k'.repeat(256) };
    expectDescribed(route, await send(callTo(route), headers), 400);
  });

  it.each(named(routes))('%s, for a foreign host name', async (_, route) => {
    const { method, path } = callTo(route);
    const head = `${method} ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
    const { status, headers, body } = await sendRaw(server.url, head);
    expectDescribed(route, { status, headers, body: JSON.parse(body) }, 421);
  });

  it.each(named(writes))('%s, for a page of another site', async (_, route) => {
    const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
    expectDescribed(route, await send(callTo(route), headers), 403);
  });

  it.each(named(withIds))('%s, for malformed ids', async (_, route) => {
    const path = route.path.replaceAll(/\{\w+\}/g, 'x');
    // A path that C2SP tlog-tiles does not define is not found.
    expectDescribed(route, await send({ ...callTo(route), path }), route.path.endsWith('{tile}') ? 404 : 400);
  });

  it('for every read of a view, with a token from beyond the end of the log', async () => {
    const headers = since(await server.opaque(), FUTURE);
    for (const route of reads.filter((each) => has(each, 'view')))
      expectDescribed(route, await send(callTo(route), headers), 400);
  });

  it.each(named(writes))('%s, for an ETag that does not match, and lists If-Match if one can', async (_, route) => {
    const stale = await send(callTo(route), { 'If-Match': '"999999"' });
    expectProblem(stale, 412, 'revision-mismatch');
    // `*` matches any revision of an existing resource, and nothing else.
    const any = await send(callTo(route, await newResources(server)), { 'If-Match': '*' });
    if (placeOf(route).operation.parameters.some(({ name }) => name === 'If-Match')) {
      expectDescribed(route, stale, 412);
      expect(any.status).toBeLessThan(300);
    } else expect(any.status).toBe(412);
  });

  it.each(named(withBody))('%s, for a body that is invalid, too large or of another media type', async (_, route) => {
    const call = callTo(route);
    expectDescribed(route, await send({ ...call, json: [] }), 400);
    expectDescribed(route, await server.send(call.method, call.path, { bytes: '{' }), 400);
    expectDescribed(route, await server.send(call.method, call.path, { bytes: 'x'.repeat(MIB + 1) }), 413);
    expectDescribed(route, await send(call, { 'Content-Type': 'text/plain' }), 415);
  });

  it.each(named(withBody.filter((route) => has(route, 'replay'))))(
    '%s, for a key that was used with another body',
    async (_, route) => {
      const call = callTo(route, await newResources(server));
      const headers = { 'Idempotency-Key': randomUUID() };
      expect((await send(call, headers)).status).toBeLessThan(300);
      expectDescribed(route, await send({ ...call, json: otherBody(call.json) }, headers), 422);
    },
  );

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
