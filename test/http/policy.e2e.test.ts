// If callers must sign in, every route admits exactly the callers that docs/routes.md names.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { allRoutes, nameOf } from '../../scripts/routes-doc.js';
import { profileTypes } from '../../src/domain/user/events.js';
import type { CallerCondition } from '../../src/http/access/access.js';
import type { ClientResponse } from '../support/client.js';
import { fetchOpenApi, type OpenApiDocument } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { sendRaw } from '../support/raw-http.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { type Caller, decide, newAdministrator, newCaller } from './support/callers.js';
import { expectProblem } from './support/refusals.js';
import { allOperationsOf } from './support/routes.js';
import { type Page, type Specialty, successful, UNKNOWN_ID } from './support/samples.js';
import { bearerHeader, refresh, signIn } from './support/signing-in.js';

const server = serverOfThisFile({ AUTH: 'required' });

const rules = new Map(allRoutes.map((route) => [nameOf(route), route.access.who]));
const routes = [...rules.keys()];

const withToken = routes.filter((route) => !['ignored', 'if-valid'].includes(rules.get(route)?.token ?? ''));

/** What clients send without a token. */
const NO_TOKENS: readonly Caller['authorization'][] = [
  {},
  ...['', 'Bearer ', 'Bearer NULL', 'undefined'].map((Authorization) => ({ Authorization })),
];

let described: OpenApiDocument;
let administrator: Caller;
/** A caller of each kind, by name. The profile of `newcomer` awaits a decision. */
const callers = new Map<string, Caller>();

beforeAll(async () => {
  described = await fetchOpenApi<OpenApiDocument>(server);
  administrator = await newAdministrator(server);
  for (const type of profileTypes) callers.set(type, await newCaller(server, administrator, { type }));
  callers.set('newcomer', await newCaller(server, administrator, { type: 'ADMINISTRATOR', approved: false }));
});

/** Returns whether a rule's `who` includes the caller of this name. */
const includes = (who: CallerCondition, name: string, isOwn: boolean): boolean => {
  if (who === 'self' || who === 'holder') return isOwn;
  return who === 'user' || (who === 'approved' ? name !== 'newcomer' : who === name);
};

/** Returns whether the caller was admitted, so that the route continued to check the request. */
const wasAdmitted = ({ status, body }: ClientResponse): boolean => {
  const { code } = body as { code?: string };
  return !(status === 401 || code === 'not-allowed' || code === 'session-not-found');
};

// Sends an unknown id and a malformed body, so that the request changes nothing even if the caller is admitted.
const ask = (
  route: string,
  { id = UNKNOWN_ID, authorization = {} }: { id?: string; authorization?: Caller['authorization'] } = {},
) => {
  const [method = '', path = ''] = route.split(' ');
  const address = path.replace('{id}', id).replaceAll(/\{\w+\}/g, UNKNOWN_ID);
  return server.send(method, address, { headers: authorization, ...(method !== 'GET' && { bytes: '[' }) });
};

/** Returns the statuses with which a route refuses callers. Another user's session is 404 instead of 403. */
const refusalsOf = (allowed: readonly CallerCondition[]): readonly string[] => {
  if (allowed.length === 0) return [];
  return allowed.includes('user') || allowed.includes('holder') ? ['401'] : ['401', '403'];
};

const securityOf = (route: string) => {
  const { token, allowed } = rules.get(route) ?? { token: 'ignored', allowed: [] };
  if (token === 'ignored') return [];
  return allowed.length === 0 ? [{}, { bearer: [] }] : allowed.map((each) => ({ bearer: [each] }));
};

describe('the policy', () => {
  it('matches the security of each route in the OpenAPI document', () => {
    for (const { method, route, operation } of allOperationsOf(described)) {
      const { security } = operation;
      expect([route, security]).toEqual([route, securityOf(`${method.toUpperCase()} ${route}`)]);
    }
  });

  it('has its refusals in the OpenAPI document, without those of an open service', () => {
    for (const { method, route, operation } of allOperationsOf(described)) {
      const allowed = rules.get(`${method.toUpperCase()} ${route}`)?.allowed ?? [];
      const statuses = Object.keys(operation.responses);
      expect([route, statuses.includes('421')]).toEqual([route, false]);
      expect([route, statuses]).toEqual([route, expect.arrayContaining([...refusalsOf(allowed)])]);
    }
  });

  // The rules of the design, stated independently of the table.
  it.each([
    ['DOCTOR_GENERALIST', 'GET /protocols', true],
    ['newcomer', 'GET /protocols', false],
    ['newcomer', 'GET /institutions', true],
    ['newcomer', 'POST /users/validation/docs', true],
    ['AUDITOR', 'GET /audit/events', true],
    ['ADMINISTRATOR', 'GET /audit/events', false],
    ['AUDITOR', 'POST /protocols', false],
    ['NURSE', 'PATCH /users/{id}/profiles/{profileId}/approve', false],
    ['ADMINISTRATOR', 'PATCH /users/{id}/profiles/{profileId}/approve', true],
    ['AUDITOR', 'GET /users/{id}/profiles/{profileId}/history', true],
    ['AUDITOR', 'GET /users/{id}', true],
    ['AUDITOR', 'GET /users/{id}/profiles/{profileId}', true],
    ['AUDITOR', 'GET /users', false],
    ['AUDITOR', 'GET /profiles', false],
    ['NURSE', 'GET /users/{id}', false],
    ['NURSE', 'GET /users', false],
  ])('for %s, %s: %s', async (name, route, may) => {
    expect(wasAdmitted(await ask(route, { authorization: callers.get(name)?.authorization ?? {} }))).toBe(may);
  });
});

describe('every route', () => {
  const isForAll = (route: string) => rules.get(route)?.allowed.length === 0;
  it.each(routes.filter(isForAll))('that is open to everybody needs no token: %s', async (route) => {
    for (const authorization of NO_TOKENS) expect(wasAdmitted(await ask(route, { authorization }))).toBe(true);
  });

  it.each(routes.filter((route) => !isForAll(route)))(
    'that is not open to everybody needs a token: %s',
    async (route) => {
      for (const authorization of NO_TOKENS) {
        const response = await ask(route, { authorization });
        expect(wasAdmitted(response)).toBe(false);
        expectProblem(response, 401, 'sign-in-required');
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
      }
    },
  );

  it.each(withToken)('admits the allowed callers and names them to all others: %s', async (route) => {
    const { allowed = [] } = rules.get(route) ?? {};
    for (const [name, { authorization }] of callers) {
      const may = allowed.length === 0 || allowed.some((each) => includes(each, name, false));
      const response = await ask(route, { authorization });
      expect([name, wasAdmitted(response)]).toEqual([name, may]);
      if (!may && !allowed.includes('holder')) {
        expectProblem(response, 403, 'not-allowed');
        expect(response.body).toMatchObject({ allowed });
      }
    }
  });

  it.each(routes.filter((route) => rules.get(route)?.allowed.includes('self')))(
    'admits the user whom it is about: %s',
    async (route) => {
      for (const { authorization, user } of callers.values()) {
        expect(wasAdmitted(await ask(route, { authorization, id: user.id }))).toBe(true);
        expect(wasAdmitted(await ask(route, { authorization, id: user.id.toUpperCase() }))).toBe(true);
      }
    },
  );

  it.each(withToken)('refuses a bad token: %s', async (route) => {
    expectProblem(await ask(route, { authorization: bearerHeader('bad') }), 401, 'token-refused');
  });

  it.each(routes.filter((route) => !withToken.includes(route)))(
    'that needs no token ignores one: %s',
    async (route) => {
      expect(wasAdmitted(await ask(route, { authorization: bearerHeader('bad') }))).toBe(true);
    },
  );

  it('has the same rule under /admin-service, and ignores cookies', async () => {
    expectProblem(await server.get('/admin-service/users'), 401, 'sign-in-required');
    const { authorization } = callers.get('NURSE') ?? administrator;
    expectProblem(await server.get('/admin-service/users', authorization), 403, 'not-allowed');
    const cookie = `TOKEN=${administrator.token}`;
    expectProblem(await server.get('/users', { cookie }), 401, 'sign-in-required');
  });
});

describe('a caller', () => {
  it('can read and change their own user before a decision, but cannot decide', async () => {
    const { authorization, user } = await newCaller(server, administrator, { type: 'NURSE', approved: false });
    const read = await server.get(`/users/${user.id}`, authorization);
    expect([read.status, read.body]).toEqual([200, user]);
    const changed = await server.put(`/users/${user.id}`, { firstName: 'Beatriz' }, authorization);
    expect([changed.status, changed.body]).toEqual([200, expect.objectContaining({ firstName: 'Beatriz' })]);
    const profile = `/users/${user.id}/profiles/${first(user.profiles).id}`;
    expect((await server.get(`${profile}/history`, authorization)).status).toBe(200);
    expectProblem(await server.patch(`${profile}/approve`, {}, authorization), 403, 'not-allowed');
    const added = await server.post(`/users/${user.id}/profiles`, { type: 'ADMINISTRATOR' }, authorization);
    expect([added.status, added.body]).toEqual([201, expect.objectContaining({ approvalStatus: 'ANALYSING' })]);
    expectProblem(await server.get('/users', authorization), 403, 'not-allowed');
  });

  it('cannot decide on their own profile, not even as an administrator', async () => {
    const { authorization, user } = administrator;
    const added = await server.post<{ id: string }>(`/users/${user.id}/profiles`, { type: 'AUDITOR' }, authorization);
    const approve = `/users/${user.id}/profiles/${added.body.id}/approve`;
    expectProblem(await server.patch(approve, {}, authorization), 403, 'own-profile');
    expectProblem(await server.get('/audit/events', authorization), 403, 'not-allowed');
  });
});

describe('a role', () => {
  it('begins with the next refresh after the approval and ends with the rejection', async () => {
    const caller = await newCaller(server, administrator, { type: 'DOCTOR_SPECIALIST', approved: false });
    expectProblem(await server.get('/protocols', caller.authorization), 403, 'not-allowed');
    await decide(server, administrator, caller.user, 'approve');
    const { token } = (await refresh(server, caller.refreshToken)).body;
    expect((await server.get('/protocols', bearerHeader(token))).status).toBe(200);

    await decide(server, administrator, caller.user, 'reject');
    await eventually(async () => {
      expectProblem(await server.get('/protocols', bearerHeader(token)), 401, 'token-refused');
    });
    const again = await signIn(server, caller.email);
    expectProblem(await server.get('/protocols', bearerHeader(again.token)), 403, 'not-allowed');
  });
});

describe('the catalogue of specialties', () => {
  it('lists a disabled specialty only to administrators, until it is enabled', async () => {
    const name = `Proposed ${randomUUID()}`;
    const { authorization } = administrator;
    const made = await server.post<{ id: string }>('/specialties', { name, enabled: false }, authorization);
    const path = `/specialties?name=${encodeURIComponent(name)}`;
    const seen = async (by: Caller['authorization'] = {}, query = '') => {
      const headers = { ...by, 'Consistency-Token': made.headers.get('consistency-token') ?? '' };
      const { status, body } = await server.get<Page<{ id: string }>>(`${path}${query}`, headers);
      return [status, body.items.map(({ id }) => id)];
    };
    for (const query of ['', '&enabled=false']) {
      expect(await seen(authorization, query)).toEqual([200, [made.body.id]]);
      expect(await seen({}, query)).toEqual([200, []]);
      expect(await seen(callers.get('NURSE')?.authorization, query)).toEqual([200, []]);
    }
    const enabled = await server.put(`/specialties/${made.body.id}`, { enabled: true }, authorization);
    expect(enabled.status).toBe(200);
    await eventually(async () => expect(await seen()).toEqual([200, [made.body.id]]));
  });

  it('returns a disabled specialty only to administrators, even as of a time when it was enabled', async () => {
    const { authorization } = administrator;
    const made = await server.post<Specialty>('/specialties', { name: `Proposed ${randomUUID()}` }, authorization);
    const path = `/specialties/${made.body.id}`;
    const paths = [path, `${path}?asOf=${made.body.createdAt}`];
    for (const each of paths) expect((await server.get(each)).status).toBe(200);
    successful(await server.put(path, { enabled: false }, authorization));
    for (const each of paths) {
      expect((await server.get(each, authorization)).status).toBe(200);
      const [hidden, unknown] = [await server.get(each), await server.get(each.replace(made.body.id, UNKNOWN_ID))];
      expectProblem(hidden, 404, 'specialty-not-found');
      expect({ ...(hidden.body as object), instance: '' }).toEqual({ ...(unknown.body as object), instance: '' });
      expectProblem(await server.get(each, callers.get('NURSE')?.authorization), 404, 'specialty-not-found');
    }
  });
});

describe('the access log', () => {
  it('names a refused user only by id', async () => {
    const { user, authorization, email } = callers.get('NURSE') ?? administrator;
    const { headers } = await server.get('/audit/events', authorization);
    const lines = () => server.log.filter((line) => line['requestId'] === headers.get('x-request-id'));
    await eventually(() => expect(lines()).toMatchObject([{ userId: user.id, status: 403, path: '/audit/events' }]));
    expect(JSON.stringify(server.log)).not.toContain(email);
  });
});

describe('what is open to everybody', () => {
  it('is available under any host name', async () => {
    const request = 'GET /specialties HTTP/1.1\r\nHost: protocols.example.org\r\nConnection: close\r\n\r\n';
    expect((await sendRaw(server.url, request)).status).toBe(200);
  });
});
