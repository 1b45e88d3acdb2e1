// Unknown query parameters are refused by name, so that no filter is silently ignored.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { allRoutes, nameOf } from '../../scripts/routes-doc.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './support/refusals.js';
import { UNKNOWN_ID } from './support/samples.js';
import { bearerHeader, signedInUser } from './support/signing-in.js';

const server = sharedService();

const CONTRACT = ['GET /protocols/{id}/forms/{formId}', 'GET /auth-service/activation-code'];
const reads = allRoutes.filter(({ method, kind }) => method === 'get' && kind !== 'probe');
const pathOf = (path: string): string => path.replaceAll(/\{\w+\}/g, UNKNOWN_ID);

let authorization: Record<string, string> = {};
beforeAll(async () => {
  authorization = bearerHeader((await signedInUser(server)).token);
});
const get = (path: string) => server.get<{ knownParameters: string[] }>(path, authorization);

describe('an unknown query parameter', () => {
  it.each(reads.filter((route) => !CONTRACT.includes(nameOf(route))).map(({ path }) => path))(
    'is refused by GET %s with a list of the known parameters',
    async (path) => {
      const response = await get(`${pathOf(path)}?asof=2026-01-01T00:00:00Z&__proto__=1`);
      expectRefused(response, '__proto__ unknown-parameter', 'asof unknown-parameter');
      const { knownParameters } = response.body;
      expect(knownParameters).not.toContain('asof');
      // A read could store nothing, so its refusal does not say that nothing was stored.
      expect(response.body).toMatchObject({ detail: expect.not.stringContaining('stored') });
      for (const known of knownParameters) {
        const faults = (await get(`${pathOf(path)}?${known}=`)).body as { errors?: { code: string }[] };
        expect(faults.errors?.some(({ code }) => code === 'unknown-parameter') ?? false).toBe(false);
      }
    },
  );

  it('is reported together with all other errors', async () => {
    const response = await server.get('/users?enabled=false&limit=0&asOf=2026-01-01T00:00:00Z');
    expectRefused(response, 'asOf unknown-parameter', 'enabled unknown-parameter', 'limit too-small');
    expect(response.body).toMatchObject({
      knownParameters: expect.arrayContaining(['email', 'name', 'limit', 'cursor']),
    });
  });

  it('is the only error that adds the known parameters', async () => {
    expect((await server.get('/users?limit=0')).body).not.toHaveProperty('knownParameters');
  });

  it('is ignored by the reads of the contract under both prefixes', async () => {
    for (const prefix of ['', '/admin-service']) {
      const form = await server.get(`${prefix}/protocols/${UNKNOWN_ID}/forms/${UNKNOWN_ID}?verbose=1`);
      expectProblem(form, 404, 'protocol-not-found');
    }
    const code = await server.get(`/auth-service/activation-code?ownerRef=${randomUUID()}&verbose=1`);
    expect(code.status).toBe(200);
  });

  it.each(['/docs', '/livez', '/readyz', '/metrics'])('is ignored by %s', async (page) => {
    expect((await server.get(`${page}?verbose=1`)).status).toBe(200);
  });

  it('is ignored by writes', async () => {
    const { status } = await server.post('/institutions?verbose=1', { name: 'Hospital' });
    expect(status).toBe(201);
  });
});

describe('a query parameter with a control character', () => {
  it.each(['/protocols', '/institutions', '/specialties', '/users'])('is refused by GET %s', async (path) => {
    expectRefused(await get(`${path}?name=%00`), 'name control-character');
  });
});

describe('a timestamp in a query', () => {
  it.each([
    ['asOf', `/institutions/${UNKNOWN_ID}`],
    ['from', '/audit/events'],
    ['to', '/audit/events'],
  ])('%s that is malformed is refused with a valid example', async (name, path) => {
    for (const sent of ['2026-11-22', '2026-11-22T12:00:00 03:00']) {
      const response = await server.get(`${path}?${name}=${encodeURIComponent(sent)}`);
      expectRefused(response, `${name} invalid-format`);
      const [{ message } = { message: '' }] = (response.body as { errors: { message: string }[] }).errors;
      expect(message).toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/);
      expect(message).toContain('%2B');
    }
  });
});
