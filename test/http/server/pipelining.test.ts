// HTTP pipelining: a client sends requests ahead of the responses on one connection.
import type { Socket } from 'node:net';
import express, { type RequestHandler } from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { type ListenOptions, listen } from '../../../src/http/server/server.js';
import { eventually } from '../../support/eventually.js';
import { openSocket, readResponse } from '../../support/raw-http.js';

const serverWith = async (handle: RequestHandler, options: ListenOptions = {}) => {
  const server = await listen(express().use(handle), '127.0.0.1', 0, options);
  onTestFinished(() => server.close(0));
  return server.url;
};

const connected = async (url: string): Promise<Socket> => {
  const socket = await openSocket(url);
  onTestFinished(() => void socket.destroy());
  return socket;
};

const get = (path: string, last = false) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
const post = (body: string, last = false) =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n${last ? 'Connection: close\r\n' : ''}\r\n${body}`;

/** Returns a handler that counts the requests in progress and responds with the path one turn later. */
const counting = () => {
  const seen = { underWay: 0, most: 0, all: 0 };
  const handle: RequestHandler = (request, response) => {
    seen.all += 1;
    seen.underWay += 1;
    seen.most = Math.max(seen.most, seen.underWay);
    setImmediate(() => {
      seen.underWay -= 1;
      response.end(`${request.path};`);
    });
  };
  return { seen, handle };
};

it('handles 10,000 requests of one connection one after the other, in their order', async () => {
  const { seen, handle } = counting();
  const socket = await connected(await serverWith(handle));
  const paths = Array.from({ length: 10_000 }, (_, n) => `/${n}`);
  socket.write(paths.map((path, n) => get(path, n === paths.length - 1)).join(''));
  const { body } = await readResponse(socket);
  expect([...`\r\n\r\n${body}`.matchAll(/\r\n\r\n(\/\d+);/g)].map(([, path]) => path)).toEqual(paths);
  expect(seen).toEqual({ underWay: 0, most: 1, all: 10_000 });
});

it('reads the bodies of pipelined requests', async () => {
  const socket = await connected(
    await serverWith((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part)).on('end', () => response.end(Buffer.concat(parts)));
    }),
  );
  const bodies = ['first', 'x'.repeat(200_000), 'third', ''];
  socket.write(bodies.map((body, n) => post(body, n === bodies.length - 1)).join(''));
  const { body } = await readResponse(socket);
  const responses = `\r\n\r\n${body}`.split(/\r\n\r\n/).slice(1);
  expect(responses.map((response) => response.replace(/HTTP\/1\.1 200[\s\S]*$/, ''))).toEqual(bodies);
});

it('serves other connections while pipelined requests wait', async () => {
  const releases: (() => void)[] = [];
  const url = await serverWith((request, response) => {
    if (request.path === '/now') response.end('now');
    else releases.push(() => response.end('late'));
  });
  const socket = await connected(url);
  socket.write(get('/').repeat(1_000));
  await eventually(() => expect(releases.length).toBe(1));
  expect(await (await fetch(`${url}/now`)).text()).toBe('now');
  expect(releases.length).toBe(1);
});

it('reads no more from a connection while its requests wait', async () => {
  const { seen, handle } = counting();
  // One read holds 64 requests of this length. If the server read on, too many would wait and it would cut the
  // connection.
  const socket = await connected(await serverWith(handle, { limits: { maxWaiting: 500 } }));
  const path = `/${'x'.repeat(960)}`;
  socket.write(get(path).repeat(9_999) + get(path, true));
  await readResponse(socket);
  expect(seen).toEqual({ underWay: 0, most: 1, all: 10_000 });
});

it('lets as many requests wait as it is allowed to, and no more', async () => {
  const { seen, handle } = counting();
  const url = await serverWith(handle, { limits: { maxWaiting: 10 } });
  const sendAtOnce = async (count: number) => {
    const socket = await connected(url);
    socket.write(get('/').repeat(count - 1) + get('/', true));
    await readResponse(socket);
  };
  await sendAtOnce(11);
  expect(seen.all).toBe(11);
  // The first of these requests is handled, ten wait, and the last cuts the connection.
  await sendAtOnce(12);
  expect(seen.all).toBe(12);
});

it('cuts a connection with too many waiting requests and forgets the requests', async () => {
  const url = await serverWith((request, response) => void (request.path === '/now' && response.end('now')), {
    limits: { maxWaiting: 10 },
  });
  const cut = async (): Promise<boolean> => {
    const socket = await connected(url);
    socket.write(get('/').repeat(5));
    socket.write(get('/').repeat(20));
    await new Promise<void>((resolve) => void socket.on('error', () => undefined).once('close', () => resolve()));
    return true;
  };
  expect([await cut(), await cut()]).toEqual([true, true]);
  const socket = await connected(url);
  socket.write(get('/now').repeat(9) + get('/now', true));
  expect((await readResponse(socket)).body.match(/now/g)).toHaveLength(10);
});
