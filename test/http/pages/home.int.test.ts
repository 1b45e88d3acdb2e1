// The page at / without the web client, for browsers and for programs, in each state of the service.
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Callers } from '../../../src/http/access/access.js';
import { type HomeOptions, homeRouter } from '../../../src/http/pages/home.js';
import { problemJson } from '../../../src/http/problems/formats.js';
import { ORIGIN_SETTINGS } from '../../../src/http/request/origins.js';
import { contextOf } from '../../../src/http/response/request-context.js';
import { entrance } from '../../../src/http/server/entrance.js';
import { listen } from '../../../src/http/server/server.js';
import { VERSION } from '../../../src/infrastructure/version.js';
import { quiet } from '../../projections/support/replay.js';
import { Client } from '../../support/client.js';

type Status = Awaited<ReturnType<HomeOptions['status']>>;

const clientOf = async (status: Status, callers: Callers): Promise<Client> => {
  const app = express().set(ORIGIN_SETTINGS, { publicUrl: undefined, corsOrigins: [] });
  const metrics = { responded: () => undefined, shed: () => undefined };
  app.use(entrance({ log: quiet, metrics, callers, corsOrigins: [], uncompressed: [], problemsAt: () => problemJson }));
  app.use((_, response, next) => {
    contextOf(response).head.set();
    next();
  });
  app.use(homeRouter({ status: async () => status, callers, webClient: undefined }));
  const server = await listen(app, '127.0.0.1', 0);
  onTestFinished(() => server.close(0));
  return new Client(() => server.url);
};

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('the page at /', () => {
  it.each<[Status, Callers, RegExp, RegExp]>([
    ['ready', 'open', /State.*: Ready\./s, /Access.*: Open\./s],
    ['degraded', 'required', /State.*: Ready, with faults\./s, /Access.*: Callers must sign in\./s],
    ['not-ready', 'required', /State.*: Not ready\./s, /Access.*: Callers must sign in\./s],
  ])('shows the state and who may call: %s, %s', async (status, callers, state, access) => {
    const response = await (await clientOf(status, callers)).get<string>('/', BROWSER);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const text = response.body.replaceAll(/<[^>]+>/g, '');
    expect(text).toContain(`Version: ${VERSION}`);
    expect(text).toMatch(state);
    expect(text).toMatch(access);
  });

  it('links to the documentation, loads no resources and runs no scripts', async () => {
    const { headers, body } = await (await clientOf('ready', 'required')).get<string>('/', BROWSER);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; img-src data:; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(body).toContain('href="/docs"');
    // An icon that is not empty, or none, is a request for it.
    expect(body).toContain('<link rel="icon" href="data:,">');
    const others = body.replace('<link rel="icon" href="data:,">', '');
    const loaded = [...others.matchAll(/<(?:script|img|link|iframe)\b|\bsrc=|https?:|style="/g)];
    expect(loaded).toEqual([]);
  });

  it('is JSON for a client that accepts JSON, and HTML for all others', async () => {
    const client = await clientOf('degraded', 'required');
    const json = await client.get('/', { Accept: 'application/json' });
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(json.body).toEqual({
      service: 'clinical-protocols',
      status: 'degraded',
      auth: 'required',
      links: { documentation: '/docs', openapi: '/openapi.json', readiness: '/readyz' },
    });
    for (const Accept of ['*/*', 'image/png']) {
      expect((await client.get('/', { Accept })).headers.get('content-type')).toMatch(/^text\/html/);
    }
    expect(json.headers.get('vary')).toMatch(/accept/i);
    expect(json.headers.get('cache-control')).toBe('no-store');
  });
});
