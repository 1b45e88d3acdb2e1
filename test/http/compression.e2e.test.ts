// Compression of responses: codings, validators, and what is never compressed.
import { get, type IncomingHttpHeaders } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { createInstitution, createQuestionnaire, numbered, question, successful } from './support/samples.js';
import { newUser, PASSWORD, signedInUser } from './support/signing-in.js';

const server = sharedService();
let institutionId: string;
let large: string;
let protocol: string;
beforeAll(async () => {
  ({ id: institutionId } = await createInstitution(server));
  const made = await createQuestionnaire(server, institutionId, { questions: numbered(20, question) });
  protocol = `/protocols/${made.protocol.id}`;
  large = `${protocol}/forms/${made.form.id}`;
});

const ask = (path: string, coding: string, headers: Readonly<Record<string, string>> = {}) =>
  server.get(path, { 'Accept-Encoding': coding, ...headers });
const codingOf = ({ headers }: { readonly headers: Headers }) => headers.get('content-encoding');
const varies = ({ headers }: { readonly headers: Headers }) => (headers.get('vary') ?? '').toLowerCase().split(/, */);

describe('JSON above 1 KiB', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
    ['zstd', null],
    ['br;q=0.3, gzip;q=0.8', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['*;q=0.5, br;q=0.2', 'gzip'],
    ['GZIP ; Q=1, br;q=0.999', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br;q=0.2, identity;q=0.7', null],
    ['identity;q=0, br;q=0.1, gzip;q=0.2', 'gzip'],
    ['*;q=0', null],
    ['gzip;q=0, *', 'br'],
    ['br;q=high', null],
  ])('for a client that accepts %s has the coding %s', async (accepted, coding) => {
    const plain = successful(await ask(large, 'identity'));
    const response = successful(await ask(large, accepted));
    expect([codingOf(response), response.body]).toEqual([coding, plain.body]);
    expect(response.headers.get('etag')).toBe('"1"');
    // A whole body has a length, so no encoder waits for the client.
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
    expect(varies(response)).toContain('accept-encoding');
  });

  it('is not compressed for a client without Accept-Encoding', async () => {
    const { headers, bytes } = await bare(large);
    expect([headers['content-encoding'], Number(headers['content-length'])]).toEqual([undefined, bytes]);
    expect(headers.vary).toMatch(/accept-encoding/i);
  });

  it('is compressed in the responses to writes, in lists and in problems', async () => {
    const name = 'N'.repeat(500);
    const prompt = 'P'.repeat(2_000);
    const gzip = { 'Accept-Encoding': 'gzip' };
    const responses = [
      await server.put(protocol, { name, prompt }, gzip),
      await server.get('/protocols?limit=200', gzip),
      await server.post('/protocols/questionnaires', { questions: numbered(30, () => ({})) }, gzip),
    ];
    expect(responses.map((response) => [response.status, codingOf(response)])).toEqual([
      [200, 'gzip'],
      [200, 'gzip'],
      [400, 'gzip'],
    ]);
  });
});

describe('a response is not compressed', () => {
  it('if it carries tokens', async () => {
    const gzip = { 'Accept-Encoding': 'gzip, br' };
    const { email } = await newUser(server);
    const credentials = { email, password: PASSWORD };
    const { token, refreshToken } = await signedInUser(server);
    const responses = [
      await server.post('/auth-service/auth', credentials, gzip),
      await server.post('/api/update-token', { data: { token, refresh_token: refreshToken } }, gzip),
      await server.post('/auth-service/refresh-token', { refresh_token: refreshToken }, gzip),
      await server.post('/auth-service/signup-model', {}, gzip),
    ];
    for (const response of responses) {
      expect([successful(response).status, codingOf(response)]).toEqual([200, null]);
      expect(varies(response)).not.toContain('accept-encoding');
    }
  });
});

describe('the documentation', () => {
  it.each(['swagger-ui-bundle.js', 'swagger-ui.css'])('is compressed and cached by browsers: %s', async (file) => {
    const response = successful(await ask(`/docs/${file}`, 'br'));
    expect(codingOf(response)).toBe('br');
    expect(response.headers.get('cache-control')).toMatch(/^public, max-age=[1-9]\d{3,}/);
    const etag = response.headers.get('etag') ?? '';
    const plain = await bare(`/docs/${file}`);
    expect([plain.headers.etag, plain.bytes]).toEqual([etag, Buffer.byteLength(String(response.body))]);
    expect(await bare(`/docs/${file}`, { 'If-None-Match': etag })).toMatchObject({ status: 304, bytes: 0 });
  });

  it('has an OpenAPI document that clients revalidate by its ETag', async () => {
    const response = successful(await ask('/openapi.json', 'br'));
    const [etag = '', cacheControl] = ['etag', 'cache-control'].map((name) => response.headers.get(name) ?? '');
    expect([codingOf(response), cacheControl]).toEqual(['br', 'no-cache']);
    expect(etag).toMatch(/^"[\w-]{16,}"$/);
    for (const coding of ['br', 'identity']) {
      const again = await ask('/openapi.json', coding, { 'If-None-Match': etag });
      expect([again.status, again.headers.get('etag'), again.body]).toEqual([304, etag, '']);
    }
    expect((await ask('/openapi.json', 'br', { 'If-None-Match': '"x"' })).status).toBe(200);
  });
});

/** Sends a GET without the headers that `fetch` adds. */
const bare = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<{ readonly status: number | undefined; readonly headers: IncomingHttpHeaders; readonly bytes: number }>(
    (resolve, reject) => {
      get(`${server.url}${path}`, { headers }, (response) => {
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.length;
        });
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, bytes }));
      }).on('error', reject);
    },
  );
