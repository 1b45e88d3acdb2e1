// What the headers of a body may say: a body of zero bytes is no body, and the names of UTF-8 and gzip.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { allRoutes } from '../../scripts/routes-doc.js';
import { acceptsNothing } from '../../src/http/route/requests.js';
import { first } from '../support/items.js';
import { openSocket, readResponse, sendRaw } from '../support/raw-http.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, faultsOf } from './support/refusals.js';
import { createDoctor, successful, UNKNOWN_ID } from './support/samples.js';

const server = sharedService();
const CHUNKED = 'Transfer-Encoding: chunked';
const NO_CHUNKS = '0\r\n\r\n';

const headOf = (method: string, path: string, fields: readonly string[]) =>
  `${[`${method.toUpperCase()} ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...fields].join('\r\n')}\r\n\r\n`;
const outcomeOf = async (method: string, path: string, fields: readonly string[], content = '') => {
  const { status, body } = await sendRaw(server.url, `${headOf(method, path, fields)}${content}`);
  const document = body.startsWith('{') ? (JSON.parse(body) as { code?: string }) : {};
  return [status, document.code, ...faultsOf({ status, headers: new Headers(), body: document })];
};

const withBody = allRoutes.flatMap(({ method, path, body }) =>
  body === undefined ? [] : [[method, path.replaceAll(/\{\w+\}/g, UNKNOWN_ID), acceptsNothing(body)] as const],
);
const emptyBodies = [
  ['in no chunks', [CHUNKED], NO_CHUNKS],
  ['in no chunks as JSON', [CHUNKED, 'Content-Type: application/json'], NO_CHUNKS],
  ['in no chunks as another type', [CHUNKED, 'Content-Type: image/png'], NO_CHUNKS],
  ['in no chunks as gzip', [CHUNKED, 'Content-Type: application/json', 'Content-Encoding: gzip'], NO_CHUNKS],
  ['in no chunks in an unknown coding', [CHUNKED, 'Content-Encoding: zstd'], NO_CHUNKS],
  ['of length 0 as another type', ['Content-Length: 0', 'Content-Type: text/plain'], ''],
  ['of length 0 in an unknown coding', ['Content-Length: 0', 'Content-Encoding: zstd'], ''],
] as const;

describe('a body of zero bytes is no body', () => {
  it.each(withBody)('%s %s, which may be sent without a body: %s', async (method, path, isOptional) => {
    const none = await outcomeOf(method, path, []);
    // Some routes need a sign-in in open mode, too.
    if (!isOptional && none[0] !== 401) expect(none).toEqual([400, 'fields-refused', ' required']);
    for (const [name, fields, content] of emptyBodies) {
      expect([name, ...(await outcomeOf(method, path, fields, content))]).toEqual([name, ...none]);
    }
  });

  it('even if it is packed, or its last chunk comes late', async () => {
    const { id, profiles } = await createDoctor(server);
    const path = `/users/${id}/profiles/${first(profiles).id}/reject`;
    const headers = { 'Content-Encoding': 'gzip' };
    expect(successful(await server.send('PATCH', path, { bytes: gzipSync(''), headers })).status).toBe(200);
    const socket = await openSocket(server.url);
    socket.write(headOf('PATCH', path, [CHUNKED]));
    const response = readResponse(socket);
    await server.get('/livez');
    socket.write(NO_CHUNKS);
    expect((await response).status).toBe(200);
  });
});

describe('a body of at least one byte', () => {
  it.each([
    ['no type', []],
    ['another type', ['Content-Type: text/plain']],
    ['another type and an unknown coding', ['Content-Type: text/plain', 'Content-Encoding: zstd']],
    ['another type, and is said to be gzip', ['Content-Type: text/plain', 'Content-Encoding: gzip']],
  ])('that has %s is 415 before the rest of it arrives', async (_, fields) => {
    const socket = await openSocket(server.url);
    socket.write(`${headOf('POST', '/institutions', [CHUNKED, ...fields])}1\r\n{\r\n`);
    socket.once('data', () => socket.end());
    const { status, body } = await readResponse(socket);
    expect([status, JSON.parse(body).code]).toEqual([415, 'unsupported-media-type']);
  });

  it('that is too large and of another type is 415', async () => {
    const fields = ['Content-Type: text/plain', `Content-Length: ${10 * 1_048_576}`];
    expect(await outcomeOf('post', '/institutions', fields)).toEqual([415, 'unsupported-media-type']);
  });
});

describe('the headers of a body', () => {
  const send = (bytes: string | Uint8Array, headers: Readonly<Record<string, string>>) =>
    server.send('POST', '/institutions', { bytes, headers });

  it.each(['utf8', 'UTF8', '"Utf-8"', 'unicode-1-1-utf-8', 'x-unicode20utf8', 'unicode11utf8', '" utf8 "'])(
    'may call UTF-8 %s (the Encoding standard, 4.2)',
    async (charset) => {
      const response = await send('{"name":"São João"}', { 'Content-Type': `application/json; charset=${charset}` });
      expect(successful(response).body).toMatchObject({ name: 'São João' });
    },
  );

  it.each(['us-ascii', 'ascii', 'latin1', 'windows-1252', 'utf-16', 'utf-16le', 'utf', 'utf-88', '""'])(
    'may not name another encoding: %s',
    async (charset) => {
      const response = await send('{"name":"A"}', { 'Content-Type': `application/json; charset=${charset}` });
      expectProblem(response, 415, 'unsupported-media-type');
    },
  );

  it.each(['x-gzip', 'X-GZIP', 'GZip', 'gzip'])('may call gzip %s', async (coding) => {
    const response = await send(gzipSync('{"name":"Packed"}'), { 'Content-Encoding': coding });
    expect(successful(response).body).toMatchObject({ name: 'Packed' });
  });

  it.each(['x-deflate', 'x-br', 'zstd', 'compress', 'gzip, gzip'])(
    'may not name another coding: %s',
    async (coding) => {
      const response = await send(gzipSync('{"name":"Packed"}'), { 'Content-Encoding': coding });
      expectProblem(response, 415, 'unsupported-media-type');
    },
  );
});
