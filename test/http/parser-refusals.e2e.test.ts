// The response to a request that the HTTP parser refuses is also a problem document (RFC 9457).
import { describe, expect, it } from 'vitest';
import { openSocket, type RawResponse, readResponse, sendRaw } from '../support/raw-http.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem } from './support/refusals.js';

const server = sharedService();
const HOST = 'Host: localhost';
const JSON_TYPE = 'Content-Type: application/json';

const refused = async (request: string): Promise<RawResponse> => {
  const response = await expectNothingStored(server, () => sendRaw(server.url, request));
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(response.body)));
  return response;
};
const expectRawProblem = ({ status, headers, body }: RawResponse, expected: number, code: string) => {
  const { instance } = expectProblem({ status, headers, body: JSON.parse(body) }, expected, code);
  expect(instance).toBe(`urn:uuid:${headers.get('x-request-id')}`);
  // As in every other response (surface.e2e.test.ts).
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*base-uri 'none'.*frame-ancestors 'none'/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  // Before the headers are read, the service does not know whether the client uses https.
  expect(headers.get('strict-transport-security')).toBeNull();
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cache-control')).toBe('no-store');
};

describe('a request that cannot be parsed is 400', () => {
  const chunked = `POST /institutions HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n`;
  it.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    ['an unknown method', `NOTHING / HTTP/1.1\r\n${HOST}\r\n\r\n`],
    ['an unknown version', `GET / HTTP/9.9\r\n${HOST}\r\n\r\n`],
    ['no host', 'GET /protocols HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['no host in HTTP/2.0', 'GET /protocols HTTP/2.0\r\nConnection: close\r\n\r\n'],
    ['two hosts', `GET /protocols HTTP/1.1\r\n${HOST}\r\nhost: evil.example\r\nConnection: close\r\n\r\n`],
    ['two hosts in HTTP/1.0', `GET /protocols HTTP/1.0\r\n${HOST}\r\n${HOST}\r\n\r\n`],
    ['a header without a name', `GET / HTTP/1.1\r\n${HOST}\r\n: x\r\n\r\n`],
    ['a header name with a space', `GET / HTTP/1.1\r\n${HOST}\r\nX Y: z\r\n\r\n`],
    ['a control character in a header', `GET / HTTP/1.1\r\n${HOST}\r\nX: a\u0001b\r\n\r\n`],
    [
      'a length that is not a number',
      `POST /institutions HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nContent-Length: x\r\n\r\n{}`,
    ],
    ['two lengths', `POST /institutions HTTP/1.1\r\n${HOST}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['both a length and chunks', `${chunked}Content-Length: 5\r\n\r\n0\r\n\r\n`],
    ['a chunk without a valid size', `${chunked}\r\nzz\r\n{}\r\n0\r\n\r\n`],
  ])('for %s', async (_, request) => {
    expectRawProblem(await refused(request), 400, 'malformed-request');
  });

  it('for a TLS handshake', async () => {
    const hello = Buffer.from('16030100c8010000c40303', 'hex');
    const response = await sendRaw(server.url, hello);
    expectRawProblem(response, 400, 'malformed-request');
  });
});

describe('a target that a proxy may take for another path is 400', () => {
  it.each([
    '/metrics#x',
    '/metrics?a#x',
    '/metrics\u00a0',
    '/metrics\t',
    '/metrics\\',
    'http://localhost/metrics#x',
    'http://localhost/users\\',
    'http://somebody@localhost/metrics',
  ])('%j', async (target) => {
    const request = `GET ${target} HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`;
    const response = await sendRaw(server.url, Buffer.from(request, 'latin1'));
    expectRawProblem(response, 400, 'malformed-request');
  });

  it.each([
    ['/livez', 200],
    ['http://localhost/livez', 200],
    ['//livez', 404],
    ['/x/../livez', 404],
    ['/livez;x', 404],
    ['/livez.', 404],
    ['/livez%2f', 404],
    ['/livez%23', 404],
    ['/?a\\b|c', 200],
  ])('unlike %j', async (target, status) => {
    const response = await sendRaw(server.url, `GET ${target} HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`);
    expect(response.status).toBe(status);
  });
});

describe('a request with too large a head is 431', () => {
  it.each([
    ['one header', `GET / HTTP/1.1\r\n${HOST}\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['a cookie', `GET / HTTP/1.1\r\n${HOST}\r\nCookie: TOKEN=${'x'.repeat(17_000)}\r\n\r\n`],
    ['all headers together', `GET / HTTP/1.1\r\n${HOST}\r\n${`X: ${'x'.repeat(100)}\r\n`.repeat(200)}\r\n`],
    ['the path', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ])('for %s', async (_, request) => {
    expectRawProblem(await refused(request), 431, 'headers-too-large');
  });
});

it('the service accepts cookies of 8 KiB', async () => {
  const cookie = `TOKEN=${'x'.repeat(8_192)}`;
  expect((await server.get('/institutions', { cookie })).status).toBe(200);
});

it('a request that arrives one byte per second gets 408 and its connection is closed', async () => {
  const socket = await openSocket(server.url);
  const bytes = [...`GET /livez HTTP/1.1\r\n${HOST}\r\nX: ${'x'.repeat(1_000)}`];
  const sending = setInterval(() => socket.write(bytes.shift() ?? 'x'), 1_000);
  socket.once('close', () => clearInterval(sending)).on('error', () => clearInterval(sending));
  expectRawProblem(await readResponse(socket), 408, 'request-timeout');
});

describe('a connection', () => {
  it('that is cut in the middle of a body leaves nothing stored and the service ready', async () => {
    await expectNothingStored(server, async () => {
      const socket = await openSocket(server.url);
      socket.write(`POST /institutions HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nContent-Length: 100\r\n\r\n{"name":`);
      socket.destroy();
      return server.get('/livez');
    });
    expect((await server.get('/readyz')).status).toBe(200);
  });

  it('may carry pipelined requests, which get their responses in order', async () => {
    const socket = await openSocket(server.url);
    socket.write(`GET /livez HTTP/1.1\r\n${HOST}\r\n\r\nGET /nothing HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`);
    const { status, body } = await readResponse(socket);
    expect(status).toBe(200);
    expect([...body.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, next]) => next)).toEqual(['404']);
  });

  it('with Expect: 100-continue gets 100 Continue', async () => {
    const body = '{"name":"Asked first"}';
    const socket = await openSocket(server.url);
    const head = [HOST, JSON_TYPE, `Content-Length: ${body.length}`, 'Expect: 100-continue', 'Connection: close'];
    socket.write(`POST /institutions HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    socket.once('data', () => socket.write(body));
    const response = await readResponse(socket);
    expect(response.status).toBe(100);
    expect(response.body).toMatch(/^HTTP\/1\.1 201 /);
  });

  it.each([
    ['of a length', ['Content-Length: 12'], '{"name":"A"}', 201],
    ['in chunks', ['Transfer-Encoding: chunked'], '6\r\n{"name\r\n6\r\n":"A"}\r\n0\r\n\r\n', 201],
    ['in no chunks', ['Transfer-Encoding: chunked'], '0\r\n\r\n', 400],
  ])('with Expect: 100-Continue and a body %s gets 100 Continue once', async (_, framing, content, status) => {
    const socket = await openSocket(server.url);
    const head = [HOST, JSON_TYPE, ...framing, 'Expect: 100-Continue', 'Connection: close'];
    socket.write(`POST /institutions HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    socket.once('data', () => socket.write(content));
    const response = await readResponse(socket);
    expect(response.status).toBe(100);
    expect(response.body).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it.each([
    ['has no path', 'POST /nothing', 'Content-Length: 8', 404],
    ['has another method', 'DELETE /institutions', 'Content-Length: 8', 405],
    ['needs a sign-in', 'GET /auth-service/sessions', 'Content-Length: 8', 401],
    ['announces too much', 'POST /institutions', 'Content-Length: 9999999', 413],
    ['has another type', 'POST /institutions', 'Content-Type: text/plain\r\nContent-Length: 8', 415],
    ['has an unknown coding', 'POST /institutions', 'Content-Encoding: zstd\r\nContent-Length: 8', 415],
    ['comes from another site', 'POST /institutions', 'Sec-Fetch-Site: cross-site\r\nContent-Length: 8', 403],
    ['takes no body', 'GET /livez', 'Content-Length: 8', 200],
  ])('with Expect: 100-continue that %s gets no 100 Continue', async (_, target, fields, status) => {
    const type = fields.includes('Content-Type') ? [] : [JSON_TYPE];
    const origin = status === 403 ? ['Origin: https://evil.example'] : [];
    const head = [HOST, ...type, ...origin, fields, 'Expect: 100-continue', 'Connection: close'];
    const response = await sendRaw(server.url, `${target} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    expect([response.status, response.body]).toEqual([status, expect.not.stringContaining('100 Continue')]);
  });

  it('that was refused instead of 100 Continue ends the connection, on which its body may still come', async () => {
    const head = [HOST, 'Content-Type: text/plain', 'Content-Length: 8', 'Expect: 100-continue'];
    const response = await sendRaw(server.url, `POST /institutions HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    expect([response.status, response.headers.get('connection')]).toEqual([415, 'close']);
  });

  it('with any other Expect gets the usual response', async () => {
    const head = [HOST, JSON_TYPE, 'Content-Length: 2', 'Expect: wonders', 'Connection: close'];
    const response = await sendRaw(server.url, `POST /institutions HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{}`);
    expectRawProblem(response, 400, 'fields-refused');
  });
});
