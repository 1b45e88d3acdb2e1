// The server: its limits on slow, silent and too many clients, with lower values than those of the service, the requests
// that it refuses, its start and its end.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import express, { type RequestHandler, type Response } from 'express';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { problemJson } from '../../../src/http/problems/formats.js';
import { RequestContext } from '../../../src/http/response/request-context.js';
import { type ListenOptions, listen } from '../../../src/http/server/server.js';
import { eventually } from '../../support/eventually.js';
import { openSocket, readResponse, sendRaw } from '../../support/raw-http.js';
import { expectProblem } from '../support/refusals.js';

const SOON = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 20 };
const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\n';

const serverWith = async (options: ListenOptions, handle: RequestHandler) => {
  const server = await listen(express().use(handle), '127.0.0.1', 0, options);
  onTestFinished(() => server.close(0));
  return server;
};

const hello: RequestHandler = (_, response) => {
  response.end('hello');
};

/** Sends a text byte by byte, until the connection ends. */
const drip = (socket: Socket, text: string): void => {
  const bytes = [...text];
  const sending = setInterval(() => socket.write(bytes.shift() ?? 'x'), 20);
  for (const end of ['close', 'error']) socket.once(end, () => clearInterval(sending));
};

const connected = async (url: string): Promise<Socket> => {
  const socket = await openSocket(url);
  onTestFinished(() => void socket.destroy());
  return socket;
};

/** Resolves when the socket is closed, with or without an error. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => void socket.on('error', () => undefined).once('close', () => resolve()));

const expect408 = async (socket: Socket): Promise<void> => {
  const { status, headers, body } = await readResponse(socket);
  expectProblem({ status, headers, body: JSON.parse(body) }, 408, 'request-timeout');
  expect(headers.get('connection')).toBe('close');
};

describe('a request that arrives too slowly gets 408 and its connection is closed', () => {
  it('if its headers are slow', async () => {
    const { url } = await serverWith({ limits: SOON }, hello);
    const socket = await connected(url);
    drip(socket, HEAD);
    await expect408(socket);
  });

  it('if its first byte does not arrive', async () => {
    const { url } = await serverWith({ limits: SOON }, hello);
    await expect408(await connected(url));
  });

  it('if its body is slow, and no handler runs', async () => {
    const done = vi.fn();
    const { url } = await serverWith({ limits: SOON }, (request, _, next) =>
      express.raw({ type: () => true })(request, _, (error) => {
        if (error === undefined) done();
        next(error);
      }),
    );
    const socket = await connected(url);
    socket.write(`${HEAD}Content-Length: 100000\r\n\r\n`);
    drip(socket, 'x');
    await expect408(socket);
    expect(done).not.toHaveBeenCalled();
  });

  it('unless the response has begun: the connection is closed without a 408', async () => {
    const { url } = await serverWith({ limits: SOON }, (_, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('begun');
    });
    const socket = await connected(url);
    socket.write(`${HEAD}Content-Length: 100000\r\n\r\n`);
    drip(socket, 'x');
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    await closed(socket);
    expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\nbegun$/);
  });
});

it('the server closes a refused connection even if the client keeps sending', async () => {
  const { url } = await serverWith({}, hello);
  const socket = await connected(url);
  // The client's half stays open.
  socket.allowHalfOpen = true;
  const cut = closed(socket.resume());
  socket.write('nonsense\r\n\r\n');
  const sending = setInterval(() => socket.write('x'), 20);
  await cut;
  clearInterval(sending);
});

it('the server cuts off a client that does not read a long response', async () => {
  const ended = vi.fn();
  const { url } = await serverWith({ limits: { silentMs: 200 } }, (_, response) => {
    response.once('close', ended);
    response.end(Buffer.alloc(64 * 1_024 * 1_024));
  });
  const socket = await connected(url);
  socket.on('error', () => undefined).pause();
  socket.write(`${HEAD}\r\n`);
  await eventually(() => expect(ended).toHaveBeenCalledOnce());
});

it('the server closes a connection above the limit immediately and reports it', async () => {
  const onFull = vi.fn();
  const { url } = await serverWith({ limits: { maxConnections: 2 }, onFull }, hello);
  const held = [await connected(url), await connected(url)];
  for (const socket of held) {
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'data');
  }
  const more = await connected(url);
  await closed(more.resume());
  expect(onFull.mock.calls).toEqual([[2]]);
  for (const socket of held) socket.destroy();
  await eventually(async () => expect((await fetch(url)).status).toBe(200));
});

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n';

it('the server names the reason in a problem that nobody may store', async () => {
  const { url } = await serverWith({}, hello);
  const requests = [
    ['nonsense\r\n\r\n', 400, 'malformed-request'],
    [`${GET}X: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers-too-large'],
  ] as const;
  for (const [bytes, expected, code] of requests) {
    const { status, headers, body } = await sendRaw(url, bytes);
    expectProblem({ status, headers, body: JSON.parse(body) }, expected, code);
    expect(headers.get('cache-control')).toBe('no-store');
  }
});

it('the server refuses a malformed request in the format of the request before it, if that one still runs', async () => {
  const format = { ...problemJson, type: 'application/fhir+json', write: () => '{}' };
  const { url } = await serverWith({}, (request, response) => {
    response.locals = new RequestContext(response, undefined, []);
    response.locals['problems'] = format;
    if (request.url === '/ended') response.end();
  });
  const typesAfter = async (path: string) => {
    const socket = await connected(url);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`);
    if (path === '/ended') await once(socket, 'data');
    socket.write(path === '/ended' ? '0\r\n\r\nnonsense\r\n\r\n' : 'nonsense\r\n\r\n');
    return (await readResponse(socket)).headers.get('content-type');
  };
  expect(await typesAfter('/runs')).toBe('application/fhir+json; charset=utf-8');
  expect(await typesAfter('/ended')).toMatch(/^application\/problem\+json/);
});

it('the server asks for no body that nobody reads, and ignores expectations that it does not know', async () => {
  const { url } = await serverWith({}, hello);
  for (const expectation of ['100-continue', 'miracles']) {
    const bytes = `${HEAD}Connection: close\r\nContent-Length: 1\r\nExpect: ${expectation}\r\n\r\n`;
    expect(await sendRaw(url, bytes)).toMatchObject({ status: 200, body: 'hello' });
  }
});

it('the server does not start at an address that is taken', async () => {
  const { url } = await serverWith({}, hello);
  await expect(listen(express(), '127.0.0.1', Number(new URL(url).port))).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it('the server ends after the requests that run, or after the grace, and closes connections that wait', async () => {
  const running = new Map<string, Response>();
  const server = await listen(
    express().use(({ path }, response) => void (path === '/idle' ? response.end() : running.set(path, response))),
    '127.0.0.1',
    0,
  );
  const [idle, busy, held] = [await connected(server.url), await connected(server.url), await connected(server.url)];
  const received: Buffer[] = [];
  busy.on('data', (bytes: Buffer) => received.push(bytes));
  for (const [socket, path] of [
    [idle, '/idle'],
    [busy, '/busy'],
    [held, '/held'],
  ] as const)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await once(idle, 'data');
  await eventually(() => expect(running.size).toBe(2));
  const ends = [idle, held].map(closed);
  const end = server.close(1_000);
  await ends[0];
  running.get('/busy')?.end('in time');
  await end;
  await ends[1];
  expect(Buffer.concat(received).toString()).toContain('in time');
});
