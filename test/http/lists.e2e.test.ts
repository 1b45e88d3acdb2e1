// What all lists have in common besides their filters: the order, the total, and the ETag of a page.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './refusals.js';
import {
  createDoctor,
  createInstitution,
  createProtocol,
  createQuestionnaire,
  createSpecialty,
  type FormVersion,
  first,
  type Institution,
  numbered,
  type Page,
  successful,
  type UserProfile,
} from './samples.js';

const server = sharedService();

type Counted<T> = Page<T> & { readonly total?: number };
const name = `Clinic ${randomUUID()}`;
let institutions: readonly Institution[] = [];
/** The header with which a list shows everything that this file created. */
let fresh: Record<string, string> = {};

beforeAll(async () => {
  const made: Institution[] = [];
  for (const unities of numbered(3, (n) => numbered(n, (unity) => ({ name: `Unity ${unity}` })))) {
    made.push(await createInstitution(server, { name: `${name} ${made.length + 1}`, unities }));
  }
  institutions = made;
  const { headers } = await server.put(`/institutions/${first(made).id}`, { address: 'Rua das Flores, 100' });
  fresh = { 'Consistency-Token': headers.get('consistency-token') ?? '' };
});

const list = async <T = Institution>(path: string) => successful(await server.get<Counted<T>>(path, fresh));
const namesIn = ({ body }: { body: Page<Institution> }) => body.items.map((item) => item.name);
const mine = () => `/institutions?name=${encodeURIComponent(name)}`;

/** Creates one item of each list. Resolves to the ids. */
const oneOfEach = async (): Promise<readonly string[]> => {
  const { id, profiles } = await createDoctor(server);
  const specialty = await createSpecialty(server, { name: `Specialty ${randomUUID()}` });
  const institution = await createInstitution(server);
  const protocol = await createProtocol(server, institution.id);
  return [id, first(profiles).id, specialty.id, institution.id, protocol.id];
};

describe('sort', () => {
  it('reverses the order of creation, and a cursor continues in the reversed order', async () => {
    const names = institutions.map((item) => item.name);
    expect(namesIn(await list(`${mine()}&sort=createdAt`))).toEqual(names);
    expect(namesIn(await list(`${mine()}&sort=-createdAt`))).toEqual(names.toReversed());
    const page = await list(`${mine()}&sort=-createdAt&limit=2`);
    const [, next] = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? [];
    expect(namesIn(await list(String(next)))).toEqual(names.slice(0, 1));
  });

  it.each(['/users', '/profiles', '/protocols', '/specialties', '/institutions'])(
    'is available on %s',
    async (path) => {
      const [older, newer] = [await oneOfEach(), await oneOfEach()];
      const mine = new Set([...older, ...newer]);
      await eventually(async () => {
        const { items } = (await list<{ id: string }>(`${path}?sort=-createdAt`)).body;
        const found = items.map(({ id }) => id).filter((id) => mine.has(id));
        expect(found.map((id) => newer.includes(id))).toEqual([true, false]);
      });
    },
  );

  it('is descending by default for the versions of a form', async () => {
    const { protocol } = await createQuestionnaire(server, first(institutions).id);
    const { headers } = successful(await server.post(`/protocols/${protocol.id}/forms/versions`));
    const token = { 'Consistency-Token': headers.get('consistency-token') ?? '' };
    const versions = async (query: string) => {
      const { body } = await server.get<Page<FormVersion>>(`/protocols/${protocol.id}/forms${query}`, token);
      return body.items.map(({ version }) => version);
    };
    expect(await versions('')).toEqual([2, 1]);
    expect(await versions('?sort=-createdAt')).toEqual([2, 1]);
    expect(await versions('?sort=createdAt')).toEqual([1, 2]);
  });

  it('is refused if it names an unknown order', async () => {
    expectRefused(await server.get('/institutions?sort=name'), 'sort invalid-value');
  });
});

describe('total=true', () => {
  it('adds the number of items on all pages', async () => {
    expect((await list(`${mine()}&total=true&limit=1`)).body).toMatchObject({ total: 3, items: [{}] });
    const { id } = institutions[2] ?? { id: '' };
    expect((await list(`/institutions/${id}/unities?total=true`)).body.total).toBe(3);
    expect((await list(`/institutions/${id}/unities?total=true&name=unity%202`)).body.total).toBe(1);
    expect((await list('/institutions?total=false')).body).not.toHaveProperty('total');
  });

  it.each(['/users', '/profiles', '/protocols', '/specialties', '/institutions', '/profiles?approvalStatus=ANALYSING'])(
    'counts %s',
    async (path) => {
      const query = path.includes('?') ? '&' : '?';
      expect((await list(`${path}${query}total=true&limit=1`)).body.total).toBeGreaterThanOrEqual(0);
    },
  );

  it.each([
    '/profiles?approvalStatus=ANALYSING&type=NURSE&total=true',
    '/profiles?asOf=2026-01-01T00:00:00Z&total=true',
    `/protocols?institutionId=${randomUUID()}&name=x&total=true`,
  ])('is refused if counting would not be cheap: %s', async (path) => {
    expectRefused(await server.get(path), 'total not-countable');
  });
});

describe('the ETag of a list', () => {
  it('is strong, stays the same while the page does, and makes a repeated read 304', async () => {
    const { headers } = await list(mine());
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    const unchanged = await server.get(mine(), { ...fresh, 'If-None-Match': etag });
    expect([unchanged.status, unchanged.body, unchanged.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await server.get(`${mine()}&limit=1`, { ...fresh, 'If-None-Match': etag })).status).toBe(200);
  });

  it('changes with each item of the page, and with other pages only through the cursor', async () => {
    const tag = async (query = '') => (await list(`${mine()}${query}`)).headers.get('etag');
    const before = [await tag(), await tag('&limit=1')];
    const last = institutions.at(-1)?.id;
    const { headers } = successful(await server.put(`/institutions/${last}`, { address: randomUUID() }));
    fresh = { 'Consistency-Token': headers.get('consistency-token') ?? '' };
    const after = [await tag(), await tag('&limit=1')];
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([false, true]);
  });

  it('of profiles changes with the name of a user', async () => {
    const user = await createDoctor(server, { profiles: [{ type: 'NURSE' }] });
    const path = '/profiles?type=NURSE&sort=-createdAt&limit=1';
    const tagAfter = async (write: Promise<{ headers: Headers }>) => {
      const token = { 'Consistency-Token': (await write).headers.get('consistency-token') ?? '' };
      return successful(await server.get<Page<UserProfile>>(path, token)).headers.get('etag');
    };
    const before = await tagAfter(server.put(`/users/${user.id}`, { firstName: 'Rosa' }));
    const after = await tagAfter(server.put(`/users/${user.id}`, { firstName: 'Lia' }));
    expect(after).not.toBe(before);
  });

  it('also exists for the audit trail and a history', async () => {
    const { id, profiles } = await createDoctor(server);
    for (const path of [`/users/${id}/profiles/${first(profiles).id}/history`, `/audit/events?stream=user-${id}`]) {
      const { headers } = successful(await server.get(path));
      const again = await server.get(path, { 'If-None-Match': headers.get('etag') ?? '' });
      expect(again.status).toBe(304);
    }
  });

  it('never matches in a write', async () => {
    const { headers } = await list(mine());
    const response = await server.put(
      `/institutions/${first(institutions).id}`,
      { name },
      {
        'If-Match': headers.get('etag') ?? '',
      },
    );
    expectProblem(response, 412, 'revision-mismatch');
  });
});
