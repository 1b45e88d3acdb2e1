// The formats of a body: JSON in UTF-8, plain or compressed, of at most 1 MiB uncompressed.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, faultsOf } from './support/refusals.js';
import type { Institution } from './support/samples.js';

const server = sharedService();
const MIB = 1_048_576;

const send = (bytes: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  server.send<Institution>('POST', '/institutions', { bytes, headers });
const refused = (...sent: Parameters<typeof send>) => expectNothingStored(server, () => send(...sent));
/** Returns a valid body of exactly this many bytes. */
const ofBytes = (count: number) => {
  const empty = '{"name":"Padded","padding":""}';
  return empty.replace('""', `"${'x'.repeat(count - empty.length)}"`);
};

describe('a body that is not JSON', () => {
  it.each(['{', '{"name":"A",}', "{'name':'A'}", '{"name":NaN}', 'name=A', '{"name":"A"}{}', '{"name":"\u0001"}', ' '])(
    'is 400: %s',
    async (text) => {
      const response = await refused(text);
      expectProblem(response, 400, 'malformed-json');
      expect(faultsOf(response)).toEqual([' malformed-json']);
    },
  );

  it.each([
    ['an invalid byte', [0xff]],
    ['a truncated character', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a code point above the maximum', [0xf4, 0x90, 0x80, 0x80]],
  ])('because its UTF-8 has %s is 400', async (_, bytes) => {
    const body = Buffer.concat([Buffer.from('{"name":"A'), Buffer.from(bytes), Buffer.from('"}')]);
    expectProblem(await refused(body), 400, 'malformed-json');
  });

  it('in UTF-8 but in UTF-16 is 400', async () => {
    expectProblem(await refused(Buffer.from('{"name":"A"}', 'utf16le')), 400, 'malformed-json');
  });
});

describe('a repeated key', () => {
  it.each(['{"name":"A","name":"B"}', '{"name":"A","n\\u0061me":"B"}'])('has its last value: %s', async (text) => {
    const { status, body } = await send(text);
    expect([status, body]).toMatchObject([201, { name: 'B' }]);
  });
});

describe('the content type', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;Charset="UTF-8"',
    'application/json; profile=x',
  ])('may be %s', async (type) => {
    expect((await send('{"name":"A"}', { 'Content-Type': type })).status).toBe(201);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/problem+json',
    'application/jsonx',
    'text/json',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    '*/*',
    '',
  ])('may not be %s: 415', async (type) => {
    expectProblem(await refused('{"name":"A"}', { 'Content-Type': type }), 415, 'unsupported-media-type');
  });

  it('is required with a body: 415', async () => {
    const bytes = new TextEncoder().encode('{"name":"A"}');
    const response = await fetch(`${server.url}/institutions`, { method: 'POST', body: bytes });
    expect(response.status).toBe(415);
  });
});

describe('the size of a body', () => {
  it('may be 1 MiB', async () => {
    expect((await send(ofBytes(MIB))).status).toBe(201);
  });

  it.each([MIB + 1, 2 * MIB])('may not be %d bytes: 413', async (count) => {
    expectProblem(await refused(ofBytes(count)), 413, 'too-large');
  });

  it('is also limited if the request has no Content-Length', async () => {
    const stream = new Blob([ofBytes(2 * MIB)]).stream();
    const init = { method: 'POST', body: stream, duplex: 'half', headers: { 'Content-Type': 'application/json' } };
    const response = await fetch(`${server.url}/institutions`, init as RequestInit);
    expect(response.status).toBe(413);
  });
});

describe('a compressed body', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['GZIP', gzipSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('is accepted as %s', async (encoding, compress) => {
    const { status, body } = await send(compress(Buffer.from('{"name":"Ärzte"}')), { 'Content-Encoding': encoding });
    expect([status, body.name]).toEqual([201, 'Ärzte']);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('may be 1 MiB uncompressed as %s; a larger one is 413', async (encoding, compress) => {
    const headers = { 'Content-Encoding': encoding };
    expect((await send(compress(Buffer.from(ofBytes(MIB))), headers)).status).toBe(201);
    const bomb = compress(Buffer.from(ofBytes(64 * MIB)));
    expect(bomb.length).toBeLessThan(MIB);
    for (const bytes of [compress(Buffer.from(ofBytes(MIB + 1))), bomb]) {
      expectProblem(await refused(bytes, headers), 413, 'too-large');
    }
  });

  it.each(['compress', 'zstd', 'gzip, gzip', 'x'])('is 415 as %s', async (encoding) => {
    const response = await refused(gzipSync('{"name":"A"}'), { 'Content-Encoding': encoding });
    expectProblem(response, 415, 'unsupported-media-type');
    expect(response.headers.get('accept-encoding')).toBe('gzip, deflate, br');
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('that is not valid %s or is truncated is 400', async (encoding, compress) => {
    for (const bytes of [Buffer.from('{"name":"A"}'), compress(ofBytes(5_000)).subarray(0, -5)]) {
      expectProblem(await refused(bytes, { 'Content-Encoding': encoding }), 400, 'malformed-request');
    }
  });
});
