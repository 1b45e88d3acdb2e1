// The complete headers of every kind of response: none is missing, and none occurs twice.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { Server } from '../support/server.js';
import { ask, COMMON, type Fields, JSON_TYPE, PROBLEM, type Request } from './all-headers.js';
import { createInstitution, createQuestionnaire, numbered, question } from './samples.js';

const serverWith = (environment: Fields): Server => {
  const server = new Server(temporaryDirectory(), environment);
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
};

describe('the headers of a response are complete', () => {
  const server = serverWith({ RATE_LIMITS: '1' });
  let institutionId: string;
  let form: string;
  beforeAll(async () => {
    ({ id: institutionId } = await createInstitution(server));
    await createInstitution(server);
    const made = await createQuestionnaire(server, institutionId, { questions: numbered(20, question) });
    form = `/protocols/${made.protocol.id}/forms/${made.form.id}`;
  });
  const GZIP = { 'Accept-Encoding': 'gzip' };
  const CODED = { vary: 'Accept-Encoding' };
  const READ = { ...CODED, 'cache-control': 'no-cache', 'content-type': JSON_TYPE };
  const REFUSED = { 'content-type': PROBLEM, 'content-length': 'BYTES', 'cache-control': 'no-store' };
  const PAGE = { ...CODED, 'content-length': 'BYTES' };

  const rows: readonly (readonly [
    what: string,
    path: () => string,
    request: Request,
    status: number,
    fields: Fields,
  ])[] = [
    ['a resource', () => form, {}, 200, { ...READ, etag: '"1"', 'content-length': 'BYTES' }],
    [
      'a short resource to a client that accepts gzip',
      () => `/institutions/${institutionId}`,
      { headers: GZIP },
      200,
      { ...READ, etag: '"0"', 'content-length': 'BYTES' },
    ],
    [
      'a long resource to a client that accepts gzip',
      () => form,
      { headers: GZIP },
      200,
      { ...READ, etag: '"1"', 'content-encoding': 'gzip', 'content-length': 'BYTES' },
    ],
    ['HEAD', () => form, { method: 'HEAD' }, 200, { ...READ, etag: '"1"', 'content-length': 'BYTES' }],
    [
      'HEAD of a client that accepts gzip',
      () => form,
      { method: 'HEAD', headers: GZIP },
      200,
      { ...READ, etag: '"1"', 'content-encoding': 'gzip', 'content-length': 'BYTES' },
    ],
    [
      '304',
      () => form,
      { headers: { ...GZIP, 'If-None-Match': '"1"' } },
      304,
      { ...CODED, 'cache-control': 'no-cache', etag: '"1"' },
    ],
    [
      'a page of a list',
      () => '/institutions?limit=1',
      {},
      200,
      { ...READ, etag: 'DIGEST', link: 'NEXT', 'content-length': 'BYTES' },
    ],
    [
      'a write',
      () => '/institutions',
      { method: 'POST', json: { name: 'A' } },
      201,
      {
        ...CODED,
        'content-type': JSON_TYPE,
        'content-length': 'BYTES',
        etag: '"0"',
        location: 'LOCATION',
        'consistency-token': 'TOKEN',
      },
    ],
    [
      'a stream',
      () => '/audit/events',
      { headers: { ...GZIP, Accept: 'application/x-ndjson' } },
      200,
      {
        ...CODED,
        'content-type': 'application/x-ndjson; charset=utf-8',
        'cache-control': 'no-store',
        'transfer-encoding': 'chunked',
      },
    ],
    ['OPTIONS', () => form, { method: 'OPTIONS' }, 204, { ...CODED, allow: 'GET, HEAD, OPTIONS' }],
    [
      'an unsupported method',
      () => form,
      { method: 'PUT' },
      405,
      { ...CODED, ...REFUSED, allow: 'GET, HEAD, OPTIONS' },
    ],
    ['an unknown path', () => '/nothing', { headers: GZIP }, 404, { ...CODED, ...REFUSED }],
    ['invalid fields', () => '/institutions', { method: 'POST', json: {} }, 400, { ...CODED, ...REFUSED }],
    [
      'a long problem',
      () => '/protocols/questionnaires',
      { method: 'POST', headers: GZIP, json: { questions: numbered(30, () => ({})) } },
      400,
      { ...CODED, ...REFUSED, 'content-encoding': 'gzip' },
    ],
    ['a problem with HEAD', () => '/nothing', { method: 'HEAD' }, 404, { ...CODED, ...REFUSED }],
    ['another host', () => '/institutions', { headers: { ...GZIP, Host: 'evil.example' } }, 421, REFUSED],
    ['no host', () => '/institutions', { headers: { Host: 'a\r\nHost: b' } }, 400, REFUSED],
    [
      'a page of another site',
      () => '/institutions',
      { method: 'POST', headers: { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' } },
      403,
      REFUSED,
    ],
    [
      'a refused sign-in',
      () => '/auth-service/auth',
      { method: 'POST', headers: GZIP, json: {} },
      400,
      { ...REFUSED, 'ratelimit-policy': '"sign-in";q=600;w=60', ratelimit: '"sign-in";r=599;t=60' },
    ],
    [
      'an unknown path of the web client routes',
      () => '/api/nothing',
      {},
      404,
      { ...REFUSED, 'ratelimit-policy': '"other";q=600;w=60', ratelimit: '"other";r=599;t=60' },
    ],
    [
      'a page',
      () => '/',
      { headers: { Accept: 'application/json' } },
      200,
      { ...PAGE, vary: 'Accept-Encoding, Accept', 'content-type': JSON_TYPE, 'cache-control': 'no-store' },
    ],
    ['a probe', () => '/livez', {}, 200, { ...PAGE, 'content-type': JSON_TYPE, 'cache-control': 'no-cache' }],
    [
      'the OpenAPI document',
      () => '/openapi.json',
      {},
      200,
      { ...PAGE, 'content-type': JSON_TYPE, 'cache-control': 'no-cache', etag: 'DIGEST' },
    ],
  ];

  it.each(rows)('%s', async (...[, path, request, status, fields]) => {
    expect(await ask(server, path(), request)).toEqual([status, { ...COMMON, ...fields }]);
  });

  it('a file of the documentation', async () => {
    const [status, { etag, ...fields }] = await ask(server, '/docs/swagger-ui.css');
    const policy = fields['content-security-policy'];
    expect([status, etag]).toEqual([200, 'DIGEST']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'/);
    expect(fields).toEqual({
      ...COMMON,
      ...PAGE,
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
