// The complete headers of responses if CORS_ORIGINS lists origins and clients use https.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { Server } from '../support/server.js';
import { ask, COMMON, type Fields, JSON_TYPE, PROBLEM } from './all-headers.js';

const ORIGIN = 'https://app.example.org';

const serverWith = (environment: Fields): Server => {
  const server = new Server(temporaryDirectory(), environment);
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
};

describe('the headers of a response over https to a page of a listed origin are complete', () => {
  const server = serverWith({ CORS_ORIGINS: ORIGIN, PUBLIC_URL: 'https://protocols.example.org' });
  const SECURE = { ...COMMON, 'strict-transport-security': 'max-age=31536000; includeSubDomains' };
  const VARIES = { vary: 'Origin, Accept-Encoding' };
  const READ = {
    ...VARIES,
    'content-type': JSON_TYPE,
    'cache-control': 'no-cache',
    etag: 'DIGEST',
    'content-length': 'BYTES',
  };
  const REFUSED = { 'content-type': PROBLEM, 'content-length': 'BYTES', 'cache-control': 'no-store' };
  const ALLOWED = {
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': ORIGIN,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers':
      'ETag,Consistency-Token,Location,Link,Content-Disposition,Idempotency-Replayed,Message-Withheld,RateLimit-Policy,RateLimit,Retry-After,WWW-Authenticate,X-Request-Id,Allow,Authorization',
  };
  const PREFLIGHT = {
    'access-control-allow-methods': 'GET,HEAD,POST,PUT,PATCH,DELETE',
    'access-control-allow-headers':
      'Authorization,Content-Type,If-Match,If-None-Match,Idempotency-Key,Consistency-Token,app-name,traceparent,tracestate',
    'access-control-max-age': '600',
  };
  const listed = { Origin: ORIGIN };
  const preflight = { ...listed, 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'if-match' };

  it.each([
    ['a list', '/institutions', { headers: listed }, 200, { ...READ, ...ALLOWED }],
    ['a list without an origin', '/institutions', {}, 200, READ],
    ['a list for another origin', '/institutions', { headers: { Origin: 'https://evil.example' } }, 200, READ],
    ['a problem', '/nothing', { headers: listed }, 404, { ...VARIES, ...REFUSED, ...ALLOWED }],
    [
      'OPTIONS',
      '/institutions',
      { method: 'OPTIONS', headers: listed },
      204,
      { ...VARIES, ...ALLOWED, ...PREFLIGHT, allow: 'POST, GET, HEAD, OPTIONS' },
    ],
    [
      'a probe',
      '/livez',
      { headers: listed },
      200,
      { ...VARIES, ...ALLOWED, 'content-type': JSON_TYPE, 'content-length': 'BYTES', 'cache-control': 'no-cache' },
    ],
    [
      'a problem of the web client routes',
      '/api/nothing',
      { headers: listed },
      404,
      {
        ...REFUSED,
        ...ALLOWED,
        vary: 'Origin',
        'ratelimit-policy': '"other";q=600000;w=60',
        ratelimit: '"other";r=599999;t=60',
      },
    ],
    ['another host', '/institutions', { headers: { ...listed, Host: 'evil.example' } }, 421, REFUSED],
    [
      'a page of another site',
      '/institutions',
      { method: 'POST', headers: { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' } },
      403,
      { ...REFUSED, vary: 'Origin' },
    ],
    [
      'a preflight',
      '/institutions',
      { method: 'OPTIONS', headers: preflight },
      204,
      {
        ...ALLOWED,
        ...PREFLIGHT,
        vary: 'Origin',
        'content-length': '0',
      },
    ],
  ] as const)('%s', async (...[, path, request, status, fields]) => {
    expect(await ask(server, path, request)).toEqual([status, { ...SECURE, ...fields }]);
  });
});
