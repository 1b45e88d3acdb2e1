// Who may open the page of the job queues, and where a browser without a session is redirected.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BullMqWork } from '../../src/infrastructure/work/bullmq.js';
import { UPKEEP_QUEUE } from '../../src/operations/upkeep.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { run } from '../support/process.js';
import { withRedisServer } from '../support/redis.js';
import { RedisProcess } from '../support/redis-server.js';
import { Server } from '../support/server.js';
import { administratorBy, type Caller, newCaller } from './support/callers.js';
import { expectProblem } from './support/refusals.js';

const BOARD = '/admin/queues';
const PATHS = [BOARD, `${BOARD}/api/queues`, `${BOARD}/static/nothing.js`];
const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const PROGRAMS = [{}, { Accept: '*/*' }, { Accept: 'application/json, text/plain, */*' }];

withRedisServer('the page of the queues', () =>
  describe('the page of the queues', () => {
    let redis: RedisProcess;
    let server: Server;
    let administrator: Caller;

    beforeAll(async () => {
      redis = await RedisProcess.on(temporaryDirectory());
      await redis.start();
      const environment = { REDIS_URL: redis.url, AUTH: 'required' };
      server = new Server(temporaryDirectory(), environment);
      await server.start();
      const runCli = (command: readonly string[], input?: string) =>
        run('cli', { environment: { ...environment, DATA_DIR: server.directory }, arguments: command, input });
      administrator = await administratorBy(server, runCli);
    });
    afterAll(async () => {
      await server.stop();
      await redis.end('SIGKILL');
    });

    it('opens to administrators, with their token in a header or a cookie', async () => {
      const { token, authorization } = administrator;
      for (const headers of [authorization, { Cookie: `TOKEN=${token}`, ...BROWSER }]) {
        expect(await server.get(BOARD, headers)).toMatchObject({ status: 200, body: expect.stringContaining('<base') });
        expect((await server.get(`${BOARD}/api/queues`, headers)).status).toBe(200);
      }
    });

    it('is closed to programs of everybody else', async () => {
      const { authorization } = await newCaller(server, administrator, { type: 'AUDITOR' });
      for (const path of PATHS) {
        for (const headers of PROGRAMS) {
          expectProblem(await server.get(path, headers), 401, 'sign-in-required');
          expectProblem(await server.get(path, { ...headers, Cookie: 'TOKEN=bad' }), 401, 'token-refused');
          expectProblem(await server.get(path, { ...headers, ...authorization }), 403, 'not-allowed');
        }
      }
    });

    it.each([
      ['without a session', ''],
      ['whose token has expired', 'TOKEN=expired; REFRESH_TOKEN=some'],
    ])('redirects a browser %s to the sign-in, which leads back', async (_, Cookie) => {
      for (const path of [BOARD, `${BOARD}/queue/upkeep?next=https://evil.example`]) {
        const { status, headers, body } = await server.get(path, { ...BROWSER, Cookie });
        expect([status, headers.get('location'), body]).toEqual([303, `/console/sign-in?next=${BOARD}`, '']);
        expect([headers.get('cache-control'), headers.get('vary')]).toEqual([
          'no-store',
          expect.stringMatching(/accept(,|$)/i),
        ]);
      }
    });

    it('shows in a browser of another user who may open it', async () => {
      const { token } = await newCaller(server, administrator, { type: 'AUDITOR' });
      const { status, headers, body } = await server.get<string>(BOARD, { ...BROWSER, Cookie: `TOKEN=${token}` });
      expect([status, headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
      expect(headers.get('www-authenticate')).toMatch(/insufficient_scope/);
      expect(body).toMatch(/Only administrators.*href="\/console\/account\/security"/s);
    });

    it('is 401 for a browser, too, without the web client', async () => {
      const off = new Server(temporaryDirectory(), { REDIS_URL: redis.url, AUTH: 'required', CONSOLE: 'off' });
      onTestFinished(async () => void (await off.stop()));
      await off.start();
      expectProblem(await off.get(BOARD, BROWSER), 401, 'sign-in-required');
      expectProblem(await off.get(BOARD, { ...BROWSER, Cookie: 'TOKEN=bad' }), 401, 'token-refused');
    });

    it('accepts changes only from itself, and records who made them', async () => {
      const work = new BullMqWork(redis.url, { onError: () => undefined });
      onTestFinished(() => work.close());
      // The worker of the server knows no such task.
      await work.enqueue({ queue: { ...UPKEEP_QUEUE, pausesMs: [] }, id: 'unknown-1', data: {} });
      await eventually(async () => expect(await work.countDeadLetters(UPKEEP_QUEUE)).toBe(1));
      const remove = (headers: Record<string, string>) =>
        server.send('PUT', `${BOARD}/api/queues/upkeep/_unknown-1/clean`, {
          headers: { Cookie: `TOKEN=${administrator.token}`, ...headers },
        });
      for (const headers of [{}, { 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Fetch-Site': 'cross-site', ...BROWSER }]) {
        expectProblem(await remove(headers), 403, 'cross-site-request');
      }
      expect((await remove({ 'Sec-Fetch-Site': 'same-origin' })).status).toBe(204);
      const { authorization } = await newCaller(server, administrator, { type: 'AUDITOR' });
      const { body } = await server.get<{ items: object[] }>('/audit/events?category=auditLog', authorization);
      const actor = { id: administrator.user.id, roles: ['ADMINISTRATOR'] };
      expect(body.items).toMatchObject([{ type: 'AuditLogFailedJobRemoved', actor }]);
    });
  }),
);
