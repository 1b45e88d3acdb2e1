// Responses whose bodies are made while they are sent.
import express from 'express';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Problem } from '../../../src/http/problems/problems.js';
import { RequestContext } from '../../../src/http/response/request-context.js';
import { sendResponse } from '../../../src/http/response/sending.js';
import { listen } from '../../../src/http/server/server.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { eventually } from '../../support/eventually.js';
import { openSocket, readResponse, sendRaw } from '../../support/raw-http.js';

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
  '/waiting': async function* () {
    yield '[1';
    await waited;
    yield ']';
  },
  // More than the operating system takes for a client that does not read.
  '/large-last': () => texts(0, () => `"${'x'.repeat(50_000_000)}"`),
};

/** What the gate finds when it checks the caller again; undefined for a page without a gate. */
let recheck: (() => Promise<void>) | undefined;
let waited = Promise.resolve();

beforeAll(async () => {
  const app = express();
  app.use((_, response, next) => {
    const context = new RequestContext(response, undefined, []);
    context.admission = recheck && { checkLasting: recheck };
    response.locals = context;
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

describe('while a body is made and sent, its client is checked again every 5 s', () => {
  const refused = async (): Promise<void> => {
    throw new Problem('token-refused');
  };
  /** Sets what the checks find, the last of them also later. Returns how many checks there were. */
  const checking = (...found: readonly (() => Promise<void>)[]) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const check = vi.fn(async () => (found[check.mock.calls.length - 1] ?? found.at(-1))?.());
    recheck = check;
    onTestFinished(() => {
      recheck = undefined;
      vi.useRealTimers();
    });
    return check;
  };
  const allowed = async () => undefined;
  /** Begins a request, and reads nothing after the head of its response. */
  const paused = async (path: string) => {
    const socket = await openSocket(url);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    await new Promise((resolve) => socket.once('readable', resolve));
    return socket;
  };
  const later = () => vi.advanceTimersByTime(5_000);

  it.each([
    ['is refused', [refused]],
    ['is allowed once and then refused', [allowed, refused]],
    ['cannot be checked', [() => Promise.reject(new StoreUnavailable('the vault', 'down'))]],
  ])('and is cut without the end of the body if it %s, while it reads nothing', async (_, found) => {
    const check = checking(...found);
    const socket = await paused('/long');
    for (const _ of found) later();
    const { body } = await readResponse(socket);
    expect(body).not.toMatch(LAST_CHUNK);
    await eventually(() => expect(isEnded).toBe(true));
    expect(check).toHaveBeenCalledTimes(found.length);
    later();
    expect(check).toHaveBeenCalledTimes(found.length);
  });

  it('and is cut while it waits for the next part of the body', async () => {
    checking(refused);
    let end = () => {};
    waited = new Promise<void>((resolve) => {
      end = resolve;
    });
    const socket = await paused('/waiting');
    later();
    expect((await readResponse(socket)).body).not.toMatch(LAST_CHUNK);
    end();
  });

  it('and reads the whole body if it may, after which nothing is checked', async () => {
    const check = checking(allowed);
    const socket = await paused('/large-last');
    for (const _ of [1, 2]) later();
    expect((await readResponse(socket)).body).toMatch(LAST_CHUNK);
    expect(check).toHaveBeenCalledTimes(2);
    later();
    expect(check).toHaveBeenCalledTimes(2);
  });

  it('unless it has closed the connection', async () => {
    const check = checking(allowed);
    const socket = await paused('/long');
    socket.destroy();
    await eventually(() => expect(isEnded).toBe(true));
    later();
    expect(check).not.toHaveBeenCalled();
  });
});
