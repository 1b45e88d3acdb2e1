// A request for work that few of a caller may wait for has a place before its body is read.
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { Problem } from '../../../src/http/problems/problems.js';
import { BodyReader } from '../../../src/http/request/bodies.js';
import { post } from '../../../src/http/route/route.js';
import { serve } from '../support/served-routes.js';

/** The callers who have a place. */
const entered: string[] = [];
const read: number[] = [];

const route = post('/analysed', {
  access: { who: { token: 'optional', allowed: [] }, personal: false },
  name: 'analyse',
  summary: 'Analyses',
  kind: 'calculation',
  body: z.object({ name: z.string() }),
  responses: { 200: z.unknown() },
  enter: ({ caller, query }) => {
    if (query['strict'] === 'true') throw new Problem('analysis-busy');
    entered.push(caller);
    return () => entered.pop();
  },
  handle: async () => ({ body: JSON.stringify(entered) }),
});

let url: string;
beforeAll(async () => {
  const bodies = new BodyReader({ pause: () => undefined, resume: () => undefined });
  const limits = { ofUser: async () => undefined, ofBytes: async (bytes: number) => void read.push(bytes) };
  const services = { bodies, limits: limits as never, opaque: async () => ({}) as never };
  const server = await serve({ routes: [route] }, services);
  url = server.url;
  return server.close;
});

const send = async (path: string, body: string) => {
  const response = await fetch(url + path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  return { status: response.status, body: (await response.json()) as { readonly code?: string } };
};

it('is refused without one before its body is read', async () => {
  const { status, body } = await send('/analysed?strict=true', 'no JSON');
  expect([status, body.code, read]).toEqual([429, 'analysis-busy', []]);
});

it.each([
  ['its handler begins', '{"name":"x"}', 200],
  ['its body is refused', '{}', 400],
  ['its body cannot be read', 'no JSON', 400],
])('gives it back when %s', async (_, sent, status) => {
  const response = await send('/analysed', sent);
  expect(response.status).toBe(status);
  if (status === 200) expect(response.body).toEqual([]);
  expect(entered).toEqual([]);
});
