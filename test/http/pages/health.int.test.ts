// GET /readyz while a store is unavailable: who sees the reason.
import express from 'express';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Callers } from '../../../src/http/access/access.js';
import { type HealthOptions, healthRouter } from '../../../src/http/pages/health.js';
import { listen } from '../../../src/http/server/server.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { Client } from '../../support/client.js';

const ADDRESS = '10.0.3.4:27017';

/** Serves the pages of a process that cannot reach its read models. */
const serviceFor = async (callers: Callers) => {
  const logged: string[] = [];
  const checkpoints = () => Promise.reject(new StoreUnavailable('the read models', `connect ECONNREFUSED ${ADDRESS}`));
  const bearerOf = async (token: string) => ({ userId: 'one', roles: token === 'admin' ? ['ADMINISTRATOR'] : [] });
  const options = {
    facts: { head: async () => undefined },
    views: { checkpoints },
    guard: { callers, bearerOf },
    isStopping: () => false,
    log: pino({}, { write: (line: string) => void logged.push(line) }),
  } as unknown as HealthOptions;
  const server = await listen(express().use(healthRouter(options)), '127.0.0.1', 0);
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

  it('logs the reason once', async () => {
    const { client, logged } = await serviceFor('required');
    for (const _ of [1, 2]) await client.get('/readyz');
    expect(logged).toEqual([expect.stringContaining(ADDRESS)]);
  });
});
