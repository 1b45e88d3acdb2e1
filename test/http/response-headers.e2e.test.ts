// The complete headers of every kind of response: none is missing, and none occurs twice. A word replaces each value that
// varies.
import { beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../support/raw-http.js';
import type { Server } from '../support/server.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';
import { createInstitution, createQuestionnaire, numbered, question } from './support/samples.js';

type Fields = Readonly<Record<string, string>>;

const PROBLEM = 'application/problem+json; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const UNIFORM = "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'";

/** The headers that every response has: those of helmet and Node.js, and `Connection` because the test asks for it. */
const COMMON: Fields = {
  'content-security-policy': UNIFORM,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
  'x-request-id': 'ID',
  date: 'DATE',
  connection: 'close',
};

const VARIABLE: readonly (readonly [name: string, pattern: RegExp, word: string])[] = [
  ['x-request-id', /^[0-9a-f-]{36}$/, 'ID'],
  ['date', /GMT$/, 'DATE'],
  ['location', /^\/[a-z-/]+[0-9a-f-]{36}$/, 'LOCATION'],
  ['consistency-token', /^[\w-]{20,}$/, 'TOKEN'],
  ['content-length', /^[1-9]\d*$/, 'BYTES'],
  ['last-modified', /GMT$/, 'DATE'],
  ['etag', /^"[\w-]{43}"$/, 'DIGEST'],
  ['link', /^<\/[^>]+cursor=[\w-]+>; rel="next"$/, 'NEXT'],
];

const withWords = (headers: Headers): Fields => {
  const fields = Object.fromEntries(headers);
  for (const [name, pattern, word] of VARIABLE) if (pattern.test(fields[name] ?? '')) fields[name] = word;
  return fields;
};

interface Request {
  readonly method?: string;
  readonly headers?: Fields;
  readonly json?: unknown;
}

/** Returns the status and the headers of the response. */
const ask = async (server: Server, path: string, request: Request = {}) => {
  const body = request.json === undefined ? '' : JSON.stringify(request.json);
  const headers = {
    Host: 'localhost',
    Connection: 'close',
    ...(body !== '' && { 'Content-Type': 'application/json', 'Content-Length': `${Buffer.byteLength(body)}` }),
    ...request.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const response = await sendRaw(
    server.url,
    `${request.method ?? 'GET'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`,
  );
  return [response.status, withWords(response.headers)] as const;
};

const LENGTH = { 'content-length': 'BYTES' };
const CODED = { vary: 'Accept-Encoding' };
const JSON_BODY = { ...CODED, ...LENGTH, 'content-type': JSON_TYPE };
const READ = { ...JSON_BODY, 'cache-control': 'no-cache' };
const GZIPPED = { 'content-encoding': 'gzip' };
const REFUSED = { ...LENGTH, 'content-type': PROBLEM, 'cache-control': 'no-store' };
const NOT_FOUND = { ...CODED, ...REFUSED };
const GZIP = { headers: { 'Accept-Encoding': 'gzip' } };
const quota = (policy: string, count: number) => ({
  'ratelimit-policy': `"${policy}";q=${count};w=60`,
  ratelimit: `"${policy}";r=${count - 1};t=60`,
});
const post = (json: unknown): Request => ({ method: 'POST', json });
const match = (etag: string): Request => ({ headers: { ...GZIP.headers, 'If-None-Match': etag } });
const asJson: Request = { headers: { Accept: 'application/json' } };
const EVIL_PAGE = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };

type Row = readonly [what: string, path: string, request: Request, status: number, fields: Fields];

describe('the headers of a response are complete', () => {
  const server = embeddedServiceOfThisFile({ RATE_LIMITS: '1' });
  let institution: string;
  let form: string;
  beforeAll(async () => {
    const { id } = await createInstitution(server);
    await createInstitution(server);
    const made = await createQuestionnaire(server, id, { questions: numbered(20, question) });
    institution = `/institutions/${id}`;
    form = `/protocols/${made.protocol.id}/forms/${made.form.id}`;
  });
  const FORM = { ...READ, etag: '"1"' };
  const HEAD = { method: 'HEAD' };
  const ALLOW = { allow: 'GET, HEAD, OPTIONS' };
  const long = { questions: numbered(30, () => ({})) };
  const ndjson = { headers: { ...GZIP.headers, Accept: 'application/x-ndjson' } };
  const stream = { 'content-type': 'application/x-ndjson; charset=utf-8', 'transfer-encoding': 'chunked' };
  const created = { etag: '"0"', location: 'LOCATION', 'consistency-token': 'TOKEN' };

  it.each<Row>([
    ['a resource', 'FORM', {}, 200, FORM],
    ['a short resource to a client that accepts gzip', 'INSTITUTION', GZIP, 200, { ...READ, etag: '"0"' }],
    ['a long resource to a client that accepts gzip', 'FORM', GZIP, 200, { ...FORM, ...GZIPPED }],
    ['HEAD', 'FORM', HEAD, 200, FORM],
    ['HEAD of a client that accepts gzip', 'FORM', { ...HEAD, ...GZIP }, 200, { ...FORM, ...GZIPPED }],
    ['304', 'FORM', match('"1"'), 304, { ...CODED, 'cache-control': 'no-cache', etag: '"1"' }],
    ['a page of a list', '/institutions?limit=1', {}, 200, { ...READ, etag: 'DIGEST', link: 'NEXT' }],
    ['a write', '/institutions', post({ name: 'A' }), 201, { ...JSON_BODY, ...created }],
    [
      'a stream',
      '/audit/events',
      ndjson,
      200,
      { ...CODED, ...stream, vary: 'Accept-Encoding, Accept', 'cache-control': 'no-store' },
    ],
    ['OPTIONS', 'FORM', { method: 'OPTIONS' }, 204, { ...CODED, ...ALLOW }],
    ['an unsupported method', 'FORM', { method: 'PUT' }, 405, { ...NOT_FOUND, ...ALLOW }],
    ['an unknown path', '/nothing', GZIP, 404, NOT_FOUND],
    ['invalid fields', '/institutions', post({}), 400, NOT_FOUND],
    ['a long problem', '/protocols/questionnaires', { ...post(long), ...GZIP }, 400, { ...NOT_FOUND, ...GZIPPED }],
    ['a problem with HEAD', '/nothing', HEAD, 404, NOT_FOUND],
    ['another host', '/institutions', { headers: { ...GZIP.headers, Host: 'evil.example' } }, 421, REFUSED],
    ['no host', '/institutions', { headers: { Host: 'a\r\nHost: b' } }, 400, REFUSED],
    ['a page of another site', '/institutions', { method: 'POST', headers: EVIL_PAGE }, 403, REFUSED],
    [
      'a refused sign-in',
      '/auth-service/auth',
      { ...post({}), ...GZIP },
      400,
      { ...REFUSED, ...quota('sign-in', 600) },
    ],
    ['an unknown path of the web client routes', '/api/nothing', {}, 404, { ...REFUSED, ...quota('other', 600) }],
    ['a page', '/', asJson, 200, { ...JSON_BODY, vary: 'Accept-Encoding, Accept', 'cache-control': 'no-store' }],
    ['a probe', '/livez', {}, 200, READ],
    ['the OpenAPI document', '/openapi.json', {}, 200, { ...READ, etag: 'DIGEST' }],
  ])('%s', async (...[, path, request, status, fields]) => {
    const sent = path.replace('FORM', form).replace('INSTITUTION', institution);
    expect(await ask(server, sent, request)).toEqual([status, { ...COMMON, ...fields }]);
  });

  it('a file of the documentation', async () => {
    const [status, { etag, ...fields }] = await ask(server, '/docs/swagger-ui.css');
    const policy = fields['content-security-policy'];
    expect([status, etag]).toEqual([200, 'DIGEST']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'/);
    expect(fields).toEqual({
      ...COMMON,
      ...CODED,
      ...LENGTH,
      'content-security-policy': policy,
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=86400',
    });
  });

  it('a repeated write', async () => {
    const write = { method: 'POST', headers: { 'Idempotency-Key': 'one' }, json: { name: 'B' } };
    const [first, again] = [await ask(server, '/institutions', write), await ask(server, '/institutions', write)];
    expect(again).toEqual([201, { ...first[1], 'idempotency-replayed': 'true' }]);
  });
});

const ORIGIN = 'https://app.example.org';

describe('the headers of a response over https to a page of a listed origin are complete', () => {
  const server = embeddedServiceOfThisFile({ CORS_ORIGINS: ORIGIN, PUBLIC_URL: 'https://protocols.example.org' });
  const SECURE = { ...COMMON, 'strict-transport-security': 'max-age=31536000; includeSubDomains' };
  const VARIES = { vary: 'Origin, Accept-Encoding' };
  const LIST = { ...READ, ...VARIES, etag: 'DIGEST' };
  const MISSING = { ...REFUSED, ...VARIES };
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
      'Authorization,Content-Type,If-Match,If-None-Match,Idempotency-Key,Consistency-Token,app-name,traceparent,tracestate,baggage,sentry-trace',
    'access-control-max-age': '600',
  };
  const listed = { Origin: ORIGIN };
  const preflight = { ...listed, 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'if-match' };

  const OPTIONS = { ...VARIES, ...ALLOWED, ...PREFLIGHT, allow: 'POST, GET, HEAD, OPTIONS' };
  const evil = { Origin: 'https://evil.example' };
  const limited = { ...REFUSED, ...ALLOWED, vary: 'Origin', ...quota('other', 600_000) };

  it.each<Row>([
    ['a list', '/institutions', { headers: listed }, 200, { ...LIST, ...ALLOWED }],
    ['a list without an origin', '/institutions', {}, 200, LIST],
    ['a list for another origin', '/institutions', { headers: evil }, 200, LIST],
    ['a problem', '/nothing', { headers: listed }, 404, { ...MISSING, ...ALLOWED }],
    ['OPTIONS', '/institutions', { method: 'OPTIONS', headers: listed }, 204, OPTIONS],
    ['a probe', '/livez', { headers: listed }, 200, { ...READ, ...VARIES, ...ALLOWED }],
    ['a problem of the web client routes', '/api/nothing', { headers: listed }, 404, limited],
    ['another host', '/institutions', { headers: { ...listed, Host: 'evil.example' } }, 421, REFUSED],
    [
      'a page of another site',
      '/institutions',
      { method: 'POST', headers: EVIL_PAGE },
      403,
      { ...REFUSED, vary: 'Origin' },
    ],
    [
      'a preflight',
      '/institutions',
      { method: 'OPTIONS', headers: preflight },
      204,
      { ...ALLOWED, ...PREFLIGHT, vary: 'Origin', 'content-length': '0' },
    ],
  ])('%s', async (...[, path, request, status, fields]) => {
    expect(await ask(server, path, request)).toEqual([status, { ...SECURE, ...fields }]);
  });
});
