// The page of the job queues, on a real Redis: what it shows and changes, and how it survives an outage.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

const PAGE = '/admin/queues';
const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };
const UPKEEP = { ...UPKEEP_QUEUE, attempts: 1 };

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
      client.send('PUT', `${PAGE}/api/queues/_upkeep/pause`, { headers });
    const resumeUpkeep = () => server.send('PUT', `${PAGE}/api/queues/_upkeep/resume`, { headers: SAME_ORIGIN });

    it('is served with everything that it loads', async () => {
      const { status, body, headers } = await server.get<string>(PAGE);
      expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
      expect(body).toContain(`<base href="${PAGE}/"`);
      const own = [...body.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, path]) => path);
      expect(own.length).toBeGreaterThan(3);
      for (const path of own) expect(await server.get(`${PAGE}/${path}`), path).toMatchObject({ status: 200 });
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
      expect(names.toSorted()).toEqual(['audit-proofs', 'notifications', 'upkeep']);
    });

    it('shows a dead letter and runs it again', async () => {
      await work.enqueue({ queue: UPKEEP, id: 'bad', data: {} });
      const failing = work.process(UPKEEP, () => Promise.reject(new Error('no luck')));
      await eventually(async () => expect(await work.deadLetters(UPKEEP)).toHaveLength(1));
      await failing.close();
      const { jobs } = await queueOf('upkeep', '?activeQueue=_upkeep&status=failed');
      expect(jobs).toMatchObject([{ failedReason: 'no luck' }]);

      const path = `${PAGE}/api/queues/_upkeep/${encodeURIComponent(jobs[0]?.id ?? '')}/retry`;
      const retried = await server.send('PUT', path, { headers: SAME_ORIGIN });
      expect(retried.status).toBe(204);
      const done: Job[] = [];
      const worker = work.process(UPKEEP, async (job) => void done.push(job));
      await eventually(() => expect(done).toMatchObject([{ id: 'bad' }]));
      await eventually(async () => expect(await work.pending(UPKEEP)).toBe(0));
      await worker.close();
      expect(await work.deadLetters(UPKEEP)).toEqual([]);
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
        expect((await pauseUpkeep(server, headers)).status).toBeLessThan(300);
      }
      expect((await resumeUpkeep()).status).toBeLessThan(300);
    });

    it.each([
      ['POST', '/api/queues/_upkeep/add'],
      ['PUT', '/api/queues/_upkeep/obliterate'],
      ['PUT', '/api/queues/_upkeep/empty'],
      ['PATCH', '/api/queues/_upkeep/1/update-data'],
    ])('does not let callers add or change jobs, or empty queues: %s %s', async (method, path) => {
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
