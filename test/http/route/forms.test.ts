// A route whose response has several forms: JSON, a text made from the same value, and a stream.
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { unidentified } from '../../../src/http/access/access.js';
import { Read } from '../../../src/http/route/documents.js';
import { get } from '../../../src/http/route/route.js';
import { serve } from '../support/served-routes.js';

const FHIR = 'application/fhir+json';
const LINES = 'application/x-ndjson';
const stored = '{ "name": "Pain" }';

let url: string;
let reads = 0;
async function* texts() {
  reads += 1;
  yield 'one\n';
}

beforeAll(async () => {
  const read = async () => new Read<{ name: string }>(stored, 3);
  const route = get('/thing', {
    access: { who: unidentified, personal: false },
    name: 'getThing',
    summary: 'Reads a thing',
    responses: { 200: z.unknown() },
    handle: read,
    forms: {
      [FHIR]: async () => {
        const found = await read();
        return { ...found, body: JSON.stringify({ title: found.value.name }) };
      },
      [LINES]: async () => ({ body: texts() }),
    },
  });
  const server = await serve({ routes: [route] });
  url = server.url;
  return server.close;
});

const ask = async (headers: Readonly<Record<string, string>>, method = 'GET') => {
  const response = await fetch(`${url}/thing`, { method, headers });
  const header = (name: string) => response.headers.get(name);
  const { status } = response;
  return {
    status,
    type: header('content-type'),
    vary: header('vary'),
    etag: header('etag'),
    body: await response.text(),
  };
};
const VARY = 'Accept-Encoding, Accept';

it.each(['application/json', '*/*', 'text/html'])('is the stored JSON, unparsed, for Accept: %s', async (accept) => {
  const type = 'application/json; charset=utf-8';
  expect(await ask({ Accept: accept })).toEqual({ status: 200, type, vary: VARY, etag: '"3"', body: stored });
});

it('has the form that the client prefers, with the revision of what was read', async () => {
  const type = `${FHIR}; charset=utf-8`;
  const expected = { status: 200, type, vary: VARY, etag: '"3"', body: '{"title":"Pain"}' };
  expect(await ask({ Accept: `application/json;q=0.5, ${FHIR}; fhirVersion=4.0` })).toEqual(expected);
});

it.each(['application/json', FHIR])('is 304 with Vary if nothing has changed: %s', async (accept) => {
  expect(await ask({ Accept: accept, 'If-None-Match': '"3"' })).toMatchObject({ status: 304, vary: VARY, body: '' });
});

it('a stream is read for GET, and not for HEAD, which has the same headers', async () => {
  const head = { status: 200, type: `${LINES}; charset=utf-8`, vary: VARY, etag: null };
  expect(await ask({ Accept: LINES }, 'HEAD')).toEqual({ ...head, body: '' });
  expect(reads).toBe(0);
  expect(await ask({ Accept: LINES })).toEqual({ ...head, body: 'one\n' });
  expect(reads).toBe(1);
});
