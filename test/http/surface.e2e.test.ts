// What all routes have in common: paths and methods, the headers of every response, host names, traces and
// documentation.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { sendRaw } from '../support/raw-http.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem } from './support/refusals.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  type Institution,
  UNKNOWN_ID,
} from './support/samples.js';

const server = sharedService();
let institutionId: string;
let protocolId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
  protocolId = (await createProtocol(server, institutionId)).id;
});

describe('a path', () => {
  it.each(['/nothing', '/index.html', '/protocols//forms', '/%2e%2e/x', '/admin/queues', '/admin/queues/sign-in'])(
    'that is unknown is 404: %s',
    async (path) => {
      expectProblem(await server.get(path), 404, 'route-not-found');
    },
  );

  it.each(['/Metrics', '/metrics/', '/LIVEZ', '/readyz/', '/DOCS', '/OpenAPI.json', '/ADMIN-SERVICE/protocols'])(
    'that differs in case or in a final slash is 404: %s',
    async (path) => {
      expectProblem(await server.get(path), 404, 'route-not-found');
    },
  );

  it('that cannot be decoded is 400', async () => {
    expectProblem(await server.get('/protocols/%E0%A4%A'), 400, 'malformed-request');
  });

  it.each([
    ['DELETE', '/protocols', ['GET', 'HEAD', 'POST', 'OPTIONS']],
    ['GET', '/protocols/questionnaires', ['POST', 'OPTIONS']],
    ['PROPFIND', '/institutions', ['GET', 'HEAD', 'POST', 'OPTIONS']],
    ['POST', '/livez', ['GET', 'HEAD', 'OPTIONS']],
    ['PUT', '/readyz', ['GET', 'HEAD', 'OPTIONS']],
    ['POST', '/metrics', ['GET', 'HEAD', 'OPTIONS']],
    ['DELETE', '/openapi.json', ['GET', 'HEAD', 'OPTIONS']],
    ['POST', '/docs', ['GET', 'HEAD', 'OPTIONS']],
    ['POST', '/', ['GET', 'HEAD', 'OPTIONS']],
  ])('responds to an unsupported method with 405 and Allow: %s %s', async (method, path, allow) => {
    const response = await server.send(method, path);
    expectProblem(response, 405, 'method-not-allowed');
    expect(response.headers.get('allow')?.split(', ').toSorted()).toEqual(allow.toSorted());
  });

  it('responds to HEAD as to GET, without the body', async () => {
    const paths = [
      '/protocols',
      `/protocols/${protocolId}`,
      `/protocols/${UNKNOWN_ID}`,
      '/protocols/x',
      '/livez',
      '/docs',
      '/nothing',
    ];
    for (const path of paths) {
      const [get, head] = [await server.get(path), await server.send('HEAD', path)];
      expect([head.status, head.body]).toEqual([get.status, '']);
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
      }
    }
  });
});

it('a GET that sends a message has no HEAD', async () => {
  const path = `/auth-service/activation-code?ownerRef=${UNKNOWN_ID}`;
  const { status, headers } = await server.send('HEAD', path);
  expect([status, headers.get('allow')]).toEqual([405, 'GET, OPTIONS']);
  expect((await server.get(path)).status).toBe(200);
});

describe('every response', () => {
  it('has a unique id, which is also the instance of a problem', async () => {
    const [response, other] = [await server.get('/nothing'), await server.get('/nothing')];
    expect(other.headers.get('x-request-id')).not.toBe(response.headers.get('x-request-id'));
    expect(expectProblem(response, 404, 'route-not-found').instance).toBe(
      `urn:uuid:${response.headers.get('x-request-id')}`,
    );
  });

  it('has one line in the log, with the id and without query and body', async () => {
    const { headers } = await server.get('/protocols?name=somebody');
    const requestId = headers.get('x-request-id');
    const lines = () => server.log.filter((line) => line['requestId'] === requestId);
    await eventually(() => expect(lines()).not.toEqual([]));
    expect(lines()).toEqual([expect.objectContaining({ level: 30, method: 'GET', path: '/protocols', status: 200 })]);
    expect(JSON.stringify(lines())).not.toContain('somebody');
  });
});

describe('a page of another site', () => {
  const post = (headers: Record<string, string>) => server.post('/institutions', { name: 'By a page' }, headers);

  it.each([
    { Origin: 'https://evil.example' },
    { Origin: 'https://evil.example', 'Content-Type': 'text/plain' },
    { Origin: 'null' },
  ])('cannot post without JSON from a browser that sends only %o', async (headers: Record<string, string>) => {
    const path = `/protocols/${protocolId}/forms/versions`;
    const refused = () => server.send('POST', path, { headers });
    expectProblem(await expectNothingStored(server, refused), 403, 'cross-site-request');
  });

  it.each([
    { Origin: 'http://localhost:5173' },
    { Origin: 'a-client' },
    { Origin: 'https://admin.example', 'Content-Type': 'application/json' },
    {},
  ])('is not the source of a POST without a body and with %o', async (headers: Record<string, string>) => {
    expect((await server.send('POST', `/protocols/${protocolId}/forms/versions`, { headers })).status).toBe(201);
  });

  it.each([
    { Origin: 'https://admin.example' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'same-origin' },
    {},
  ])('is not the source of a request with %o', async (headers) => {
    expect((await post(headers)).status).toBe(201);
  });
});

describe('an event', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const recordedWith = async (headers: Record<string, string>) => {
    const response = await server.post<Institution>(
      '/institutions',
      { name: 'Traced', unities: [{ name: 'A' }] },
      headers,
    );
    const events = await server.recorded(`institution-${response.body.id}`);
    expect(events).toHaveLength(2);
    return { requestId: response.headers.get('x-request-id'), metadata: events.map(({ metadata }) => metadata) };
  };

  it('carries the trace of the request, its id and its origin', async () => {
    const { requestId, metadata } = await recordedWith({
      traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
      origin: 'https://admin.example',
    });
    for (const event of metadata) {
      expect(event).toMatchObject({
        correlationId: TRACE,
        causationId: requestId,
        origin: 'https://admin.example',
        actor: { id: 'anonymous', roles: [] },
      });
    }
  });

  it.each([undefined, 'nonsense'])('gets a new trace if the header is %s', async (traceparent) => {
    const { metadata } = await recordedWith(traceparent === undefined ? {} : { traceparent });
    const ids = metadata.map(({ correlationId }) => correlationId);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(ids[0]).not.toBe(TRACE);
    for (const event of metadata) expect(event).not.toHaveProperty('origin');
  });

  it('has the timestamp that the response shows', async () => {
    const { protocol } = await createQuestionnaire(server, institutionId);
    const timestamps = (await server.recorded(`protocol-${protocol.id}`)).map(({ metadata }) => metadata.at);
    expect(timestamps).toEqual([protocol.createdAt, protocol.createdAt]);
  });
});

describe('a host name', () => {
  const ask = (host: string, path = '/protocols') =>
    sendRaw(server.url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);

  it.each(['localhost', 'LOCALHOST:80', '127.0.0.1', '127.1.2.3:3000', '[::1]', '[::1]:3000'])(
    'of the loopback address is accepted: %s',
    async (host) => {
      expect((await ask(host)).status).toBe(200);
    },
  );

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    'evil.example:80',
    '0.0.0.0',
    '[::2]',
    '',
  ])('that is foreign is 421: %s', async (host) => {
    for (const path of ['/protocols', '/docs', '/openapi.json', '/nothing']) {
      const { status, headers, body } = await ask(host, path);
      expectProblem({ status, headers, body: JSON.parse(body) }, 421, 'misdirected-request');
    }
  });
});

describe('the page of the verifier', () => {
  it('is the file of the release, and may run its own script only', async () => {
    const { status, headers, body } = await server.get<string>('/verifier');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toBe(readFileSync(new URL('../../verifier/index.html', import.meta.url), 'utf8'));
    const policy = `${headers.get('content-security-policy')}`;
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='; base-uri /,
    );
    expect(policy).not.toMatch(/unsafe|self|https?:|connect/);
  });
});

describe('the documentation', () => {
  it('is a page that neither loads nor may load anything from other origins', async () => {
    const { status, headers, body } = await server.get<string>('/docs');
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html\b/)]);
    const policy = `${headers.get('content-security-policy')}`;
    expect(policy).toMatch(/default-src 'none'.*base-uri 'none'; form-action 'none'/);
    expect(policy).not.toMatch(/https?:|\*|\bws/);
    expect(body).toContain('<title>Clinical protocols: API reference</title>');
    // The icon is empty, so that the browser asks for none.
    const [icon, ...loaded] = [...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path = '']) => path);
    expect([icon, loaded.length]).toEqual(['data:,', 3]);
    for (const path of loaded) {
      expect(path).toMatch(/^\/docs\//);
      expect((await server.get(path)).status).toBe(200);
    }
  });

  it('shows the OpenAPI document, which is JSON', async () => {
    const { status, headers, body } = await server.get<{ openapi: string }>('/openapi.json');
    expect([status, body.openapi]).toEqual([200, expect.stringMatching(/^3\.1\./)]);
    expect(headers.get('content-type')).toMatch(/^application\/json\b/);
    expect((await server.get<string>('/docs/start.js')).body).toContain('/openapi.json');
  });
});
