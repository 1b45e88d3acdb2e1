// Responses whose bodies are made while they are sent.
import express from 'express';
import { beforeAll, describe, expect, it } from 'vitest';
import { RequestContext } from '../../../src/http/response/request-context.js';
import { sendResponse } from '../../../src/http/response/sending.js';
import { listen } from '../../../src/http/server/server.js';
import { eventually } from '../../support/eventually.js';
import { openSocket, sendRaw } from '../../support/raw-http.js';

const MANY = 10_000;
const PART = 'x'.repeat(65_536);
const RESPONSE = { status: 200, headers: { ETag: '"1"' } };

let url: string;
let made = 0;
let isEnded = false;

async function* texts(count: number, last: () => string) {
  made = 0;
  isEnded = false;
  try {
    for (; made < count; made += 1) yield made === 0 ? '[1' : `,"${PART}"`;
    yield last();
  } finally {
    isEnded = true;
  }
}

const failing = () => {
  throw new Error('a part cannot be made');
};
const BODIES: Readonly<Record<string, () => AsyncIterable<string>>> = {
  '/whole': () => texts(2, () => ']'),
  '/failing': () => texts(2, failing),
  '/failing-first': () => texts(0, failing),
  '/long': () => texts(MANY, () => ']'),
};

beforeAll(async () => {
  const app = express();
  app.use((_, response, next) => {
    response.locals = new RequestContext(response, undefined, []);
    next();
  });
  app.use((request, response) =>
    sendResponse(response, { ...RESPONSE, body: BODIES[request.path]?.() ?? '' })?.catch(() => undefined),
  );
  const server = await listen(app, '127.0.0.1', 0);
  url = server.url;
  return () => server.close(0);
});

const ask = (path: string, method = 'GET', head = '') =>
  sendRaw(url, `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${head}\r\n`);
// The chunk that ends a body of unknown length (RFC 9112, 7.1).
const LAST_CHUNK = /0\r\n\r\n$/;

describe('a body that is made while it is sent', () => {
  it('is JSON without a length, with the ETag of the response', async () => {
    const response = await fetch(`${url}/whole`);
    expect(await response.json()).toEqual([1, PART]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      etag: '"1"',
      'content-type': 'application/json; charset=utf-8',
      'transfer-encoding': 'chunked',
    });
    expect((await ask('/whole')).body).toMatch(LAST_CHUNK);
  });

  it.each(['/failing', '/failing-first'])('is cut if a part of it cannot be made: %s', async (path) => {
    expect((await ask(path)).body).not.toMatch(LAST_CHUNK);
    const read = async () => (await fetch(`${url}${path}`)).text();
    await expect(read()).rejects.toThrow();
  });

  it('is not made for a HEAD request, or for a client that has it', async () => {
    for (const [method, head] of [['HEAD'], ['GET', 'If-None-Match: "1"\r\n']] as const) {
      isEnded = false;
      made = -1;
      expect(await ask('/long', method, head)).toMatchObject({ status: head === undefined ? 200 : 304, body: '' });
      expect([made, isEnded]).toEqual([-1, false]);
    }
  });

  it('is no longer made when its client is gone', async () => {
    const socket = await openSocket(url);
    socket.write('GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    await eventually(() => expect(isEnded).toBe(true));
    expect(made).toBeLessThan(MANY);
  });
});
