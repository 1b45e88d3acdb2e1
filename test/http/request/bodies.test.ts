// The bounds on bodies that are read at the same time, with lower values than those of the service.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import express, { type ErrorRequestHandler } from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { problemOf } from '../../../src/http/problems/problems.js';
import { type BodyBounds, BodyReader } from '../../../src/http/request/bodies.js';
import { Load } from '../../../src/http/server/overload.js';
import { listen } from '../../../src/http/server/server.js';
import { eventually } from '../../support/eventually.js';
import { openSocket, readResponse, sendRaw } from '../../support/raw-http.js';

const LIMIT = 100_000;
const PLENTY = { bodies: 1_000, bytes: 100_000_000 };
const [ONE, OTHER] = ['203.0.113.1', '203.0.113.2'];

/** The problem codes with which the servers of this file refused requests. */
const refused: string[] = [];

/** Starts a server that responds with the number of bytes in the body, or with the code of the problem. */
const serverWith = async (bounds: Partial<BodyBounds>, load = new Load()): Promise<string> => {
  const reader = new BodyReader(load, { process: PLENTY, address: PLENTY, ...bounds });
  const app = express().set('trust proxy', ['loopback']);
  app.use(async (request, response) => {
    if (request.path === '/late') await once(request, 'close');
    const { length } = await reader.read(request, LIMIT);
    response.json(length);
  });
  const failed: ErrorRequestHandler = (error, _request, response, _next) => {
    const { status, code, headers } = problemOf(error);
    refused.push(code);
    response.status(status).set(headers).json(code);
  };
  const server = await listen(app.use(failed), '127.0.0.1', 0);
  onTestFinished(() => server.close(0));
  return server.url;
};

interface Sending {
  readonly url: string;
  readonly from?: string;
  readonly path?: string;
  readonly length?: number | 'chunked';
  readonly coding?: string;
}

/** Sends the headers of a request. */
const begin = async ({ url, from = ONE, path = '/', length = 10, coding = 'identity' }: Sending): Promise<Socket> => {
  const socket = await openSocket(url);
  onTestFinished(() => void socket.destroy());
  const framing = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  const head = ['Host: localhost', `X-Forwarded-For: ${from}`, framing];
  socket.write(
    `POST ${path} HTTP/1.1\r\n${[...head, `Content-Encoding: ${coding}`, 'Connection: close'].join('\r\n')}\r\n\r\n`,
  );
  return socket;
};

/** Sends the headers and a part of the body, which the server then holds. */
const hold = async (sending: Sending, part = 'x'): Promise<Socket> => {
  const socket = await begin(sending);
  socket.write(part);
  return socket;
};

const answerTo = async (socket: Socket): Promise<readonly [status: number, body: unknown]> => {
  const { status, body } = await readResponse(socket);
  return [status, JSON.parse(body)];
};
// In chunks, because a complete body of a known length that arrives with its headers takes no room.
const whole = async (url: string, from = ONE) =>
  answerTo(await hold({ url, from, length: 'chunked' }, `a\r\n${'x'.repeat(10)}\r\n0\r\n\r\n`));

it('responds with 429 to an address that sends too many bodies at once, and serves other addresses', async () => {
  const url = await serverWith({ address: { ...PLENTY, bodies: 2 } });
  const held = [await hold({ url }), await hold({ url })];
  await eventually(async () => expect(await whole(url)).toEqual([429, 'too-many-bodies-of-address']));
  expect(await whole(url, OTHER)).toEqual([200, 10]);
  for (const socket of held) socket.write('x'.repeat(9));
  for (const socket of held) expect(await answerTo(socket)).toEqual([200, 10]);
  expect(await whole(url)).toEqual([200, 10]);
});

it('responds with 503 if all addresses together send too many bodies at once', async () => {
  const url = await serverWith({ process: { ...PLENTY, bodies: 2 } });
  await hold({ url });
  await hold({ url, from: OTHER });
  await eventually(async () => expect(await whole(url, '203.0.113.3')).toEqual([503, 'too-many-bodies']));
});

it('a body that arrives with its headers takes no room', async () => {
  const url = await serverWith({ process: { ...PLENTY, bodies: 0 } });
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 10\r\n\r\n`;
  const { status, body } = await sendRaw(url, `${head}${'x'.repeat(10)}`);
  expect([status, body]).toEqual([200, '10']);
});

it('says with Retry-After when to send a refused body again', async () => {
  const url = await serverWith({ process: { ...PLENTY, bodies: 0 } });
  const { headers } = await readResponse(await begin({ url }));
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
});

it('a connection that is cut frees its room for others', async () => {
  const url = await serverWith({ address: { ...PLENTY, bodies: 1 } });
  const held = await hold({ url });
  await eventually(async () => expect(await whole(url)).toEqual([429, 'too-many-bodies-of-address']));
  held.destroy();
  await eventually(async () => expect(await whole(url)).toEqual([200, 10]));
});

it('a request is no load while its body is arriving', async () => {
  const load = new Load(1);
  const url = await serverWith({ address: { ...PLENTY, bodies: 1 } }, load);
  load.begin();
  expect(load.isFull).toBe(true);
  const held = await hold({ url });
  await eventually(() => expect(load.isFull).toBe(false));
  held.write('x'.repeat(9));
  expect(await answerTo(held)).toEqual([200, 10]);
  expect(load.isFull).toBe(true);
});

it('a connection that is cut before its body is read frees its room for others', async () => {
  const url = await serverWith({ address: { ...PLENTY, bodies: 1 } });
  const late = await begin({ url, path: '/late' });
  late.destroy();
  await eventually(() => expect(refused).toContain('malformed-request'));
  expect(await whole(url)).toEqual([200, 10]);
});

it.each([
  ['an address', { address: { ...PLENTY, bytes: 20_000 } }, 429],
  ['all addresses', { process: { ...PLENTY, bytes: 20_000 } }, 503],
])('for %s the bytes received are bounded, not the bytes announced', async (_, bounds, status) => {
  const url = await serverWith(bounds);
  for (let announced = 0; announced < 10; announced += 1) await hold({ url, length: LIMIT });
  expect(await whole(url)).toEqual([200, 10]);
  const large = await hold({ url, length: LIMIT }, 'x'.repeat(LIMIT));
  expect((await answerTo(large))[0]).toBe(status);
  expect(await whole(url)).toEqual([200, 10]);
});

it('a compressed body takes the room that decompressing it needs', async () => {
  const url = await serverWith({ address: { ...PLENTY, bytes: 400_000 } });
  const compressed = gzipSync('x'.repeat(1_000));
  const sending = { url, coding: 'gzip', length: compressed.length };
  const held = await begin(sending);
  const more = async () => {
    const socket = await begin(sending);
    socket.write(compressed);
    return answerTo(socket);
  };
  held.write(compressed.subarray(0, 5));
  await eventually(async () => expect(await more()).toEqual([429, 'too-many-bodies-of-address']));
  held.write(compressed.subarray(5));
  expect(await answerTo(held)).toEqual([200, 1_000]);
  expect(await more()).toEqual([200, 1_000]);
});

it('a body above the limit is refused before all of it arrives, and the connection stays usable', async () => {
  const url = await serverWith({});
  const socket = await openSocket(url);
  onTestFinished(() => void socket.destroy());
  const head = (framing: string) => `POST / HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n\r\n`;
  const chunk = `${LIMIT.toString(16)}\r\n${'x'.repeat(LIMIT)}\r\n`;
  socket.write(`${head('Transfer-Encoding: chunked')}${chunk}${chunk}`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  expect(first.toString()).toMatch(/^HTTP\/1\.1 413 /);
  socket.write(`0\r\n\r\n${head('Content-Length: 2\r\nConnection: close')}{}`);
  expect((await readResponse(socket)).status).toBe(200);
});

it.each([
  ['100-continue', true],
  ['a, 100-Continue', true],
  ['100-continued', false],
  ['x100-continue', false],
])('a client that expects %s is asked for its body: %s', async (expectation, isAsked) => {
  const socket = await openSocket(await serverWith({}));
  onTestFinished(() => void socket.destroy());
  socket.write(
    `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: ${expectation}\r\nConnection: close\r\n\r\n`,
  );
  if (isAsked) expect(String(await once(socket, 'data'))).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('{}');
  expect(await readResponse(socket)).toMatchObject({ status: 200, body: '2' });
});

it('a body of exactly the limit is read, in one piece or in many, and one more byte is refused', async () => {
  const url = await serverWith({});
  const send = async (length: number, framing: 'chunked' | number) => {
    const socket = await begin({ url, length: framing });
    const bytes = 'x'.repeat(length);
    socket.write(framing === 'chunked' ? `${length.toString(16)}\r\n${bytes}\r\n0\r\n\r\n` : bytes);
    return answerTo(socket);
  };
  for (const framing of [LIMIT, 'chunked'] as const) expect(await send(LIMIT, framing)).toEqual([200, LIMIT]);
  for (const framing of [LIMIT + 1, 'chunked'] as const) {
    expect(await send(LIMIT + 1, framing)).toEqual([413, 'too-large']);
  }
});
