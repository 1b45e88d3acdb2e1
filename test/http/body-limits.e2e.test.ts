// The maximum size of the body of each route, in the service and in the OpenAPI document.
import { beforeAll, describe, expect, it } from 'vitest';
import type { RouteContext } from '../../src/http/route/context.js';
import { routesOf, signInRoutesOf } from '../../src/http/routes.js';
import { fetchOpenApi, type OpenApiDocument } from '../support/contract.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import { numbered, successful, UNKNOWN_ID } from './support/samples.js';
import { bearerHeader, signedInUser } from './support/signing-in.js';
import { newcomer, trySignUp } from './support/signing-up.js';

const server = sharedService();
let headers: Record<string, string>;
beforeAll(async () => {
  headers = bearerHeader((await signedInUser(server)).token);
});
const KIB = 1_024;

const LARGE = new Set([
  ...['post /protocols/questionnaires', 'put /protocols/{id}/questionnaire', 'post /protocols', 'put /protocols/{id}'],
  ...['post /protocols/{id}/forms/{formId}/questions', 'put /protocols/{id}/questions/{questionId}'],
  ...['post /institutions', 'put /institutions/{id}', 'post /protocols/questionnaires/analysis'],
  'post /protocols/questionnaires/score',
]);
const MEDIUM = [
  / \/protocols\//,
  / \/institutions\//,
  / \/users\/doctor$/,
  /^put \/users\/\{id\}$/,
  /\/profiles/,
  /\/signup/,
];

const limitOf = (name: string): number => {
  if (LARGE.has(name)) return 1_024 * KIB;
  if (name.endsWith('/score')) return 256 * KIB;
  return MEDIUM.some((names) => names.test(name)) ? 64 * KIB : 16 * KIB;
};

const limits = [...routesOf({} as RouteContext), ...signInRoutesOf({} as RouteContext)].flatMap(
  ({ method, path, body }) => (body === undefined ? [] : [[method, path, limitOf(`${method} ${path}`)] as const]),
);

/** Returns an invalid body of this many bytes. */
const ofBytes = (count: number) => '[]'.padEnd(count);
const send = (method: string, path: string, bytes: string) =>
  server.send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, UNKNOWN_ID), { bytes, headers });

describe('a body', () => {
  it.each(limits)('of %s %s may have %d bytes; a larger one is 413 with the limit', async (method, path, limit) => {
    expect((await send(method, path, ofBytes(limit))).status).not.toBe(413);
    const document = expectProblem(await send(method, path, ofBytes(limit + 1)), 413, 'too-large');
    expect(document).toMatchObject({ limit });
  });

  it('has its limit in the OpenAPI document', async () => {
    const { paths } = await fetchOpenApi<OpenApiDocument>(server);
    for (const [method, path, limit] of limits) {
      const text = paths[path]?.[method]?.requestBody?.description;
      expect([method, path, text]).toEqual([method, path, expect.stringContaining(limit.toLocaleString('en'))]);
    }
  });

  it('of a sign-up has room for the maximum number of specialties of maximum length, in any script', async () => {
    const specialties = numbered(50, (n) => ({ description: `${n}`.padEnd(200, 'あ'), document: 'い'.repeat(100) }));
    const body = newcomer({ profiles: [{ specialties }] });
    successful(await server.post('/auth-service/signup-model', body));
    // Ten of them may be unknown.
    for (const { description } of specialties.slice(10)) {
      successful(await server.post('/specialties', { name: description }));
    }
    successful(await trySignUp(server, body));
  });
});
