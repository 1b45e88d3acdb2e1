// However much work arrives at once, a health check has its turn, and so have others.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectTurns } from '../support/event-loop.js';
import { numbers } from '../support/items.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';
import { newAdministrator } from './support/callers.js';
import { createInstitution, createQuestionnaire } from './support/samples.js';

const COUNT = 250;
const server = embeddedServiceOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
let sender: ChildProcess;
let authorization: Readonly<Record<string, string>>;
beforeAll(async () => {
  sender = fork(new URL('../support/sender.mjs', import.meta.url));
  ({ authorization } = await newAdministrator(server));
  server.headers = authorization;
});
afterAll(() => sender.disconnect());

interface Burst {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | readonly string[] | undefined;
}

/** Sends a request many times at once from another process. Returns how often each status came. */
const burst = async ({ method = 'POST', path, headers, body }: Burst, count = COUNT) => {
  const sent = typeof body === 'string' || body instanceof Uint8Array ? Buffer.from(body).toString('base64') : body;
  const more = { 'Content-Type': 'application/json', ...authorization, ...headers };
  sender.send({ count, probe: `${server.url}/livez`, url: server.url + path, method, headers: more, body: sent });
  const [statuses] = await once(sender, 'message');
  return statuses as Readonly<Record<string, number>>;
};

const named = (text: string) => numbers(1, 50).map((n) => ({ description: text + n }));
const signUp = (profiles: readonly object[]) => JSON.stringify({ profiles });
const many = (item: string, bytes: number) =>
  Array(Math.floor(bytes / (item.length + 1)))
    .fill(item)
    .join(',');
const question = (n: number) => ({
  questionText: `Question ${n}`,
  responseType: 'SELECT' as const,
  options: numbers(1, 200).map((option) => ({ optionText: `${option}`, score: option * 1.234567890123456e-300 })),
});

const MODEL = '/auth-service/signup-model';
const ANALYSIS = '/protocols/questionnaires/analysis';
const bursts: Readonly<Record<string, Burst>> = {
  'names that grow when they are compared': {
    path: MODEL,
    body: signUp([{ specialties: named('\ufdfa'.repeat(190)) }, { specialties: named('\u3316'.repeat(190)) }]),
  },
  'the same, compressed': {
    path: MODEL,
    headers: { 'Content-Encoding': 'br' },
    body: brotliCompressSync(signUp([{ specialties: named('\u33c7\ufdfb'.repeat(90)) }])),
  },
  'profiles with many faults': {
    path: MODEL,
    body: signUp(numbers(1, 20).map(() => ({ specialties: Array(50).fill({}) }))),
  },
  'a long number among many short ones': { path: MODEL, body: `{"a":[1234567890123456789,${many('1', 60_000)}]}` },
  'many long numbers': { path: MODEL, body: `{"a":[${many('9007199254740993.0', 60_000)}]}` },
  'many numbers with exponents': { path: '/auth-service/auth', body: `{"a":[${many('1e-300', 15_000)}]}` },
  'a filter that grows when it is compared': {
    method: 'GET',
    path: `/specialties?name=${encodeURIComponent('\ufdfa'.repeat(499))}`,
  },
  'a number with many zeros, compressed': {
    path: MODEL,
    headers: { 'Content-Encoding': 'br' },
    body: brotliCompressSync(`{"a":1.${'0'.repeat(64_000)}1}`),
  },
  'a long list of accepted types': { method: 'GET', path: '/', headers: { Accept: 'a/b,'.repeat(3_000) } },
  'a long list of accepted codings': {
    method: 'GET',
    path: '/openapi.json',
    headers: { 'Accept-Encoding': ';,'.repeat(6_000) },
  },
  'a body in many chunks': { path: '/auth-service/auth', body: ['{"a":"', ...Array(300).fill('x'), '"}'] },
  'forms to analyse, compressed': {
    path: ANALYSIS,
    headers: { 'Content-Encoding': 'br' },
    body: brotliCompressSync(JSON.stringify({ questions: numbers(1, 60).map(question), scoreRanges: [] })),
  },
  'documents that are no documents, compressed': {
    path: '/users/validation/docs',
    headers: { 'Content-Encoding': 'gzip' },
    body: Buffer.from(
      await new Response(
        new Blob([`{"document":[${many('{}', 16_000)}]}`]).stream().pipeThrough(new CompressionStream('gzip')),
      ).arrayBuffer(),
    ),
  },
};

describe('250 requests at once keep no health check waiting', () => {
  it.each(Object.entries(bursts))('%s', async (_, request) => {
    await burst(request, 1);
    await expectTurns(() => burst(request), { service: server });
  });

  it('of a large form, of its scores and of its past', async () => {
    const questions = numbers(1, 100).map((n) => ({
      ...question(n),
      options: numbers(1, 25).map((o) => ({ optionText: 'x'.repeat(100), score: o })),
    }));
    const { id: institutionId } = await createInstitution(server);
    const { protocol, form } = await createQuestionnaire(server, institutionId, { questions, scoreRanges: [] });
    const ofForm = `/protocols/${protocol.id}/forms/${form.id}`;
    const all: readonly Burst[] = [
      { method: 'GET', path: `/protocols/${protocol.id}/questionnaire` },
      { method: 'GET', path: `${ofForm}?asOf=2100-01-01T00:00:00Z` },
      { method: 'GET', path: `${ofForm}/analysis` },
      { path: `${ofForm}/score`, body: '{"answers":[]}' },
    ];
    for (const request of all) {
      await burst(request, 1);
      await expectTurns(() => burst(request), { service: server });
    }
  });
});

it('a request that would wait for more than a second of work is refused, and others are served', async () => {
  const slow: Burst = {
    path: ANALYSIS,
    body: JSON.stringify({ questions: numbers(1, 90).map(question), scoreRanges: [] }),
  };
  for (let times = 0; times < 10; times += 1) await burst(slow, 1);
  const statuses = await burst(slow);
  expect(statuses['503']).toBeGreaterThan(0);
  expect((await server.get('/specialties')).status).toBe(200);
});

it('a body in more chunks than its bytes justify is refused, and a slow body in many chunks is not', async () => {
  const tiny: Burst = { path: MODEL, body: ['{"a":"', ...Array(400).fill('x'), '"}'] };
  const enough: Burst = { path: MODEL, body: ['{"a":"', ...Array(400).fill('x'.repeat(40)), '"}'] };
  expect([await burst(tiny, 1), await burst(enough, 1)]).toEqual([{ 413: 1 }, { 200: 1 }]);
});
