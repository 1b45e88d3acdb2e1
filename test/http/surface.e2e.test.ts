// What all routes have in common: paths and methods, the headers of every response, host names, traces and
// documentation.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { sendRaw } from '../support/raw-http.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem } from './refusals.js';
import { createInstitution, createProtocol, createQuestionnaire, type Institution, UNKNOWN_ID } from './samples.js';

const server = sharedService();
let institutionId: string;
let protocolId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
  protocolId = (await createProtocol(server, institutionId)).id;
});

describe('a path', () => {
  it.each(['/nothing', '/index.html', '/Protocols', `/protocols/${UNKNOWN_ID}/none`, '/protocols//forms', '/%2e%2e/x'])(
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
    ['PATCH', `/protocols/${UNKNOWN_ID}`, ['GET', 'HEAD', 'PUT', 'OPTIONS']],
    ['GET', '/protocols/questionnaires', ['POST', 'OPTIONS']],
    ['PUT', `/protocols/${UNKNOWN_ID}/forms/versions`, ['POST', 'OPTIONS']],
    ['POST', `/protocols/${UNKNOWN_ID}/questionnaire`, ['GET', 'HEAD', 'PUT', 'OPTIONS']],
    ['GET', `/protocols/${UNKNOWN_ID}/options/${UNKNOWN_ID}`, ['PUT', 'OPTIONS']],
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

  it.each(['/protocols', `/protocols/${UNKNOWN_ID}`, '/admin-service/institutions', '/livez', '/openapi.json'])(
    'responds to OPTIONS with Allow and no body: %s',
    async (path) => {
      const { status, headers, body } = await server.send('OPTIONS', path);
      expect([status, body]).toEqual([204, '']);
      expect(headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining(['GET', 'HEAD', 'OPTIONS']));
    },
  );

  it('that is unknown is also 404 for OPTIONS', async () => {
    expectProblem(await server.send('OPTIONS', '/nothing'), 404, 'route-not-found');
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

describe('every response', () => {
  const requests = [
    ['GET', '/protocols'],
    ['GET', '/nothing'],
    ['POST', '/protocols'],
    ['DELETE', '/protocols'],
    ['OPTIONS', '/protocols'],
    ['GET', '/'],
    ['GET', '/docs'],
    ['GET', '/livez'],
    ['GET', '/metrics'],
  ] as const;

  it.each(requests)('has restrictive security headers: %s %s', async (method, path) => {
    const { headers } = await server.send(method, path);
    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*base-uri 'none'.*form-action 'none'.*frame-ancestors 'none'/,
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    // RFC 6797, 7.2: never over http. For https see proxies.e2e.test.ts.
    expect(headers.get('strict-transport-security')).toBeNull();
    expect(headers.get('x-frame-options')).not.toBeNull();
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each(requests)('has a unique id: %s %s', async (method, path) => {
    const ids = [await server.send(method, path), await server.send(method, path)].map(({ headers }) =>
      headers.get('x-request-id'),
    );
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(2);
  });

  it('with a problem has the id as the instance of the problem', async () => {
    const response = await server.get('/nothing');
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

  it('must be revalidated or not stored by caches', async () => {
    expect((await server.get(`/protocols/${protocolId}`)).headers.get('cache-control')).toBe('no-cache');
    expect((await server.get('/protocols/x')).headers.get('cache-control')).toBe('no-store');
  });
});

describe('a page of another site', () => {
  const post = (headers: Record<string, string>) => server.post('/institutions', { name: 'By a page' }, headers);

  it('cannot change anything through a browser, even in an open service', async () => {
    const refused = () => post({ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' });
    expectProblem(await expectNothingStored(server, refused), 403, 'cross-site-request');
  });

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

  it('carries the trace of a header with a later version', async () => {
    const { metadata } = await recordedWith({ traceparent: `cc-${TRACE}-00f067aa0ba902b7-01-more` });
    for (const { correlationId } of metadata) expect(correlationId).toBe(TRACE);
  });

  it.each([
    undefined,
    'nonsense',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-00f067aa0ba902b7-01`,
    `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
  ])('gets a new trace if the header is %s', async (traceparent) => {
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

  it('that is foreign cannot store anything', async () => {
    await expectNothingStored(server, async () => {
      const body = '{"name":"A"}';
      const head = `Host: evil.example\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
      const response = await sendRaw(
        server.url,
        `POST /institutions HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n${body}`,
      );
      expect(response.status).toBe(421);
      return response;
    });
  });
});

describe('the page at /', () => {
  it('says what the service is, shows its state and links to the documentation', async () => {
    const { status, headers, body } = await server.get<string>('/', { Accept: 'text/html' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toMatch(/clinical protocols.*Ready\..*Open\..*href="\/docs"/s);
  });

  it('is JSON for a client that accepts JSON', async () => {
    const { body } = await server.get('/', { Accept: 'application/json' });
    expect(body).toMatchObject({ service: 'clinical-protocols', status: 'ready', auth: 'open' });
  });
});

describe('the documentation', () => {
  it('is a page that neither loads nor may load anything from other origins', async () => {
    const { status, headers, body } = await server.get<string>('/docs');
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html\b/)]);
    const policy = `${headers.get('content-security-policy')}`;
    expect(policy).toMatch(/default-src 'none'.*base-uri 'none'; form-action 'none'/);
    expect(policy).not.toMatch(/https?:|\*|\bws/);
    const loaded = [...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path = '']) => path);
    expect(loaded).not.toEqual([]);
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
