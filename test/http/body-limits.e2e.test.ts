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

const limits = [
  ...routesOf({} as RouteContext).map(
    (route) => [route, /\/score$/.test(route.path) ? 256 * KIB : 1_024 * KIB] as const,
  ),
  ...signInRoutesOf({} as RouteContext).map(
    (route) => [route, /\/signup/.test(route.path) ? 64 * KIB : 16 * KIB] as const,
  ),
].flatMap(([{ method, path, body }, limit]) => (body === undefined ? [] : [[method, path, limit] as const]));

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
