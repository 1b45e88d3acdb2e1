// A group of routes with its own format of problems and its own media type of bodies, in the application and its server.
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { administrators, unidentified } from '../../../src/http/access/access.js';
import { createExpressApp, type ExpressAppOptions } from '../../../src/http/express-app.js';
import { openApiOf } from '../../../src/http/openapi/document.js';
import type { ProblemFormat } from '../../../src/http/problems/formats.js';
import { post } from '../../../src/http/route/route.js';
import type { RouteGroup } from '../../../src/http/route/routing.js';
import { Load } from '../../../src/http/server/overload.js';
import { listen } from '../../../src/http/server/server.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { quiet } from '../../projections/support/replay.js';
import { sendRaw } from '../../support/raw-http.js';

const FHIR = 'application/fhir+json';
const outcomes: ProblemFormat = {
  type: FHIR,
  write: ({ code, errors }, requestId) =>
    JSON.stringify({ resourceType: 'OperationOutcome', id: requestId, code, count: errors.length }),
};

const things = [
  post('/protocols', {
    access: { who: unidentified, personal: false },
    kind: 'action',
    name: 'tryThing',
    summary: 'Tries a thing',
    body: z.object({ name: z.string() }),
    example: { name: 'silent' },
    responses: { 200: z.unknown() },
    handle: async ({ body }) => {
      if (body.name === 'silent') throw new StoreUnavailable('views', new Error('away'));
      return { body: JSON.stringify(body) };
    },
  }),
  post('/users', {
    access: { who: { ...administrators, token: 'required' }, personal: false },
    kind: 'action',
    name: 'trySecret',
    summary: 'Tries a secret',
    responses: { 200: z.unknown() },
    handle: async () => ({ body: '{}' }),
  }),
];
const groups: readonly RouteGroup[] = [
  { routes: things, prefixes: ['', '/admin'] },
  { routes: things, prefixes: ['/fhir/R4'], problems: outcomes, bodyTypes: [FHIR, 'application/json+fhir'] },
];

let url: string;
beforeAll(async () => {
  const app = createExpressApp({
    groups,
    app: { opaque: async () => ({}) },
    guard: { callers: 'open' },
    health: { probes: [], status: async () => 'ready' },
    board: undefined,
    webClient: undefined,
    log: quiet,
    metrics: { responded: () => undefined, shed: () => undefined },
    limits: undefined,
    trustedProxies: [],
    origins: { publicUrl: undefined, corsOrigins: [] },
  } as unknown as ExpressAppOptions);
  const limits = { requestTimeout: 1_000, headersTimeout: 1_000, connectionsCheckingInterval: 50 };
  const server = await listen(app, '127.0.0.1', 0, { limits });
  url = server.url;
  return () => server.close(0);
});

const send = async (path: string, { method = 'POST', type = FHIR, body = '{"name":"x"}' } = {}) => {
  const sent = method === 'GET' ? {} : { body, headers: { 'Content-Type': type } };
  const response = await fetch(`${url}${path}`, { method, ...sent });
  const { status, headers } = response;
  return { status, headers, type: headers.get('content-type'), body: await response.json() };
};
const OWN_TYPE = `${FHIR}; charset=utf-8`;
const outcome = (status: number, code: string, count = 0) => ({
  status,
  type: OWN_TYPE,
  body: { resourceType: 'OperationOutcome', code, count },
});
const problem = (status: number, code: string) => ({
  status,
  type: 'application/problem+json; charset=utf-8',
  body: { status, code },
});

describe('the problems below the prefix of a group have its format', () => {
  it.each([
    ['/fhir/R4/nothing', { method: 'GET' }, outcome(404, 'route-not-found')],
    ['/fhir/R4', { method: 'GET' }, outcome(404, 'route-not-found')],
    ['/fhir/R4/protocols', { method: 'DELETE' }, outcome(405, 'method-not-allowed')],
    ['/fhir/R4/protocols', { body: '{}' }, outcome(400, 'fields-refused', 1)],
    ['/fhir/R4/protocols', { body: '{' }, outcome(400, 'malformed-json', 1)],
    ['/fhir/R4/users', {}, outcome(401, 'sign-in-required')],
    ['/fhir/R4/protocols', { type: 'application/json' }, outcome(415, 'unsupported-media-type')],
    ['/fhir/R4/protocols', { body: '{"name":"silent"}' }, outcome(503, 'store-unavailable')],
  ])('%s with %j', async (path, request, expected) => {
    expect(await send(path, request)).toMatchObject(expected);
  });

  it.each([
    ['/fhir/R4/protocols', outcome(503, 'overloaded')],
    ['/protocols', problem(503, 'overloaded')],
  ])('503 before there is a route: %s', async (path, expected) => {
    const full = vi.spyOn(Load.prototype, 'isFull', 'get').mockReturnValue(true);
    onTestFinished(() => full.mockRestore());
    expect(await send(path)).toMatchObject(expected);
  });

  it('421 and 400 before the routes', async () => {
    const raw = async (path: string, host: string) =>
      sendRaw(url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const misdirected = await raw('/fhir/R4/protocols', 'example.org');
    expect([misdirected.status, JSON.parse(misdirected.body).resourceType]).toEqual([421, 'OperationOutcome']);
    const odd = await raw('/fhir/R4/protocols#x', 'localhost');
    expect([odd.status, JSON.parse(odd.body).code]).toEqual([400, 'malformed-request']);
    expect(JSON.parse(odd.body).resourceType).toBe('OperationOutcome');
  });

  it.each([
    ['/fhir/R4/protocols', FHIR, 'OperationOutcome'],
    ['/protocols', 'application/json', undefined],
  ])('408 of a body that is late: %s', async (path, type, resourceType) => {
    const head = ['Host: localhost', `Content-Type: ${type}`, 'Content-Length: 12'];
    const { status, body } = await sendRaw(url, `POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{"na`);
    expect([status, JSON.parse(body).resourceType]).toEqual([408, resourceType]);
  });

  it.each(['/protocols', '/admin/protocols', '/fhir/R40/protocols', '/nothing'])(
    'and no others do: %s',
    async (path) => {
      const { status, type } = await send(path, { method: 'DELETE' });
      expect([status >= 404, type]).toEqual([true, 'application/problem+json; charset=utf-8']);
    },
  );
});

describe('the bodies of a group', () => {
  it.each([FHIR, 'application/json+fhir', `${FHIR}; charset=utf-8`])('may have its media types: %s', async (type) => {
    expect(await send('/fhir/R4/protocols', { type })).toMatchObject({ status: 200, body: { name: 'x' } });
  });

  it('name these media types if they have another', async () => {
    const { headers } = await send('/fhir/R4/protocols', { type: 'application/json' });
    expect(headers.get('accept')).toBe(`${FHIR}, application/json+fhir`);
  });

  it('are JSON in the other groups', async () => {
    expect(await send('/protocols', { type: 'application/json' })).toMatchObject({ status: 200 });
    const refused = await send('/protocols');
    expect(refused).toMatchObject(problem(415, 'unsupported-media-type'));
    expect(refused.headers.get('accept')).toBe('application/json');
  });

  it('have these media types in the OpenAPI document, below the prefixes of the group', () => {
    const { servers, paths } = openApiOf(groups, 'open') as Record<string, never>;
    const operation = paths?.['/protocols']?.['post'] as unknown as Record<string, unknown>;
    expect(servers).toEqual([{ url: '/' }, { url: '/admin' }]);
    expect(operation['servers']).toEqual([{ url: '/fhir/R4' }]);
    const { content } = operation['requestBody'] as { content: object };
    expect(Object.keys(content)).toEqual([FHIR, 'application/json+fhir']);
  });
});
