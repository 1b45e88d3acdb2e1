// What the entrance refuses, what it reports, what pages of other origins may read, and how it writes headers.
import { ServerResponse } from 'node:http';
import express, { type Response } from 'express';
import { pino } from 'pino';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { noteRoute } from '../../../src/http/response/request-context.js';
import { responseHeaders } from '../../../src/http/response/response-headers.js';
import { sendResponse } from '../../../src/http/response/sending.js';
import type { EntranceOptions } from '../../../src/http/server/entrance.js';
import { eventually } from '../../support/eventually.js';
import { openSocket, sendRaw } from '../../support/raw-http.js';
import { serveBehindEntrance } from '../support/served-routes.js';

const LONG = '/10000';
const SHORT = '/10';

let seen: Response;

/** Starts a server that answers each request with as many letters as its path says, or never ends its answer. */
const serverBehind = async (options: Partial<EntranceOptions> = {}) => {
  const metrics = { responded: vi.fn(), shed: vi.fn() };
  const lines: Readonly<Record<string, unknown>>[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const router = express.Router();
  router.all('/endless', noteRoute('/endless'), (_request, response) => void response.write('x'));
  router.all(['/:length', '/raw/:length'], noteRoute('/{length}'), (request, response) => {
    seen = response;
    const body = 'x'.repeat(Number(request.params['length']));
    return sendResponse(response, { status: 200, headers: { ETag: '"1"' }, body });
  });
  const given = { log, metrics, uncompressed: ['/raw'], ...options };
  return { ...(await serveBehindEntrance(given, [router])), lines, metrics };
};

let url: string;
beforeAll(async () => {
  const server = await serverBehind();
  url = server.url;
  return server.close;
});

/** Sends a request with these lines, and returns its status. */
const statusOf = async (at: string, ...lines: readonly string[]): Promise<number> =>
  (await sendRaw(at, `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`)).status;

const REPLACED = ['write', 'end', 'writeHead', 'on'];

/** Sends a request. Returns how many headers were set one by one and which methods of the response were replaced. */
const askFor = async (path: string, coding: string) => {
  const setHeader = vi.spyOn(ServerResponse.prototype, 'setHeader');
  onTestFinished(() => setHeader.mockRestore());
  const { headers } = await fetch(`${url}${path}`, { headers: { 'Accept-Encoding': coding } });
  expect([headers.get('etag'), headers.get('x-frame-options')]).toEqual(['"1"', 'SAMEORIGIN']);
  return { set: setHeader.mock.calls.length, replaced: REPLACED.filter((name) => Object.hasOwn(seen, name)) };
};

describe('a response', () => {
  it.each([
    ['short', SHORT, 'gzip'],
    ['not to be compressed', LONG, 'identity'],
    ['compressed', LONG, 'gzip'],
  ])('that is %s has its headers written as one list by its own methods', async (_, path, coding) => {
    expect(await askFor(path, coding)).toEqual({ set: 0, replaced: [] });
  });
});

const LOCAL = 'Host: localhost:3000';

describe('a request', () => {
  it.each([
    ['GET /10?a=%23 HTTP/1.1', 200],
    ['GET http://localhost:3000/10 HTTP/1.1', 200],
    ['GET http://[::1]/10 HTTP/1.1', 200],
    ['GET https://a.example:1/10?b HTTP/1.1', 200],
    ['GET HTTP://localhost?a HTTP/1.1', 404],
    ['OPTIONS * HTTP/1.1', 404],
    ['GET /10#a HTTP/1.1', 400],
    ['GET /10?a#b HTTP/1.1', 400],
    ['GET /10\\ HTTP/1.1', 400],
    ['GET http://localhost\\10 HTTP/1.1', 400],
    ['GET http://a@localhost/10 HTTP/1.1', 400],
    ['GET http:///10 HTTP/1.1', 400],
    ['GET ftp://localhost/10 HTTP/1.1', 400],
  ])('for %s gets %i', async (line, status) => expect(await statusOf(url, line, LOCAL)).toBe(status));

  it.each([
    [[LOCAL], 200],
    [['hOST: 127.0.0.1'], 200],
    [['Host: [::1]:3000'], 200],
    [[LOCAL, 'From: me', 'Referer: a'], 200],
    [[], 400],
    [[LOCAL, 'host: localhost'], 400],
    [['Host: example.org'], 421],
    [['Host: localhost:3000.example.org'], 421],
  ])('with the headers %j gets %i', async (headers, status) =>
    expect(await statusOf(url, 'GET /10 HTTP/1.1', ...headers)).toBe(status),
  );

  it('of HTTP/1.0 needs no Host', async () => expect(await statusOf(url, 'GET /10 HTTP/1.0')).toBe(200));

  const EVIL = 'Origin: https://evil.example';
  it.each([
    ['POST', [EVIL], 403],
    ['POST', [EVIL, 'Content-Type: text/plain'], 403],
    ['POST', [EVIL, 'Content-Type: x-application/json'], 403],
    ['POST', ['Origin: null'], 403],
    ['POST', [EVIL, 'Content-Type: Application/JSON; charset=utf-8'], 200],
    ['POST', ['Content-Type: application/json', 'Sec-Fetch-Site: cross-site'], 403],
    ['POST', ['Sec-Fetch-Site: same-origin', EVIL], 200],
    ['POST', ['Origin: http://localhost:5173'], 200],
    ['POST', ['Origin: ftp://evil.example'], 200],
    ['POST', ['Origin: https:'], 200],
    ['POST', [], 200],
    ['PUT', [EVIL], 200],
    ['PUT', ['Sec-Fetch-Site: cross-site'], 403],
    ['GET', ['Sec-Fetch-Site: cross-site', EVIL], 200],
  ])('in open mode, %s with %j gets %i', async (method, headers, status) =>
    expect(await statusOf(url, `${method} /10 HTTP/1.1`, LOCAL, ...headers)).toBe(status),
  );

  it('may have any host and any origin if callers must sign in', async () => {
    const { url: other, close } = await serverBehind({ callers: 'required' });
    onTestFinished(close);
    expect(await statusOf(other, 'POST /10 HTTP/1.1', 'Host: example.org', EVIL)).toBe(200);
  });

  it('is reported with its route and its trace, and without the path that its client wrote', async () => {
    const { url: other, close, lines, metrics } = await serverBehind();
    onTestFinished(close);
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const { headers } = await fetch(`${other}/10`, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
    await fetch(`${other}/raw/no/route`);
    const holding = await openSocket(other);
    holding.write('GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n');
    holding.once('data', () => holding.destroy());
    await eventually(() => expect(lines).toHaveLength(3));
    const requestId = headers.get('x-request-id');
    expect(lines[0]).toEqual({ ...known('/{length}', 200), level: 30, requestId, traceId });
    expect(lines.slice(1)).toMatchObject([known('none', 404), known('/endless', 499)]);
    const counted = metrics.responded.mock.calls;
    expect(counted.map((call) => call.slice(0, 3))).toEqual([
      ['GET', '/{length}', 200],
      ['GET', 'none', 404],
      ['GET', '/endless', 499],
    ]);
    // The line has milliseconds with two decimals, the metric seconds.
    for (const [n, [, , , seconds]] of counted.entries()) {
      expect(lines[n]?.['ms']).toBeCloseTo(seconds * 1_000, 1);
    }
  });

  const known = (path: string, status: number) => ({
    ...{ msg: 'request', method: 'GET', path, status, ms: expect.any(Number) },
  });

  it.each([
    ['/10', 'Accept-Encoding'],
    ['/raw/10', null],
    ['/rawer', 'Accept-Encoding'],
  ])('of %s varies by %s', async (path, vary) => expect((await fetch(url + path)).headers.get('vary')).toBe(vary));
});

describe('a page of another origin', () => {
  const LISTED = 'https://app.example.org';
  const ask = async (method: string, headers: Readonly<Record<string, string>>) => {
    const { url: other, close } = await serverBehind({ corsOrigins: [LISTED] });
    onTestFinished(close);
    const response = await fetch(`${other}/10`, { method, headers });
    const fields = [...response.headers].filter(([name]) => /^(access-control|vary|cross-origin-res)/.test(name));
    return { status: response.status, fields: Object.fromEntries(fields) as Readonly<Record<string, string>> };
  };

  it('that is listed may send these methods and headers, and read the headers of the API but not cookies', async () => {
    const preflight = { Origin: LISTED, 'Access-Control-Request-Method': 'PUT' };
    const allowed = {
      'access-control-allow-origin': LISTED,
      'access-control-allow-credentials': 'true',
      'cross-origin-resource-policy': 'cross-origin',
    };
    const { status, fields } = await ask('OPTIONS', preflight);
    expect(status).toBe(204);
    expect(fields).toMatchObject({
      ...allowed,
      'access-control-allow-methods': 'GET,HEAD,POST,PUT,PATCH,DELETE',
      'access-control-allow-headers':
        'Authorization,Content-Type,If-Match,If-None-Match,Idempotency-Key,Consistency-Token,app-name,traceparent,tracestate,baggage,sentry-trace',
    });
    const read = await ask('GET', { Origin: LISTED });
    expect(read).toMatchObject({ status: 200, fields: { ...allowed, vary: expect.stringContaining('Origin') } });
    const names = [...Object.keys(responseHeaders), 'X-Request-Id', 'Allow', 'Authorization'];
    expect(read.fields['access-control-expose-headers']?.split(',')).toEqual(
      names.filter((name) => name !== 'Set-Cookie'),
    );
  });

  it('that is not listed may read nothing', async () => {
    const { fields } = await ask('GET', { Origin: 'https://evil.example' });
    expect(Object.keys(fields)).toEqual(['cross-origin-resource-policy', 'vary']);
    expect(fields).toMatchObject({
      'cross-origin-resource-policy': 'same-origin',
      vary: expect.stringContaining('Origin'),
    });
  });
});

it.each(['Accept', 'Accept-Encoding', 'Accept-Language'])('ignores %s of more than 1,000 characters', async (name) => {
  const { url, close } = await serveBehindEntrance({}, [
    (request, response) => void response.end(String(request.headers[name.toLowerCase()])),
  ]);
  onTestFinished(close);
  const seen = async (value: string) => (await fetch(url, { headers: { [name]: value } })).text();
  expect([await seen('a'.repeat(1_000)), await seen('a'.repeat(1_001))]).toEqual(['a'.repeat(1_000), 'undefined']);
});
