// How often the caller of a request is checked, and what a second check refuses.
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import type { Bearer } from '../../../src/auth/tokens/access-tokens.js';
import type { CommandContext } from '../../../src/commands/context.js';
import { administrators, type Callers, recognized, selfOrOverseers } from '../../../src/http/access/access.js';
import type { Guard } from '../../../src/http/access/gate.js';
import { BodyReader } from '../../../src/http/request/bodies.js';
import { get, post } from '../../../src/http/route/route.js';
import { Bell } from '../../../src/infrastructure/bell.js';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { eventually } from '../../support/eventually.js';
import { holdRequest, sendRaw } from '../../support/raw-http.js';
import { serve } from '../support/served-routes.js';

const now = () => Math.floor(Date.now() / 1_000);
const bearer: Bearer = { userId: 'one', sessionId: 'session', roles: ['ADMINISTRATOR'], authTime: now() };
const REQUEST = { method: 'POST', path: '/things', headers: { Authorization: 'Bearer token' }, json: { name: 'x' } };

/**
 * Starts a server with one route, which needs an administrator who signed in at most 300 s ago. `checks` are what the
 * checks of the caller find, one after another. The route records its contexts, and checks the caller again if `rechecks`.
 */
const serverWith = async (
  checks: readonly (Bearer | undefined)[],
  { callers = 'required', rechecks = false }: { callers?: Callers; rechecks?: boolean } = {},
) => {
  let count = 0;
  const recorded: CommandContext[] = [];
  const refuse = async () => {
    throw new Error('a write is checked against the current session');
  };
  const currentBearerOf = async () => {
    count += 1;
    return checks[count - 1];
  };
  const guard: Guard = { callers, bearerOf: refuse, holderOf: refuse, currentBearerOf };
  const route = post('/things', {
    access: { who: administrators, personal: false, maxAuthAgeS: 300 },
    name: 'createThing',
    summary: 'Creates a thing',
    body: z.object({ name: z.string() }),
    kind: 'action',
    responses: { 200: z.unknown() },
    handle: async ({ by }) => {
      if (rechecks) await by.checkActor?.();
      recorded.push(by);
      return { body: '{}' };
    },
  });
  const bodies = new BodyReader({ pause: () => undefined, resume: () => undefined });
  const { url, close } = await serve(
    { routes: [route] },
    { guard, bodies, opaque: async () => ({}) as never },
    callers,
  );
  onTestFinished(close);
  const roles = () => recorded.map(({ actor }) => actor.roles);
  return { url, checked: () => count, roles };
};

/** Sends the request, and the last byte of its body after the first check. Returns the status and the code. */
const sendHeld = async ({ url, checked }: Awaited<ReturnType<typeof serverWith>>) => {
  const { finish } = await holdRequest(url, REQUEST);
  await eventually(() => expect(checked()).toBe(1));
  const { status, body } = await finish();
  return [status, (JSON.parse(body) as { code?: string }).code];
};

it.each(['identity', 'gzip'])('a body that came with its head costs one check of the caller: %s', async (coding) => {
  const server = await serverWith([bearer]);
  const bytes = Buffer.from(JSON.stringify(REQUEST.json));
  const body = coding === 'gzip' ? gzipSync(bytes) : bytes;
  const head = [
    'POST /things HTTP/1.1',
    'Host: localhost',
    'Authorization: Bearer token',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Content-Encoding: ${coding}`,
    'Connection: close',
  ];
  const { status } = await sendRaw(server.url, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]));
  expect([status, server.checked()]).toEqual([200, 1]);
});

it('a body that came later costs two, and the actor has the roles of the second', async () => {
  const server = await serverWith([bearer, { ...bearer, roles: ['ADMINISTRATOR', 'NURSE'] }]);
  expect(await sendHeld(server)).toEqual([200, undefined]);
  expect([server.checked(), server.roles()]).toEqual([2, [['ADMINISTRATOR', 'NURSE']]]);
});

it.each<[string, Bearer | undefined, number, string]>([
  ['has no session', undefined, 401, 'token-refused'],
  ['has lost the role', { ...bearer, roles: [] }, 403, 'not-allowed'],
  ['signed in too long ago', { ...bearer, authTime: now() - 301 }, 401, 'insufficient_user_authentication'],
])('a caller who %s when the body is there is refused', async (_, then, status, code) => {
  const server = await serverWith([bearer, then]);
  expect(await sendHeld(server)).toEqual([status, code]);
  expect(server.roles()).toEqual([]);
});

it('a token that is sent to an open service is checked again, too', async () => {
  const server = await serverWith([bearer, undefined], { callers: 'open' });
  expect(await sendHeld(server)).toEqual([401, 'token-refused']);
});

it('a caller who has lost the role while a handler waited is refused', async () => {
  const server = await serverWith([bearer, bearer, { ...bearer, roles: [] }], { rechecks: true });
  expect(await sendHeld(server)).toEqual([403, 'not-allowed']);
  expect([server.checked(), server.roles()]).toEqual([3, []]);
});

type Found = Bearer | undefined | Error;

/**
 * Reads a response whose second part waits until its caller was checked again. Returns what the client gets, and the
 * tokens that were checked: how a token is checked before and during the response.
 */
const readLong = async (
  then: Found,
  { callers = 'required', who = administrators, token = 'token' }: Partial<Reading> = {},
) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const checked: string[] = [];
  const [begun, checking] = [new Bell(), new Bell()];
  const currentBearerOf = async (sent: string, mayHaveExpired = false) => {
    checked.push(`${sent} ${mayHaveExpired ? 'that may have expired' : 'now'}`);
    checking.ring();
    if (then instanceof Error) throw then;
    return then;
  };
  const bearerOf = async (sent: string) => {
    checked.push(sent);
    return bearer;
  };
  const body = async function* () {
    yield '[1';
    begun.ring();
    await checking.wait();
    await new Promise(setImmediate);
    yield ',2]';
  };
  const route = get('/things/{id}', {
    access: { who, personal: false, maxAuthAgeS: 300 },
    name: 'readThings',
    summary: 'Reads things',
    responses: { 200: z.unknown() },
    handle: async () => ({ body: body() }),
  });
  const guard: Guard = { callers, bearerOf, holderOf: async () => undefined, currentBearerOf };
  const { url, close } = await serve({ routes: [route] }, { guard, opaque: async () => ({}) as never }, callers);
  onTestFinished(close);
  const headers = token === '' ? {} : { Authorization: `Bearer ${token}` };
  const reading = fetch(`${url}/things/00000000-0000-7000-8000-000000000001`, { headers })
    .then((response) => response.text())
    .catch(() => 'cut');
  await begun.wait();
  vi.advanceTimersByTime(5_000);
  if (token === '') checking.ring();
  return { text: await reading, checked };
};
interface Reading {
  readonly callers: Callers;
  readonly who: typeof administrators;
  readonly token: string;
}

it.each<[string, Found, Partial<Reading>]>([
  ['has no session', undefined, {}],
  ['has lost the role', { ...bearer, roles: ['NURSE'] }, {}],
  ['has no role', { ...bearer, roles: [] }, { who: selfOrOverseers }],
  ['cannot be checked', new StoreUnavailable('the vault', 'down'), {}],
  ['has no session in an open service', undefined, { callers: 'open' }],
])('a caller who %s while a response is sent does not get the rest of it', async (_, then, options) => {
  expect(await readLong(then, options)).toEqual({ text: 'cut', checked: ['token', 'token that may have expired'] });
});

it.each<[string, Found, Partial<Reading>]>([
  ['has still the role', bearer, {}],
  ['has another role that is allowed', { ...bearer, roles: ['AUDITOR'] }, { who: selfOrOverseers }],
  ['signed in longer ago than a request may', { ...bearer, authTime: now() - 301 }, {}],
  ['has no role in an open service', { ...bearer, roles: [] }, { callers: 'open' }],
])('a caller who %s while a response is sent gets all of it', async (_, then, options) => {
  expect(await readLong(then, options)).toEqual({ text: '[1,2]', checked: ['token', 'token that may have expired'] });
});

it('a caller without a token, or with one that the route does not need, gets all of a long response', async () => {
  expect(await readLong(undefined, { callers: 'open', token: '' })).toEqual({ text: '[1,2]', checked: [] });
  expect((await readLong(undefined, { who: recognized })).text).toBe('[1,2]');
});

it.each([
  ['the read of a list that may wait for its place', 'recorded', 401],
  ['a read that does not wait', 'log', 200],
] as const)('%s is checked again when it has been made: %s', async (_, kind, status) => {
  let isValid = true;
  const bearerOf = async () => (isValid ? bearer : undefined);
  const guard: Guard = { callers: 'required', bearerOf, currentBearerOf: bearerOf, holderOf: async () => undefined };
  const route = get('/things', {
    access: { who: administrators, personal: false },
    name: 'listThings',
    summary: 'Lists things',
    kind,
    responses: { 200: z.unknown() },
    handle: async () => {
      isValid = false;
      return { body: '{}' };
    },
  });
  const { url, close } = await serve({ routes: [route] }, { guard, opaque: async () => ({}) as never }, 'required');
  onTestFinished(close);
  const response = await fetch(`${url}/things`, { headers: { Authorization: 'Bearer token' } });
  expect(response.status).toBe(status);
});
