// The page of the job queues, on a real Redis: what it shows and changes, and how it survives an outage.
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BullMqWork } from '../../src/infrastructure/work/bullmq.js';
import type { Job } from '../../src/infrastructure/work/work.js';
import { UPKEEP_QUEUE } from '../../src/operations/upkeep.js';
import type { Client } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { EngineSet, onRealSet } from '../support/engine-set.js';
import { eventually } from '../support/eventually.js';
import type { RedisProcess } from '../support/redis-server.js';
import { Server } from '../support/server.js';

interface Board {
  readonly queues: readonly {
    readonly name: string;
    readonly displayName: string;
    readonly counts: Readonly<Record<string, number>>;
    readonly jobs: readonly { readonly id: string; readonly failedReason: string }[];
  }[];
}

interface Recorded {
  readonly type: string;
  readonly actor: { readonly id: string };
  readonly data: unknown;
}

const PAGE = '/admin/queues';
const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };
const UPKEEP = { ...UPKEEP_QUEUE, pausesMs: [] };

onRealSet('the page of the queues', () =>
  describe('the page of the queues', () => {
    let engines: EngineSet;
    let redis: RedisProcess;
    let server: Server;
    let work: BullMqWork;

    beforeAll(async () => {
      engines = await EngineSet.start();
      redis = engines.redis;
      // Without a worker, so that only the tests process what they enqueue.
      server = new Server(temporaryDirectory(), { ...engines.environment, ROLES: 'http' });
      await server.start();
      work = new BullMqWork(redis.url, { onError: () => undefined });
    });
    afterAll(async () => {
      await work.close();
      await server.stop();
      await engines.end();
    });

    const queueOf = async (name: string, query = '') => {
      const { body } = await server.get<Board>(`${PAGE}/api/queues${query}`);
      const found = body.queues.find(({ displayName }) => displayName === name);
      if (found === undefined) throw new Error(`the page does not show ${name}`);
      return found;
    };
    const pauseUpkeep = (client: Client, headers: Readonly<Record<string, string>>) =>
      client.send('PUT', `${PAGE}/api/queues/upkeep/pause`, { headers });

    it('is served with everything that it loads', async () => {
      const { status, body, headers } = await server.get<string>(PAGE);
      expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
      expect(body).toContain(`<base href="${PAGE}/"`);
      const own = [...body.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, path]) => path);
      expect(own.length).toBeGreaterThan(3);
      for (const path of own) expect(await server.get(`${PAGE}/${path}`), path).toMatchObject({ status: 200 });
      expect(body).toContain('<title>Job queues</title>');
      expect(body).toMatch(/rel="icon"[^>]*href="static\//);
      expect(body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    });

    it('lets the browser load nothing from other origins and run no inline scripts', async () => {
      const policy = (await server.get(PAGE)).headers.get('content-security-policy') ?? '';
      const directives = Object.fromEntries(
        policy.split(';').map((directive) => {
          const [name = '', ...sources] = directive.trim().split(/\s+/);
          return [name, sources];
        }),
      );
      expect(directives['default-src']).toEqual(["'none'"]);
      expect(directives['script-src']).toEqual(["'self'"]);
      const allowed = ["'none'", "'self'", "'unsafe-inline'", 'data:'];
      for (const source of Object.values(directives).flat()) expect(allowed).toContain(source);
      expect((await server.get('/livez')).headers.get('content-security-policy')).toContain("default-src 'none'");
    });

    it('shows every queue of the service', async () => {
      const { body } = await server.get<Board>(`${PAGE}/api/queues`);
      const names = body.queues.map(({ displayName }) => displayName);
      expect(names.toSorted()).toEqual(['audit-proofs', 'decision-messages', 'notifications', 'upkeep']);
    });

    const deadLetter = async (id: string): Promise<string> => {
      await work.enqueue({ queue: UPKEEP, id, data: {} });
      const failing = work.process(UPKEEP, () => Promise.reject(new Error('no luck')));
      await eventually(async () => expect(await work.countDeadLetters(UPKEEP)).toBe(1));
      await failing.close();
      const { jobs } = await queueOf('upkeep', '?activeQueue=upkeep&status=failed');
      expect(jobs).toMatchObject([{ failedReason: 'no luck' }]);
      return `${PAGE}/api/queues/upkeep/${encodeURIComponent(jobs[0]?.id ?? '')}`;
    };
    const act = (path: string) => server.send('PUT', path, { headers: SAME_ORIGIN });
    const recordedActions = async () => {
      const { body } = await server.get<{ items: readonly Recorded[] }>('/audit/events?category=auditLog&limit=200');
      return body.items.map(({ type, actor, data }) => ({ type, actor: actor.id, data }));
    };

    it('shows a dead letter, and runs it again once that is recorded', async () => {
      const path = await deadLetter('bad');
      const before = await recordedActions();
      expect((await act(`${path}/retry`)).status).toBe(204);
      const done: Job[] = [];
      const worker = work.process(UPKEEP, async (job) => void done.push(job));
      await eventually(() => expect(done).toMatchObject([{ id: 'bad' }]));
      await eventually(async () => expect(await work.pending(UPKEEP)).toBe(0));
      await worker.close();
      expect(await work.deadLetters(UPKEEP)).toEqual([]);
      const data = { queue: 'upkeep', jobId: '_bad' };
      const recorded = { type: 'AuditLogFailedJobRetried', actor: 'anonymous', data };
      expect(await recordedActions()).toEqual([...before, recorded]);
    });

    it('removes a dead letter once that is recorded', async () => {
      const path = await deadLetter('hopeless');
      const before = await recordedActions();
      expect((await act(`${path}/clean`)).status).toBe(204);
      expect(await work.countDeadLetters(UPKEEP)).toBe(0);
      const data = { queue: 'upkeep', jobId: '_hopeless' };
      const recorded = { type: 'AuditLogFailedJobRemoved', actor: 'anonymous', data };
      expect(await recordedActions()).toEqual([...before, recorded]);
    });

    it.each(['retry', 'clean'])('does not let callers touch a job that has not failed: %s', async (action) => {
      await work.enqueue({ queue: UPKEEP, id: 'waiting', data: {} });
      const before = await recordedActions();
      expect((await act(`${PAGE}/api/queues/upkeep/_waiting/${action}`)).status).toBe(403);
      expect((await act(`${PAGE}/api/queues/upkeep/_unknown/${action}`)).status).toBe(403);
      expect(await work.pending(UPKEEP)).toBe(1);
      expect(await recordedActions()).toEqual(before);
      const worker = work.process(UPKEEP, async () => undefined);
      await eventually(async () => expect(await work.pending(UPKEEP)).toBe(0));
      await worker.close();
    });

    it('refuses a large body with 413', async () => {
      const json = { filler: 'x'.repeat(3_000_000) };
      const sent = await server.send('PUT', `${PAGE}/api/queues/upkeep/_bad/retry`, { json, headers: SAME_ORIGIN });
      expect(sent).toMatchObject({ status: 413, body: { code: 'too-large' } });
    });

    it('reports a queue that somebody paused in Redis, until it goes on', async () => {
      const admin = new Redis(redis.url);
      onTestFinished(() => admin.disconnect());
      const [meta, paused] = ['clinical-protocols:_audit-proofs:meta', 'queue_paused{queue="audit-proofs"}'];
      const reported = async () => {
        const { status, body } = await server.get<{ faults?: { code: string }[] }>('/readyz');
        const { body: metrics } = await server.get<string>('/metrics');
        const line = metrics.split('\n').find((each) => each.startsWith(paused));
        return [status, body.faults?.map(({ code }) => code) ?? [], line];
      };
      await admin.hset(meta, 'paused', 1);
      await eventually(async () => expect(await reported()).toEqual([200, ['queue-paused'], `${paused} 1`]));
      await admin.hdel(meta, 'paused');
      await eventually(async () => expect(await reported()).toEqual([200, [], `${paused} 0`]));
    });

    it.each<[string, Readonly<Record<string, string>>]>([
      ['of another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
      ['of a sibling site', { 'Sec-Fetch-Site': 'same-site' }],
      ['of another site, by a browser that only sends Origin', { Origin: 'https://evil.example' }],
      ['of another port of this host', { Origin: 'http://127.0.0.1:1' }],
      ['of a page with the origin null', { Origin: 'null' }],
      ['without an origin', {}],
    ])('refuses a change %s', async (_, headers) => {
      expect(await pauseUpkeep(server, headers)).toMatchObject({ status: 403, body: { code: 'cross-site-request' } });
    });

    it('accepts a change from the page itself in every browser', async () => {
      for (const headers of [SAME_ORIGIN, { 'Sec-Fetch-Site': 'none' }, { Origin: server.url }]) {
        const path = await deadLetter('again');
        expect((await server.send('PUT', `${path}/clean`, { headers })).status).toBe(204);
      }
    });

    it.each([
      ['POST', '/api/queues/upkeep/add'],
      ['PUT', '/api/queues/upkeep/obliterate'],
      ['PUT', '/api/queues/upkeep/empty'],
      ['PATCH', '/api/queues/upkeep/1/update-data'],
      ['PUT', '/api/queues/upkeep/pause'],
      ['PUT', '/API/queues/upkeep/pause/'],
      ['PUT', '/api/queues/upkeep/resume'],
      ['PUT', '/api/queues/pause'],
      ['PUT', '/api/queues/resume'],
      ['PUT', '/api/queues/upkeep/promote'],
      ['PUT', '/api/queues/upkeep/_waiting/promote'],
      ['PUT', '/api/queues/upkeep/retry/failed'],
      ['PUT', '/api/queues/upkeep/clean/failed'],
    ])('does not let callers add or change jobs, or whole queues: %s %s', async (method, path) => {
      const json = { name: 'job', data: {}, options: {}, jobData: {} };
      expect(await server.send(method, `${PAGE}${path}`, { json, headers: SAME_ORIGIN })).toMatchObject({
        status: 403,
      });
    });

    it('responds with a problem document for an unknown path or range', async () => {
      expect(await server.get(`${PAGE}/nothing/here/at/all`)).toMatchObject({
        status: 404,
        body: { code: 'route-not-found' },
      });
      const [, file] = /href="(static\/[^"]+)"/.exec((await server.get<string>(PAGE)).body) ?? [];
      expect(await server.get(`${PAGE}/${file}`, { Range: 'bytes=999999999-' })).toMatchObject({
        status: 416,
        body: { code: 'range-not-satisfiable' },
      });
    });

    it('is 503 during an outage of Redis and works again afterwards without a restart', async () => {
      const { pid } = server;
      await redis.end('SIGKILL');
      for (const path of [PAGE, `${PAGE}/api/queues`]) {
        const response = await server.get(path);
        expect(response).toMatchObject({ status: 503, body: { code: 'store-unavailable' } });
        expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
      }
      expect((await server.get('/readyz')).status).toBe(200);
      await redis.start();
      await eventually(async () => expect((await server.get(PAGE)).status).toBe(200));
      expect((await server.get(`${PAGE}/api/queues`)).status).toBe(200);
      expect(server.pid).toBe(pid);
    });
  }),
);
