// No text of any request, however long and of whatever shape, keeps the event loop from other requests.
import { brotliCompressSync, constants } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { allRoutes, nameOf } from '../../scripts/routes-doc.js';
import { bodyLimitOf } from '../../src/http/route/requests.js';
import type { Route } from '../../src/http/route/route.js';
import { SignUp } from '../../src/http/routes/auth/sign-up-schemas.js';
import { expectTurns } from '../support/event-loop.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { newAdministrator } from './support/callers.js';
import { UNKNOWN_ID } from './support/samples.js';
import { asciiShapes, hostileShapes, textsOf, withField } from './support/texts.js';

const server = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
let headers: Readonly<Record<string, string>>;
beforeAll(async () => {
  headers = { ...(await newAdministrator(server)).authorization, 'Content-Type': 'application/json' };
});

// What Node.js accepts of a request line and its headers, less what the other headers need.
const LONGEST_HEAD = 14_000;
const livez = async () => (await fetch(`${server.url}/livez`)).arrayBuffer();

interface Sent {
  readonly path: string;
  readonly method: string;
  readonly more?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** Sends requests one after the other. Returns their statuses. */
const sendAll = async (requests: Iterable<Sent>): Promise<ReadonlySet<number>> => {
  const statuses = new Set<number>();
  for (const { method, path, more, body } of requests) {
    const init = { method, headers: { ...headers, ...more }, ...(body !== undefined && { body }) };
    const response = await fetch(`${server.url}${path}`, init);
    await response.arrayBuffer();
    statuses.add(response.status);
  }
  return statuses;
};

const expectHarmless = async (requests: Iterable<Sent>, allowed: readonly number[]): Promise<void> => {
  const all = [...requests];
  let statuses: ReadonlySet<number> = new Set();
  await expectTurns(async () => {
    statuses = await sendAll(all);
  }, livez);
  expect([...statuses].filter((status) => !allowed.includes(status))).toEqual([]);
};

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const pathOf = ({ path }: Route) => path.replaceAll(/\{\w+\}/g, UNKNOWN_ID);

// The dry run reads a sign-up after the schema of the route.
const READ_LATER: Readonly<Record<string, z.ZodType>> = { 'POST /auth-service/signup-model': SignUp };

/** Returns the requests of a route with a hostile text in one field, as long as the limit of the body allows. */
const bodiesOf = function* (route: Route): Generator<Sent> {
  const { method, example, body } = route;
  const request = { method: method.toUpperCase(), path: pathOf(route) };
  for (const { path } of body === undefined ? [] : textsOf(READ_LATER[nameOf(route)] ?? body)) {
    const room = bodyLimitOf(route) - Buffer.byteLength(JSON.stringify(withField(example ?? {}, path, '')));
    for (const [name, shape] of Object.entries(hostileShapes)) {
      const text = JSON.stringify(withField(example ?? {}, path, shape(room - 100)));
      const bytes =
        text.length > bodyLimitOf(route) ? JSON.stringify(withField(example ?? {}, path, shape(room / 2 - 100))) : text;
      if (name === 'one letter') yield { ...request, body: bytes };
      yield { ...request, body: Uint8Array.from(brotliCompressSync(bytes, FAST)), more: { 'Content-Encoding': 'br' } };
    }
  }
};
const withBody = allRoutes.filter(({ body }) => body !== undefined);

describe('a hostile text in a body leaves the service responsive', () => {
  it.each(withBody.map((route) => ({ name: nameOf(route), route })))(
    '$name',
    { timeout: 60_000 },
    async ({ route }) => {
      await expectHarmless(bodiesOf(route), [200, 400, 401, 413]);
    },
  );
});
