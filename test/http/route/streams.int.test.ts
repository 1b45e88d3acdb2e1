// A route whose response can be a stream.
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { auditors } from '../../../src/http/access/access.js';
import { problemJson } from '../../../src/http/problems/formats.js';
import { ORIGIN_SETTINGS } from '../../../src/http/request/origins.js';
import type { HandlerServices } from '../../../src/http/route/handler.js';
import { get } from '../../../src/http/route/route.js';
import { servedRoutes } from '../../../src/http/route/routing.js';
import { entrance } from '../../../src/http/server/entrance.js';
import { listen } from '../../../src/http/server/server.js';
import { quiet } from '../../projections/support/replay.js';

it('a stream is read for GET, and not for HEAD, which has the same headers', async () => {
  let reads = 0;
  async function* texts() {
    reads += 1;
    yield 'one\n';
  }
  const route = get('/things', {
    access: { who: auditors, personal: true },
    kind: 'recorded',
    name: 'listThings',
    summary: 'Lists things',
    responses: { 200: z.unknown() },
    handle: async () => ({ body: '[]' }),
    forms: { 'application/x-ndjson': async () => ({ body: texts() }) },
  });
  const app = express().disable('x-powered-by').set(ORIGIN_SETTINGS, { publicUrl: undefined, corsOrigins: [] });
  const metrics = { responded: () => undefined, shed: () => undefined };
  app.use(
    entrance({
      log: quiet,
      metrics,
      callers: 'open',
      corsOrigins: [],
      uncompressed: [],
      problemsAt: () => problemJson,
    }),
  );
  const services = { guard: { callers: 'open' } } as HandlerServices;
  app.use(servedRoutes([{ routes: [route], prefixes: [''] }], services));
  const server = await listen(app, '127.0.0.1', 0);
  onTestFinished(() => server.close(0));

  const responseTo = async (method: string) => {
    const response = await fetch(`${server.url}/things`, { method, headers: { Accept: 'application/x-ndjson' } });
    return { type: response.headers.get('content-type'), status: response.status, body: await response.text() };
  };
  const head = { status: 200, type: 'application/x-ndjson; charset=utf-8' };
  expect(await responseTo('HEAD')).toEqual({ ...head, body: '' });
  expect(reads).toBe(0);
  expect(await responseTo('GET')).toEqual({ ...head, body: 'one\n' });
  expect(reads).toBe(1);
});
