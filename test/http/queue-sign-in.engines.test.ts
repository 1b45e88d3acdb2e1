// The sign-in page of the job queues, for an operator who opens the queues in a browser without the web client.
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
import { cookiesOf, PASSWORD, sessionsOf } from './support/signing-in.js';

const BOARD = '/admin/queues';
const PAGE = `${BOARD}/sign-in`;
const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const OWN_PAGE = { ...BROWSER, ...FORM, 'Sec-Fetch-Site': 'same-origin' };

withRedisServer('the sign-in page of the queues', () =>
  describe('the sign-in page of the queues', () => {
    let redis: RedisProcess;
    let server: Server;
    let administrator: Caller;

    beforeAll(async () => {
      redis = await RedisProcess.on(temporaryDirectory());
      await redis.start();
      const environment = { REDIS_URL: redis.url, AUTH: 'required', RATE_LIMITS: '1' };
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

    const open = (headers: Readonly<Record<string, string>> = {}, path = BOARD) =>
      server.get<string>(path, { ...BROWSER, ...headers });
    const send = (fields: Record<string, string>, headers: Readonly<Record<string, string>> = OWN_PAGE, path = PAGE) =>
      server.send<string>('POST', path, { bytes: new URLSearchParams(fields).toString(), headers });
    const signIn = ({ email }: Caller, password = PASSWORD) => send({ email, password });
    const cookieIn = (response: Awaited<ReturnType<typeof send>>) =>
      [...cookiesOf(response)].map(([name, [value]]) => `${name}=${value}`).join('; ');

    it('appears in a browser that has not signed in', async () => {
      for (const response of [await open(), await open({ Cookie: 'TOKEN=bad' })]) {
        expect([response.status, response.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
        expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
        expect(response.headers.get('cache-control')).toBe('no-store');
        expect(response.body).toMatch(new RegExp(`<form method="post" action="${PAGE}">`));
      }
      const page = await open({}, PAGE);
      expect([page.status, page.body]).toEqual([200, expect.stringContaining('type="password"')]);
    });

    it('loads no resources, runs no scripts, and lets browsers send the origin of its form', async () => {
      const { headers, body } = await open({}, PAGE);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      );
      // With `no-referrer`, browsers send `Origin: null` with a form.
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(body).not.toMatch(/<script|src=|https?:/);
    });

    it('is a problem document for programs', async () => {
      expectProblem(await server.get(BOARD), 401, 'sign-in-required');
      const json = { Accept: 'application/json, */*' };
      expectProblem(await server.get(`${BOARD}/api/queues`, json), 401, 'sign-in-required');
    });

    it('signs an administrator in with the cookies of the web client and opens the queues', async () => {
      const response = await signIn(administrator);
      expect([response.status, response.headers.get('location'), response.body]).toEqual([303, BOARD, '']);
      expect(response.headers.get('cache-control')).toBe('no-store');
      const cookies = cookiesOf(response);
      expect([...cookies.keys()]).toEqual(['TOKEN', 'REFRESH_TOKEN', 'USER_ID']);
      for (const attributes of cookies.values()) {
        expect(attributes.slice(1)).toEqual([
          'HttpOnly',
          expect.stringMatching(/^Max-Age=\d+$/),
          'Path=/',
          'SameSite=Lax',
        ]);
      }
      const board = await open({ Cookie: cookieIn(response) });
      expect([board.status, board.body]).toEqual([200, expect.stringContaining(`<base href="${BOARD}/"`)]);
      const { items } = (await sessionsOf(server, cookies.get('TOKEN')?.[0] ?? '')).body;
      expect(items.find(({ current }) => current)).toMatchObject({ platform: 'WEB', appName: 'queues' });
    });

    it('redirects only to the queues, no matter what the request asks for', async () => {
      const { email } = administrator;
      const redirects = { next: 'https://evil.example', redirect: '//evil.example', url: 'https://evil.example' };
      const response = await send(
        { email, password: PASSWORD, ...redirects },
        { ...OWN_PAGE, Referer: 'https://evil.example' },
        `${PAGE}?${new URLSearchParams(redirects)}`,
      );
      expect([response.status, response.headers.get('location')]).toEqual([303, BOARD]);
    });

    it.each<[string, (caller: Caller) => Record<string, string>, number, RegExp]>([
      ['a wrong password', ({ email }) => ({ email, password: 'wrong password' }), 401, /Wrong e-mail or password/],
      ['an unknown e-mail', () => ({ email: 'x@example.org', password: 'wrong' }), 401, /Wrong e-mail or password/],
      ['no password', ({ email }) => ({ email, password: '' }), 400, /Enter your e-mail and your password/],
      ['an empty form', () => ({}), 400, /Enter your e-mail and your password/],
    ])('explains what is wrong with %s and sets no cookie', async (_, fieldsOf, status, message) => {
      const response = await send(fieldsOf(administrator));
      expect([response.status, cookiesOf(response).size]).toEqual([status, 0]);
      expect(response.body).toMatch(message);
      expect(response.body).toMatch(/role="alert"/);
      expect(response.body).not.toContain('wrong password"');
      expect(response.body).not.toContain(administrator.email);
    });

    it('tells other users that only administrators may see the queues', async () => {
      const auditor = await newCaller(server, administrator, { type: 'AUDITOR' });
      const response = await signIn(auditor);
      expect(response.status).toBe(303);
      const board = await open({ Cookie: cookieIn(response) });
      expect([board.status, board.body]).toEqual([403, expect.stringMatching(/only administrators/i)]);
      expect(board.body).toContain('action="/api/sign-out"');
    });

    it.each<[string, Readonly<Record<string, string>>]>([
      ['of another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
      ['without an origin', {}],
    ])('refuses a form %s', async (_, headers) => {
      const { email } = administrator;
      const response = await send({ email, password: PASSWORD }, { ...FORM, ...headers });
      expectProblem(response, 403, 'cross-site-request');
      expect(cookiesOf(response).size).toBe(0);
    });

    it('accepts the form from a browser that sends only Origin', async () => {
      const { email } = administrator;
      const response = await send({ email, password: PASSWORD }, { ...BROWSER, ...FORM, Origin: server.url });
      expect(response.status).toBe(303);
    });

    it('accepts only a short form', async () => {
      const { email } = administrator;
      const json = { json: { email, password: PASSWORD }, headers: { 'Sec-Fetch-Site': 'same-origin' } };
      expectProblem(await server.send('POST', PAGE, json), 415, 'unsupported-media-type');
      const large = await send({ email, password: 'x'.repeat(20_000) }, { ...FORM, 'Sec-Fetch-Site': 'same-origin' });
      expectProblem(large, 413, 'too-large');
      expectProblem(await server.send('PUT', PAGE), 405, 'method-not-allowed');
    });

    it('renews the session when the access token has expired, but not for another site', async () => {
      const cookies = cookiesOf(await signIn(administrator));
      const Cookie = `TOKEN=expired; REFRESH_TOKEN=${cookies.get('REFRESH_TOKEN')?.[0]}`;
      const linked = await open({ Cookie, 'Sec-Fetch-Site': 'cross-site' });
      expect([linked.status, cookiesOf(linked).size]).toEqual([401, 0]);
      const renewed = await open({ Cookie, 'Sec-Fetch-Site': 'none' });
      expect([renewed.status, renewed.headers.get('location')]).toEqual([303, BOARD]);
      expect([...cookiesOf(renewed).keys()]).toEqual(['TOKEN', 'REFRESH_TOKEN']);
      expect((await open({ Cookie: cookieIn(renewed) })).status).toBe(200);
    });

    it('shares the rate limit of sign-ins and slows down guesses', async () => {
      const { headers } = await open({}, PAGE);
      expect(headers.get('ratelimit-policy')).toBe('"sign-in";q=600;w=60');
      const guessed = await newCaller(server, administrator, { type: 'NURSE' });
      let response = await signIn(guessed, 'wrong');
      for (let guesses = 1; response.status === 401 && guesses < 50; guesses += 1)
        response = await signIn(guessed, 'wrong');
      expect(response.status).toBe(429);
      const seconds = Number(response.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(response.body).toMatch(new RegExp(`Wait ${seconds} seconds?`));
    });

    it('opens the queues to administrators, with their token in a header or a cookie', async () => {
      const { token, authorization } = administrator;
      for (const headers of [authorization, { Cookie: `TOKEN=${token}` }]) {
        expect((await server.get(BOARD, headers)).status).toBe(200);
        expect((await server.get(`${BOARD}/api/queues`, headers)).status).toBe(200);
      }
    });

    it('keeps the queues closed to everybody else', async () => {
      const { authorization } = await newCaller(server, administrator, { type: 'AUDITOR' });
      for (const path of [BOARD, `${BOARD}/api/queues`, `${BOARD}/static/nothing.js`]) {
        expect(await server.get(path)).toMatchObject({ status: 401, body: { code: 'sign-in-required' } });
        expect(await server.get(path, authorization)).toMatchObject({ status: 403, body: { code: 'not-allowed' } });
        expect(await server.get(path, { Cookie: 'TOKEN=bad' })).toMatchObject({ body: { code: 'token-refused' } });
      }
    });

    it('accepts changes of the queues only from their own page, and records who made them', async () => {
      const work = new BullMqWork(redis.url, { onError: () => undefined });
      onTestFinished(() => work.close());
      // The worker of the server knows no such task.
      await work.enqueue({ queue: { ...UPKEEP_QUEUE, attempts: 1 }, id: 'unknown-1', data: {} });
      await eventually(async () => expect(await work.countDeadLetters(UPKEEP_QUEUE)).toBe(1));
      const remove = (headers: Record<string, string>) =>
        server.send('PUT', `${BOARD}/api/queues/_upkeep/_unknown-1/clean`, {
          headers: { Cookie: `TOKEN=${administrator.token}`, ...headers },
        });
      expect(await remove({})).toMatchObject({ status: 403, body: { code: 'cross-site-request' } });
      expect(await remove({ 'Sec-Fetch-Site': 'cross-site' })).toMatchObject({ status: 403 });
      expect((await remove({ 'Sec-Fetch-Site': 'same-origin' })).status).toBe(204);
      const { authorization } = await newCaller(server, administrator, { type: 'AUDITOR' });
      const { body } = await server.get<{ items: object[] }>('/audit/events?category=auditLog', authorization);
      const actor = { id: administrator.user.id, roles: ['ADMINISTRATOR'] };
      expect(body.items).toMatchObject([{ type: 'AuditLogFailedJobRemoved', actor }]);
    });
  }),
);
