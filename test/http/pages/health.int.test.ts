// GET /readyz while a store is unavailable or silent: who sees the reason, and what is shown.
import express from 'express';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Callers } from '../../../src/http/access/access.js';
import { type HealthOptions, healthOf } from '../../../src/http/pages/health.js';
import { problemJson } from '../../../src/http/problems/formats.js';
import { ORIGIN_SETTINGS } from '../../../src/http/request/origins.js';
import type { HandlerServices } from '../../../src/http/route/handler.js';
import { servedRoutes } from '../../../src/http/route/routing.js';
import { entrance } from '../../../src/http/server/entrance.js';
import { listen } from '../../../src/http/server/server.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { allProjections } from '../../../src/projections/all.js';
import { quiet } from '../../projections/support/replay.js';
import { Client } from '../../support/client.js';

const ADDRESS = '10.0.3.4:27017';

const bearerNamed = async (token: string) => ({ userId: 'one', roles: token === 'admin' ? ['ADMINISTRATOR'] : [] });

/** Serves the pages of a process that cannot reach its read models; `more` replaces its parts. */
const serviceFor = async (callers: Callers, more: object = {}, bearerOf = bearerNamed) => {
  const logged: string[] = [];
  const checkpoints = () => Promise.reject(new StoreUnavailable('the read models', `connect ECONNREFUSED ${ADDRESS}`));
  const options = {
    facts: { head: async () => undefined },
    views: { checkpoints },
    isStarting: () => false,
    isStopping: () => false,
    log: pino({}, { write: (line: string) => void logged.push(line) }),
    ...more,
  } as unknown as HealthOptions;
  const app = express().set(ORIGIN_SETTINGS, { publicUrl: undefined, corsOrigins: [] });
  const metrics = { responded: () => undefined, shed: () => undefined };
  app.use(entrance({ log: quiet, metrics, callers, corsOrigins: [], uncompressed: [], problemsAt: () => problemJson }));
  const services = { guard: { callers, bearerOf } } as unknown as HandlerServices;
  app.use(servedRoutes([{ routes: healthOf(options).probes, prefixes: [''] }], services));
  const server = await listen(app, '127.0.0.1', 0);
  onTestFinished(() => server.close(0));
  return { client: new Client(() => server.url), logged };
};

describe('/readyz while a store is unavailable', () => {
  it.each<{ who: string; callers: Callers; token?: string; seesReason: boolean }>([
    { who: 'a caller without a token', callers: 'required', seesReason: false },
    { who: 'a user', callers: 'required', token: 'user', seesReason: false },
    { who: 'an administrator', callers: 'required', token: 'admin', seesReason: true },
    { who: 'everybody in an open service', callers: 'open', seesReason: true },
  ])('names the store, and the reason only to those who may see it: $who', async ({ callers, token, seesReason }) => {
    const { client } = await serviceFor(callers);
    const { status, body } = await client.get(
      '/readyz',
      token === undefined ? {} : { Authorization: `Bearer ${token}` },
    );
    expect([status, body]).toMatchObject([
      503,
      { status: 'not-ready', reason: expect.stringContaining('the read models') },
    ]);
    expect(JSON.stringify(body).includes(ADDRESS)).toBe(seesReason);
  });

  it('responds while the process stops as the example of the document says', async () => {
    const { client } = await serviceFor('open', { isStopping: () => true });
    const route = healthOf({} as HealthOptions).probes.find(({ path }) => path === '/readyz');
    const [example] = (route?.responses[503]?.meta()?.['examples'] as readonly unknown[] | undefined) ?? [];
    expect(await client.get('/readyz')).toMatchObject({ status: 503, body: example });
  });

  it('names a store that takes no writes first, because that also keeps read models behind', async () => {
    const fault = { code: 'views-unwritable', detail: 'The store of the read models refused the last write.' };
    const { client } = await serviceFor('open', {
      views: { checkpoints: async () => [] },
      faults: [async () => [{ code: 'clock-behind', detail: 'A clock was ahead.' }, fault]],
    });
    const { status, body } = await client.get('/readyz');
    expect([status, body]).toMatchObject([503, { status: 'not-ready', reason: fault.detail }]);
  });

  it('logs the reason once', async () => {
    const { client, logged } = await serviceFor('required');
    for (const _ of [1, 2]) await client.get('/readyz');
    expect(logged).toEqual([expect.stringContaining(ADDRESS)]);
  });
});

describe('/readyz and /metrics while a store is silent', () => {
  const silent = () => new Promise<never>(() => {});
  const live = allProjections.map(({ name }) => ({ projection: name, state: 'live', position: '1' }));
  const metrics = { contentType: 'text/plain', text: async () => 'the metrics' };
  const fault = { code: 'of-another-source', detail: 'Wait.' };

  it('show what the other stores respond', async () => {
    const views = { checkpoints: async () => live };
    const { client } = await serviceFor('open', { views, metrics, faults: [silent, async () => [fault], silent] });
    const { status, body } = await client.get('/readyz');
    expect([status, body]).toMatchObject([200, { status: 'degraded', faults: [fault] }]);
    expect(await client.get('/metrics')).toMatchObject({ status: 200, body: 'the metrics' });
  });

  it('show the last known state, and are not ready before the first', async () => {
    const responses = [async () => live];
    const views = { checkpoints: () => (responses.shift() ?? silent)() };
    const { client } = await serviceFor('open', { views, metrics });
    for (const _ of [1, 2]) {
      expect(await client.get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
    }
    expect(await client.get('/metrics')).toMatchObject({ status: 200 });
    const { client: other } = await serviceFor('open', { views, metrics });
    expect(await other.get('/readyz')).toMatchObject({ status: 503, body: { status: 'not-ready' } });
  });

  it('name the store that is unavailable, not one that was unavailable before', async () => {
    const heads = [() => Promise.reject(new StoreUnavailable('the event log', 'no leader'))];
    const facts = { head: () => (heads.shift() ?? (async () => undefined))() };
    const views = { checkpoints: silent };
    const { client } = await serviceFor('open', { facts, views, metrics });
    for (const _ of [1, 2]) await client.get('/readyz');
    const { status, body } = await client.get('/readyz');
    expect([status, body]).toMatchObject([503, { reason: expect.stringContaining('the read models') }]);
  });

  it('show nobody more than the public may see while tokens cannot be checked', async () => {
    const views = { checkpoints: async () => live };
    const { client } = await serviceFor('required', { views }, silent);
    const { status, body } = await client.get('/readyz', { Authorization: 'Bearer admin' });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain('position');
  });
});

it('/readyz is ready only after the worker of the process has started', async () => {
  let isStarting = true;
  const checkpoints = async () => allProjections.map(({ name }) => ({ projection: name, number: 1, state: 'live' }));
  const { client } = await serviceFor('open', { views: { checkpoints }, isStarting: () => isStarting });
  expect(await client.get('/readyz')).toMatchObject({ status: 503, body: { status: 'not-ready' } });
  isStarting = false;
  expect(await client.get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
});
