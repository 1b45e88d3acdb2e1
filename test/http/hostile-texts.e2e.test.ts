// No text of any request, however long and of whatever shape, keeps the event loop from other requests.
import { brotliCompressSync, constants } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allRoutes, nameOf } from '../../scripts/routes-doc.js';
import { bodyLimitOf } from '../../src/http/route/requests.js';
import type { Route } from '../../src/http/route/route.js';
import { SignUp } from '../../src/http/routes/auth/sign-up-schemas.js';
import { expectTurns } from '../support/event-loop.js';
import { first } from '../support/items.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';
import { newAdministrator } from './support/callers.js';
import { UNKNOWN_ID } from './support/samples.js';
import { asciiShapes, hostileShapes, textsOf, withField } from './support/texts.js';

const server = embeddedServiceOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
let headers: Readonly<Record<string, string>>;
beforeAll(async () => {
  headers = { ...(await newAdministrator(server)).authorization, 'Content-Type': 'application/json' };
});

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly more?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** Sends requests one after the other, and fails if one of them keeps `/livez` waiting or is not refused in time. */
const expectHarmless = async (requests: Iterable<Sent>, allowed: readonly number[]): Promise<void> => {
  const all = [...requests];
  const statuses = new Set<number>();
  await expectTurns(
    async () => {
      for (const { method, path, more, body } of all) {
        const init = { method, headers: { ...headers, ...more }, ...(body !== undefined && { body }) };
        const response = await fetch(`${server.url}${path}`, init);
        await response.arrayBuffer();
        statuses.add(response.status);
      }
    },
    { service: server },
  );
  expect([...statuses].filter((status) => !allowed.includes(status))).toEqual([]);
};

const methodOf = ({ method }: Route) => method.toUpperCase();
const pathOf = ({ path }: Route, parameter = UNKNOWN_ID) => path.replaceAll(/\{\w+\}/g, parameter);

const shapes = Object.values(hostileShapes);
const SMALL = 65_536;
const AT_ONCE = 4;
/** Returns texts of this many bytes of JSON: each shape alone, or a few one after the other if there is much room. */
const textsOfSize = (room: number): readonly string[] => {
  const groups = room <= SMALL ? shapes.map((shape) => [shape]) : [];
  if (room > SMALL) for (let n = 0; n < shapes.length; n += AT_ONCE) groups.push(shapes.slice(n, n + AT_ONCE));
  return groups.map((group) => group.map((shape) => withinJson(shape, room / group.length)).join(''));
};

const withinJson = (shape: (bytes: number) => string, room: number): string => {
  const bytes = Buffer.byteLength(JSON.stringify(shape(room)));
  return bytes <= room ? shape(room) : shape((room * room) / bytes - 100);
};

const FASTEST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const packed = (text: string): Pick<Sent, 'body' | 'more'> => ({
  body: Uint8Array.from(brotliCompressSync(text, FASTEST)),
  more: { 'Content-Encoding': 'br' },
});

// The dry run reads a sign-up after the schema of the route.
const READ_LATER: Readonly<Record<string, z.ZodType>> = { 'POST /auth-service/signup-model': SignUp };

/** Returns, for each field of a body, the requests with a hostile text in it, as long as the limit of the body allows. */
const bodiesOf = (route: Route): readonly (readonly Sent[])[] =>
  textsOf(READ_LATER[nameOf(route)] ?? route.body ?? z.unknown()).map(({ path }) => {
    const bodyWith = (text: string) => JSON.stringify(withField(route.example ?? {}, path, text));
    const bodies = textsOfSize(bodyLimitOf(route) - Buffer.byteLength(bodyWith(''))).map(bodyWith);
    const request = { method: methodOf(route), path: pathOf(route) };
    return [{ body: first(bodies) }, ...bodies.map(packed)].map((sent) => ({ ...request, ...sent }));
  });

describe('a hostile text in a body leaves the service responsive', () => {
  const routes = allRoutes.filter(({ body }) => body !== undefined).map((route) => ({ name: nameOf(route), route }));
  it.each(routes)('$name', async ({ route }) => {
    for (const requests of bodiesOf(route)) await expectHarmless(requests, [200, 400, 401, 404]);
  });
});

// What Node.js accepts of a request line and its headers, less what the other headers need.
const LONGEST_HEAD = 12_000;
const short = Object.values(asciiShapes).map((shape) => shape(LONGEST_HEAD));

describe('a hostile text outside of a body leaves the service responsive', () => {
  const reads = allRoutes.filter(({ method, kind }) => method === 'get' && kind !== 'probe');

  it('in the queries of all routes', async () => {
    const queries = reads.flatMap((route) =>
      [...Object.keys(route.query instanceof z.ZodObject ? route.query.shape : {}), 'asOf'].flatMap((name) =>
        Object.values(hostileShapes).map((shape) => {
          const value = encodeURIComponent(shape(LONGEST_HEAD)).slice(0, LONGEST_HEAD).replace(/%.?$/, '');
          return { method: 'GET', path: `${pathOf(route)}?${name}=${value}` };
        }),
      ),
    );
    await expectHarmless(queries, [200, 400, 403, 404, 503]);
  });

  it('in the paths of all routes', async () => {
    const paths = allRoutes
      .filter(({ path }) => path.includes('{'))
      .flatMap((route) => {
        const room = LONGEST_HEAD / (route.path.split('{').length - 1) - route.path.length;
        const texts = Object.values(asciiShapes).map((shape) => encodeURIComponent(shape(room / 3)));
        return texts.map((text) => ({ method: methodOf(route), path: pathOf(route, text) }));
      });
    await expectHarmless(paths, [400, 403, 404, 415]);
  });

  it.each([
    'Accept',
    'Accept-Encoding',
    'Accept-Language',
    'app-name',
    'Authorization',
    'Consistency-Token',
    'Content-Encoding',
    'Content-Type',
    'Cookie',
    'Forwarded',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'Origin',
    'traceparent',
    'tracestate',
    'User-Agent',
    'X-Forwarded-For',
    'X-Request-Id',
  ])('in the header %s', async (name) => {
    const path = '/specialties';
    const requests = short.flatMap((text) => [
      { method: 'GET', path, more: { [name]: text } },
      { method: 'PUT', path: `${path}/${UNKNOWN_ID}`, more: { [name]: text }, body: '{}' },
    ]);
    await expectHarmless(requests, [200, 304, 400, 401, 403, 404, 412, 413, 415]);
  });
});
