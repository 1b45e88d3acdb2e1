// GET /audit/decisions: who decided what on whose profile, when and why, with names.
import { beforeAll, describe, expect, it } from 'vitest';
import { first } from '../support/items.js';
import { upToDate } from '../support/opaque.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { type Caller, newAdministrator, newCaller } from './support/callers.js';
import { expectProblem, expectRefused } from './support/refusals.js';
import { doctor, type Page, successful, UNKNOWN_ID, type User } from './support/samples.js';

interface Named {
  readonly id: string;
  readonly name: string | null;
}
interface Decision {
  readonly at: string;
  readonly type: string;
  readonly reason: string | null;
  readonly decidedBy: Named;
  readonly user: Named;
  readonly profileId: string;
  readonly profileType: string;
  readonly before: string;
  readonly after: string;
  readonly revision: number;
}

const server = serverOfThisFile({ AUTH: 'required', RATE_LIMITS: 'off' });
let administrator: Caller;
let colleague: Caller;
let auditor: Caller;

const newDoctor = async (sent: object = {}) =>
  successful(await server.post<User>('/users/doctor', doctor(sent), administrator.authorization)).body;
const decide = async ({ id, profiles }: User, decision: 'approve' | 'reject', body: object, by = administrator) => {
  const path = `/users/${id}/profiles/${first(profiles).id}/${decision}`;
  return successful(await server.patch<{ updatedAt: string }>(path, body, by.authorization)).body;
};
const read = async <T = Page<Decision>>(query = '', headers: Readonly<Record<string, string>> = {}) =>
  server.get<T>(`/audit/decisions${query}`, { ...auditor.authorization, ...(await upToDate(server)), ...headers });
const listed = async (query: Readonly<Record<string, string>>) =>
  successful(await read(`?${new URLSearchParams(query)}`)).body.items;
const reasonsOf = async (query: Readonly<Record<string, string>>) => (await listed(query)).map(({ reason }) => reason);

beforeAll(async () => {
  administrator = await newAdministrator(server);
  colleague = await newCaller(server, administrator, { type: 'ADMINISTRATOR' });
  auditor = await newCaller(server, administrator, { type: 'AUDITOR' });
});

describe('the list of decisions', () => {
  it('has every decision and explanation, newest first, with names, reasons and statuses', async () => {
    const user = await newDoctor({ firstName: 'Ana', lastName: 'Souza' });
    await decide(user, 'reject', {});
    await decide(user, 'reject', { reason: 'It has lapsed.' }, colleague);
    const { updatedAt } = await decide(user, 'approve', { reason: 'Renewed.' });
    const items = (await listed({ limit: '3' })) as Decision[];
    const names = ({ firstName, lastName }: User) => `${firstName} ${lastName}`;
    const [by, byColleague] = [administrator, colleague].map(({ user: { id, ...rest } }) => ({
      id,
      name: names({ id, ...rest } as User),
    }));
    const profile = { profileId: first(user.profiles).id, profileType: 'DOCTOR_GENERALIST' };
    const common = { user: { id: user.id, name: 'Ana Souza' }, ...profile };
    expect(items).toEqual([
      {
        ...{ at: updatedAt, type: 'UserProfileApproved', reason: 'Renewed.', decidedBy: by, ...common },
        ...{ before: 'REJECTED', after: 'APPROVED', revision: 4 },
      },
      {
        ...{ at: expect.any(String), type: 'UserProfileDecisionExplained', reason: 'It has lapsed.' },
        ...{ decidedBy: byColleague, ...common, before: 'REJECTED', after: 'REJECTED', revision: 3 },
      },
      {
        ...{ at: expect.any(String), type: 'UserProfileRejected', reason: null, decidedBy: by, ...common },
        ...{ before: 'ANALYSING', after: 'REJECTED', revision: 2 },
      },
    ]);
  });

  it('has no name for the operator, and is for auditors and administrators', async () => {
    const items = await listed({ decidedBy: 'operator' });
    expect(items.map(({ decidedBy, user }) => [decidedBy, user.id])).toEqual([
      [{ id: 'operator', name: null }, administrator.user.id],
    ]);
    successful(await server.get('/audit/decisions', administrator.authorization));
    const nurse = await newCaller(server, administrator, { type: 'NURSE' });
    expectProblem(await server.get('/audit/decisions', nurse.authorization), 403, 'not-allowed');
  });

  it('has pages', async () => {
    const all = await listed({});
    expect(all.length).toBeGreaterThan(3);
    const one = successful(await read('?limit=2')).body;
    const two = await listed({ limit: '2', cursor: `${one.nextCursor}` });
    expect([...one.items, ...two]).toEqual(all.slice(0, 4));
  });

  it('can be filtered', async () => {
    const sent = { name: 'Hospital das Flores' };
    const institution = await server.post<{ id: string }>('/institutions', sent, administrator.authorization);
    const { id: institutionId } = successful(institution).body;
    const [one, two] = [await newDoctor({ profiles: [{ type: 'NURSE' }] }), await newDoctor()];
    const mine = await newCaller(server, administrator, { type: 'ADMINISTRATOR' });
    await decide(one, 'reject', { reason: '1' }, mine);
    await decide(two, 'approve', { reason: '2' }, mine);
    await decide(two, 'reject', { reason: '3' }, mine);
    successful(
      await server.post(`/institutions/${institutionId}/users`, { userId: two.id }, administrator.authorization),
    );
    const decidedBy = mine.user.id;
    expect(await reasonsOf({ decidedBy })).toEqual(['3', '2', '1']);
    expect(await reasonsOf({ decidedBy: decidedBy.toUpperCase(), approvalStatus: 'REJECTED' })).toEqual(['3', '1']);
    expect(await reasonsOf({ decidedBy, approvalStatus: 'REJECTED', profileType: 'NURSE' })).toEqual(['1']);
    expect(await reasonsOf({ institutionId })).toEqual(['3', '2']);
    expect(await reasonsOf({ institutionId, limit: '1' })).toEqual(['3']);
    expect(await reasonsOf({ institutionId: UNKNOWN_ID })).toEqual([]);
    expect(await reasonsOf({ decidedBy: UNKNOWN_ID })).toEqual([]);
  });

  it('from a time on, and before a time', async () => {
    const user = await newDoctor();
    const { updatedAt: from } = await decide(user, 'approve', { reason: 'first' });
    let to = from;
    while (to === from) to = (await decide(user, to === from ? 'reject' : 'approve', { reason: 'second' })).updatedAt;
    const decidedBy = administrator.user.id;
    expect(await reasonsOf({ decidedBy, from, limit: '1' })).toEqual(['second']);
    expect(first(await reasonsOf({ decidedBy, to }))).toBe('first');
    expect(await reasonsOf({ from, to })).toEqual(['first']);
    expect(await reasonsOf({ to, from: to })).toEqual([]);
    const later = from.replace('Z', '0009Z');
    expect(first(await reasonsOf({ decidedBy, to: later }))).toBe('first');
    expect(await reasonsOf({ decidedBy, from: later, to: `${to.slice(0, -1)}1Z` })).toEqual(['second']);
    expect(await reasonsOf({ from: '9999-12-31T23:59:59.999-12:00' })).toEqual([]);
    expect(first(await reasonsOf({ to: '9999-12-31T23:59:59.999-12:00' }))).toBe('second');
  });

  it('refuses bad parameters, each by its name', async () => {
    expectRefused(
      await read(
        '?from=yesterday&to=2026&decidedBy=a@b&approvalStatus=DONE&profileType=BAKER&institutionId=x&limit=201',
      ),
      ...['from invalid-format', 'to invalid-format', 'decidedBy invalid-format', 'approvalStatus invalid-value'],
      ...['profileType invalid-value', 'institutionId invalid-format', 'limit too-big'],
    );
    expectRefused(await read('?asOf=2026-01-01T00:00:00Z'), 'asOf unknown-parameter');
  });

  it('is recorded as a reading, with its filter', async () => {
    const before = (await server.recorded()).length;
    await read(`?decidedBy=${UNKNOWN_ID}&limit=1`);
    await read('', { Accept: 'text/csv' });
    const readings = (await server.recorded()).slice(before).map(({ type, data, metadata: { actor } }) => ({
      ...{ type, data, actor: actor.id },
    }));
    const reading = { type: 'AuditTrailRead', actor: auditor.user.id };
    expect(readings).toEqual([
      { ...reading, data: { what: 'decisions', filter: { decidedBy: UNKNOWN_ID } } },
      { ...reading, data: { what: 'decisions', filter: {} } },
    ]);
  });
});

describe('the decisions in other formats', () => {
  it('are lines of JSON', async () => {
    const all = await listed({ limit: '200' });
    const { headers, body } = successful(await read<string>('', { Accept: 'application/x-ndjson' }));
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const lines = `${body}`.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(all);
  });

  it('are CSV with a header line', async () => {
    const user = await newDoctor({ firstName: '=Ana', lastName: 'Souza, "Dr."' });
    const { updatedAt } = await decide(user, 'approve', { reason: 'Checked.\nTwice.' });
    const { headers, body } = successful(await read<string>('?limit=1', { Accept: 'text/csv' }));
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="decisions.csv"');
    const [by, profileId] = [administrator.user, first(user.profiles).id];
    expect(body).toBe(
      [
        'at,type,reason,decidedById,decidedByName,userId,userName,profileId,profileType,before,after,revision',
        `${updatedAt},UserProfileApproved,Checked. Twice.,${by.id},${by.firstName} ${by.lastName},${user.id},"'=Ana Souza, ""Dr.""",${profileId},DOCTOR_GENERALIST,ANALYSING,APPROVED,2`,
        '',
      ].join('\r\n'),
    );
  });
});

describe('the byte order mark', () => {
  const bytesOf = async (query: string, Accept = 'text/csv') => {
    const headers = { ...auditor.authorization, Accept };
    const response = await fetch(`${server.url}/audit/decisions${query}`, { headers });
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };
  const MARK = Buffer.from('\uFEFF');

  it('begins the CSV that asks for it, also a CSV without decisions, and changes nothing else', async () => {
    for (const query of ['limit=1', 'limit=200', `decidedBy=${UNKNOWN_ID}`, 'to=2020-01-01T00:00:00Z']) {
      const [without, off, on] = await Promise.all(
        ['', '&bom=false', '&bom=true'].map((bom) => bytesOf(`?${query}${bom}`)),
      );
      expect(without?.subarray(0, 3).toString()).toBe('at,');
      expect(off).toEqual(without);
      expect(on).toEqual(Buffer.concat([MARK, without as Buffer]));
    }
  });

  it('is in no JSON, which has no file name', async () => {
    for (const type of ['application/json', 'application/x-ndjson']) {
      expect((await bytesOf('?limit=1&bom=true', type))[0]).toBe('{'.charCodeAt(0));
      expect((await read('?limit=1', { Accept: type })).headers.get('content-disposition')).toBeNull();
    }
  });

  it('is refused if it is anything else than true or false, and not recorded', async () => {
    for (const bom of ['1', '', 'TRUE', 'yes', 'true,false'])
      expectRefused(await read(`?bom=${bom}`, { Accept: 'text/csv' }), 'bom invalid-value');
    expectRefused(await read('?bom=true&bom=true', { Accept: 'text/csv' }), 'bom invalid-value');
    const before = (await server.recorded()).length;
    await bytesOf('?bom=true&limit=1');
    const [reading] = (await server.recorded()).slice(before);
    expect(reading?.data).toEqual({ what: 'decisions', filter: {} });
  });
});

describe('after the erasure of a person, the list has no name', () => {
  const erase = async ({ id }: User) =>
    successful(
      await server.send('DELETE', `/users/${id}/personal-data`, { json: {}, headers: administrator.authorization }),
    );

  it('of the user, and no reason', async () => {
    const user = await newDoctor();
    await decide(user, 'approve', { reason: 'Known to the council.' }, colleague);
    await erase(user);
    const [decision] = successful(await server.get<Page<Decision>>('/audit/decisions?limit=1', auditor.authorization))
      .body.items;
    expect(decision).toMatchObject({ user: { id: user.id, name: null }, reason: null });
    expect(decision?.decidedBy.name).not.toBeNull();
  });

  it('of the administrator', async () => {
    const gone = await newCaller(server, administrator, { type: 'ADMINISTRATOR' });
    const user = await newDoctor({ firstName: 'Rosa', lastName: 'Lima' });
    await decide(user, 'approve', { reason: 'Checked.' }, gone);
    await erase(gone.user);
    const decision = first(await listed({ decidedBy: gone.user.id }));
    expect(decision).toMatchObject({ decidedBy: { id: gone.user.id, name: null }, reason: 'Checked.' });
    expect(decision.user.name).toBe('Rosa Lima');
  });
});
