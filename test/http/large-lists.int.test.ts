// Lists of users whose documents are as large as anyone can make them: a page ends by its bytes, and the list of
// decisions and the list of profiles read only the names of users.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decisionPage } from '../../src/audit/decisions.js';
import type { RouteContext } from '../../src/http/route/context.js';
import { Reader } from '../../src/http/route/reading.js';
import type { Route, RouteResult } from '../../src/http/route/route.js';
import { routesOf } from '../../src/http/routes.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import { type DocumentWrite, PAGE_BYTES } from '../../src/infrastructure/views/views.js';
import { allProjections } from '../../src/projections/all.js';
import { at, leased } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { expectTurns } from '../support/event-loop.js';
import { numbers } from '../support/items.js';
import { uuidOf } from '../support/specification.js';

const USERS = 200;
const PROFILE = 'p'.repeat(12_700);
const INSTANT = '2026-01-05T08:00:00.000Z';

const profileOf = (n: number, nth: number) => ({
  id: uuidOf(0x10000 + 20 * n + nth),
  userId: uuidOf(n),
  approvalStatus: 'ANALYSING',
  specialties: [PROFILE],
});
const userOf = (n: number) => ({
  id: uuidOf(n),
  firstName: `Ana ${n}`,
  lastName: 'Souza',
  institutions: [],
  profiles: numbers(0, 19).map((nth) => profileOf(n, nth)),
});

const all = new Map(numbers(1, USERS).map((n) => [uuidOf(n), userOf(n)]));

const directory = temporaryDirectory();
const views = new SqliteViews(directory);

const commit = async (projection: string, writesOf: (n: number) => readonly (readonly [string, object])[]) => {
  const lease = await leased(views, { projection, number: 1 });
  for (const n of numbers(1, USERS)) {
    const index = { since: INSTANT, until: '~' };
    const fixed = { revision: 0, position: at(n), created: at(n), index };
    const writes = writesOf(n).map(([collection, document]): DocumentWrite => {
      const id = 'id' in document ? String(document.id) : `${n}`;
      return { collection, id, body: JSON.stringify(document), ...fixed };
    });
    expect(await views.commit({ lease, writes, position: at(n) })).toBe(true);
  }
};

beforeAll(async () => {
  for (const projection of allProjections) await views.prepare(projection);
  await commit('users', (n) => {
    const { id, firstName, lastName, profiles } = userOf(n);
    const standing = { profileId: profiles[0]?.id, userId: id };
    const decided = { userId: id, decidedBy: uuidOf(USERS + 1 - n), revision: 1, position: at(n) };
    return [
      ['profileDecisions', decided],
      ['profileStandings', standing],
      ['profiles', profileOf(n, 0)],
      ['userNames', { id, firstName, lastName, institutionIds: [] }],
      ['users', userOf(n)],
    ];
  });
});
afterAll(() => views.close());

const app = {
  views,
  streams: {
    asOf: async (_: unknown, id: string) => ({
      state: { status: 'active', fields: all.get(id) },
    }),
  },
  reader: new Reader({
    views,
    facts: { head: async () => undefined },
    progress: { reached: async () => true },
    opaque: async () => ({ seal: (_: string, text: string) => text.split(' ')[0] }),
  } as never),
} as unknown as RouteContext;

const read = (path: string, query: object, asOf?: string): Promise<RouteResult> => {
  const route = routesOf(app).find((each): each is Route => each.method === 'get' && each.path === path);
  if (route === undefined) throw new Error(`no GET ${path}`);
  const call = {
    query: { limit: 200, sort: 'createdAt', ...query },
    readOptions: { asOf, consistency: undefined, list: () => '' },
  };
  return route.handle({ ...call, params: {}, seesAll: true } as never);
};

describe.each([
  { path: '/users', asOf: undefined },
  { path: '/profiles', asOf: undefined },
  { path: '/profiles', asOf: INSTANT },
])('GET $path?limit=200 of large users (asOf: $asOf)', ({ path, asOf }) => {
  it('has each item once, on pages of at most 2 MiB', async () => {
    const found: string[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const { body, nextCursor } = await read(path, { cursor }, asOf);
      const json = String(body);
      expect(Buffer.byteLength(json)).toBeLessThan(1.01 * PAGE_BYTES);
      const { items } = JSON.parse(json) as { items: readonly { id: string }[] };
      found.push(...items.map(({ id }) => id));
      cursor = nextCursor;
    }
    expect(found).toEqual(numbers(1, USERS).map((n) => (path === '/users' ? uuidOf(n) : profileOf(n, 0).id)));
  });

  it('leaves the event loop to others', () =>
    expectTurns(() => Promise.all(numbers(1, 2).map((n) => read(path, { limit: 200 - n }, asOf)))));
});

describe('the list of decisions on large users', () => {
  it('leaves the event loop to others', async () => {
    const sources = { views, facts: { readStream: async function* () {} } };
    const page = { after: undefined, limit: 200 };
    await expectTurns(() => Promise.all(numbers(1, 2).map(() => decisionPage(sources, {}, page))));
    const { items } = await decisionPage(sources, {}, page);
    expect(items).toHaveLength(USERS);
    expect(items[0]).toMatchObject({ user: { name: `Ana ${USERS} Souza` }, decidedBy: { name: 'Ana 1 Souza' } });
  });
});
