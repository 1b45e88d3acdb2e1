// Sends bodies made to exhaust the service to processes with a heap of 256 MB. BODIES sets their number; `npm run
// test:long` sends many.
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shapes } from '../support/body-shapes.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { nth } from '../support/items.js';
import { openSocket, readResponse, sendRaw } from '../support/raw-http.js';
import { repetitions } from '../support/repetitions.js';
import { Server } from '../support/server.js';

const BODIES = repetitions('BODIES');
const AT_ONCE = 4;
const LONGEST_RESPONSE = 100_000;
const MIB = 1_048_576;
const UNKNOWN_ID = '01a1fdd5-0000-7000-8000-000000000000';

/** Lists routes and the largest body of each in bytes. The service does not parse a larger body. */
const ANONYMOUS = [
  ['POST', '/auth-service/auth', 16_384],
  ['POST', '/auth-service/refresh-token', 16_384],
  ['POST', '/auth-service/activate', 16_384],
  ['POST', '/auth-service/signup', 65_536],
  ['POST', '/auth-service/signup-model', 65_536],
  ['POST', '/auth-service/password/reset-code', 16_384],
  ['POST', '/auth-service/password/reset', 16_384],
  ['POST', '/api/update-token', 16_384],
] as const;
const ADMINISTRATIVE = [
  ['POST', '/protocols/questionnaires', MIB],
  ['PUT', `/protocols/${UNKNOWN_ID}/questionnaire`, MIB],
  ['POST', '/users/doctor', 65_536],
  ['POST', `/institutions/${UNKNOWN_ID}/users`, 65_536],
] as const;

type Target = readonly [method: string, path: string, limit: number];

const codings = {
  identity: (bytes: Buffer) => bytes,
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: gzipSync,
};

type Coding = keyof typeof codings;

const made = new Map<string, Uint8Array>();
/** Returns the bytes of a body, and makes each body only once. */
const bytesOf = ({ shape, limit, coding }: Sent): Uint8Array => {
  const name = `${shape} of ${limit} in ${coding}`;
  const bytes = made.get(name) ?? codings[coding](Buffer.from(shapes[shape]?.(limit) ?? ''));
  made.set(name, bytes);
  return bytes;
};

interface Sent {
  readonly target: Target;
  readonly shape: string;
  readonly limit: number;
  readonly coding: Coding;
}

/** Returns every shape for every target in every coding, at the limit of the target and at 1 MiB. */
const bodiesFor = (targets: readonly Target[]): readonly Sent[] =>
  Object.keys(shapes).flatMap((shape) =>
    targets.flatMap((target) =>
      [...new Set([target[2], MIB])].flatMap((limit) =>
        (Object.keys(codings) as Coding[]).map((coding) => ({ target, shape, limit, coding })),
      ),
    ),
  );

const serverWith = (environment: Readonly<Record<string, string>>) => {
  const limited = { NODE_OPTIONS: '--max-old-space-size=256', RATE_LIMITS: 'off', ...environment };
  const server = new Server(temporaryDirectory(), limited);
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
};

// A prime stride makes a short run cover every shape, too, and never sends many bodies in a row to one target.
const STRIDE = 7_919;

/** Sends `count` bodies, a few at a time. Returns a line for each wrong response. */
const sendAll = async (server: Server, targets: readonly Target[], count: number): Promise<readonly string[]> => {
  const bodies = bodiesFor(targets);
  const faults: string[] = [];
  let turn = 0;
  const sendSome = async () => {
    while (turn < count) {
      turn += 1;
      faults.push(...(await faultsOf(server, nth(bodies, (turn * STRIDE) % bodies.length))));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendSome));
  return faults;
};

const faultsOf = async (server: Server, sent: Sent): Promise<readonly string[]> => {
  const { target, shape, limit, coding } = sent;
  const [method, path] = target;
  const headers = { 'Content-Encoding': coding };
  const { status, body } = await server.send(method, path, { bytes: bytesOf(sent), headers });
  const length = Buffer.byteLength(JSON.stringify(body));
  const { errors = [] } = body as { errors?: readonly unknown[] };
  // A dry run accepts any body.
  const isExpected = (status >= 400 && status < 500) || (status === 200 && path === '/auth-service/signup-model');
  if (isExpected && errors.length <= 100 && length < LONGEST_RESPONSE) return [];
  return [`${method} ${path}, ${shape} of ${limit} in ${coding}: ${status}, ${length} bytes`];
};

describe(`a process with a heap of 256 MB that is sent ${BODIES} bodies made to exhaust it`, () => {
  const guarded = serverWith({ AUTH: 'required' });
  const open = serverWith({});

  it.concurrent.each([
    ['by anonymous callers of a guarded service', guarded, ANONYMOUS, Math.ceil(BODIES * 0.75)],
    ['by any caller of an open service', open, ADMINISTRATIVE, Math.floor(BODIES * 0.25)],
  ])(
    'refuses each with a short response and continues: %s',
    async (_, server, targets, count) => {
      const { pid } = server;
      expect(await sendAll(server, targets, count)).toEqual([]);
      expect([server.pid, (await server.get('/livez')).status]).toEqual([pid, 200]);
      expect(server.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    },
    60_000 + BODIES * 500,
  );
});

describe('a process with a heap of 256 MB', () => {
  const server = serverWith({ TRUSTED_PROXIES: 'loopback' });
  const head = (from: string, framing: string) =>
    `POST /institutions HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${from}\r\nContent-Type: application/json\r\nConnection: close\r\n${framing}\r\n\r\n`;

  // Stored as they arrive, these bodies would take 100 times their length. Only the long run has enough of them to
  // exhaust the heap.
  const inChunks = Math.min(12, Math.ceil(BODIES / 250));
  it(`refuses ${inChunks} bodies in chunks of one byte`, async () => {
    const content = JSON.stringify({ name: 'In chunks', padding: 'x'.repeat(MIB / 4) });
    const chunks = [...content].map((byte) => `1\r\n${byte}\r\n`).join('');
    const request = `${head('203.0.113.1', 'Transfer-Encoding: chunked')}${chunks}0\r\n\r\n`;
    const responses = await Promise.all(Array.from({ length: inChunks }, () => sendRaw(server.url, request)));
    expect(responses.map(({ status }) => status)).toEqual(Array(inChunks).fill(413));
    expect((await server.get('/livez')).status).toBe(200);
  });

  it('limits the unfinished bodies of an address and continues to read the bodies of other addresses', async () => {
    const size = 512 * 1_024;
    const unfinished = `${head('203.0.113.2', `Content-Length: ${size}`)}${' '.repeat(size - 1)}`;
    const sockets = await Promise.all(Array.from({ length: 100 }, () => openSocket(server.url)));
    const responses: number[] = [];
    for (const socket of sockets) {
      void readResponse(socket).then(({ status }) => responses.push(status));
      socket.write(unfinished);
    }
    // An address may have 16 MiB of unfinished bodies, which is 32 of these.
    await eventually(() => expect(responses.length).toBeGreaterThanOrEqual(68));
    expect(new Set(responses)).toEqual(new Set([429]));
    const body = '{"name":"ServiceStores them"}';
    const ofOther = await sendRaw(server.url, `${head('203.0.113.3', `Content-Length: ${body.length}`)}${body}`);
    expect(ofOther.status).toBe(201);
    for (const socket of sockets) socket.destroy();
    const again = () => sendRaw(server.url, `${head('203.0.113.2', `Content-Length: ${body.length}`)}${body}`);
    await eventually(async () => expect((await again()).status).toBe(201));
  });
});
