// The bounds on responses that their clients do not read, with lower values than those of the service.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import express, { type Response } from 'express';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RequestContext } from '../../../src/http/response/request-context.js';
import { sendAsset, sendResponse, sendText } from '../../../src/http/response/sending.js';
import { Load, shedding } from '../../../src/http/server/overload.js';
import { listen } from '../../../src/http/server/server.js';
import { type UnreadBounds, UnreadResponses } from '../../../src/http/server/unread-responses.js';
import { eventually } from '../../support/eventually.js';
import { openSocket, readResponse } from '../../support/raw-http.js';

// The operating system takes at most a part of so long a response.
const LENGTH = 24 * 1_048_576;
const TEXT = 'x'.repeat(LENGTH);
const BYTES = Buffer.from(TEXT);
// The operating system takes all of it, part by part.
const MEDIUM = 131_072;
const LONG = ['/text', '/stream', '/asset'];
const [ONE, OTHER] = ['203.0.113.1', '203.0.113.2'];

async function* texts() {
  for (let sent = 0; sent < LENGTH; sent += 65_536) yield TEXT.slice(0, 65_536);
}

/** The ways to send a long response. */
const WAYS: Readonly<Record<string, (response: Response) => Promise<void> | undefined>> = {
  '/text': (response) => sendText(response, 200, [], TEXT),
  '/stream': (response) => sendResponse(response, { status: 200, headers: {}, body: texts() }),
  '/asset': (response) => {
    const codings = { identity: BYTES, br: BYTES, gzip: BYTES };
    return sendAsset(response, { type: 'text/plain', tag: '"1"', cacheControl: 'no-cache', codings });
  },
  '/medium': (response) => sendText(response, 200, [], 'x'.repeat(MEDIUM)),
  '/short': (response) => sendText(response, 200, [], 'x'),
};

/** Starts a server with room for `maxRequests` running requests. */
const serverWith = async (bounds: Partial<UnreadBounds>, maxRequests = 1, ways = WAYS) => {
  const begun = vi.fn();
  const load = new Load(maxRequests);
  const app = express().set('trust proxy', ['loopback']);
  app.use((_, response, next) => {
    response.locals = new RequestContext(response, undefined, []);
    next();
  });
  const unread = new UnreadResponses(load, bounds);
  const held = vi.spyOn(unread, 'hold');
  app.use(shedding({ load, unread, exemptPaths: [] }));
  app.use((request, response) => {
    const sent = ways[request.path]?.(response);
    begun();
    return sent;
  });
  const { url, close } = await listen(app, '127.0.0.1', 0);
  onTestFinished(() => close(0));

  const heldFor = ({ localPort }: Socket) =>
    held.mock.calls.find(([{ req }]) => req.socket.remotePort === localPort)?.[0];

  /** Sends a request and reads nothing. Resolves when the response waits for its client, or is short. */
  const ask = async (path: string, from = ONE): Promise<Socket> => {
    const before = begun.mock.calls.length;
    const socket = await openSocket(url);
    onTestFinished(() => void socket.destroy());
    const head = ['Host: localhost', `X-Forwarded-For: ${from}`, 'Connection: close'];
    socket.write(`GET ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    await eventually(() => expect(begun.mock.calls.length).toBeGreaterThan(before));
    if (LONG.includes(path)) await eventually(() => expect(heldFor(socket)).toBeDefined());
    return socket;
  };
  return Object.assign(ask, { heldFor });
};

const lengthOf = async (socket: Socket): Promise<number> => (await readResponse(socket)).body.length;

/** Reads `bytes` bytes and stops reading. */
const readSome = async (socket: Socket, bytes: number): Promise<void> => {
  for (let read = 0; read < bytes; ) {
    const part = socket.read() as Buffer | null;
    if (part === null) await once(socket, 'readable');
    else read += part.length;
  }
};

describe('a response that its client does not read', () => {
  it.each(LONG)('is no load: %s', async (path) => {
    const ask = await serverWith({});
    await ask(path);
    const { status, body } = await readResponse(await ask('/short'));
    expect([status, body]).toEqual([200, 'x']);
  });

  it.each(LONG)('is cut if its address has too many others: %s', async (path) => {
    const ask = await serverWith({ perAddress: 2, bytes: 10 * LENGTH });
    const [silent, ofOther] = [await ask(path), await ask(path, OTHER)];
    const later = [await ask(path), await ask(path)];
    expect(await lengthOf(silent)).toBeLessThan(LENGTH);
    for (const socket of [ofOther, ...later]) expect(await lengthOf(socket)).toBeGreaterThanOrEqual(LENGTH);
  });

  it('is cut if all unread responses hold too many bytes', async () => {
    const ask = await serverWith({ bytes: 1.5 * LENGTH });
    const silent = await ask('/text');
    const later = await ask('/text', OTHER);
    expect(await lengthOf(silent)).toBeLessThan(LENGTH);
    expect(await lengthOf(later)).toBe(LENGTH);
  });

  it('holds no bytes if it is an asset, because all responses share its content', async () => {
    const ask = await serverWith({ bytes: 1 });
    const sockets = [await ask('/asset'), await ask('/asset')];
    for (const socket of sockets) expect(await lengthOf(socket)).toBe(LENGTH);
  });
});

it('a stream whose client has left is read no further', async () => {
  let [read, readWithClient, isOver] = [0, 0, false];
  async function* counted() {
    try {
      for await (const text of texts()) {
        read += 1;
        yield text;
      }
    } finally {
      isOver = true;
    }
  }
  const stream = (response: Response) => {
    response.once('close', () => {
      readWithClient = read;
    });
    return sendResponse(response, { status: 200, headers: {}, body: counted() });
  };
  const ask = await serverWith({}, 1, { '/stream': stream });
  (await ask('/stream')).destroy();
  await eventually(() => expect(isOver).toBe(true));
  expect(read - readWithClient).toBeLessThanOrEqual(1);
});

it('a client that reads slowly is cut after a client that does not read', async () => {
  const ask = await serverWith({ perAddress: 2 }, 100);
  const [slow, silent] = [await ask('/asset'), await ask('/asset')];
  // More than the operating system has taken.
  await readSome(slow, LENGTH / 2);
  const cut = ask.heldFor(silent);
  await ask('/asset');
  await eventually(() => expect(cut?.destroyed).toBe(true));
  expect(await lengthOf(silent)).toBeLessThan(LENGTH);
  await readSome(slow, LENGTH / 4);
});

it('a client that reads at full speed is never cut, however many of its address do', async () => {
  const ask = await serverWith({ perAddress: 2, bytes: 1 }, 100);
  const lengths = await Promise.all(Array.from({ length: 20 }, () => ask('/medium').then(lengthOf)));
  expect(lengths).toEqual(Array(20).fill(MEDIUM));
});
