// The present names in users: how many reads they take, the size of a page, and the names that other processes changed.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { institution } from '../../../src/domain/institution.js';
import { userOf } from '../../../src/domain/user/state.js';
import { user, userCommands } from '../../../src/domain/user/user.js';
import type { RouteContext } from '../../../src/http/route/context.js';
import { Reader } from '../../../src/http/route/reading.js';
import type { Route, RouteResult } from '../../../src/http/route/route.js';
import { userResult } from '../../../src/http/routes/users/changed.js';
import { userRoutes } from '../../../src/http/routes/users/routes.js';
import { SqliteViews } from '../../../src/infrastructure/views/sqlite/views.js';
import { type DocumentWrite, PAGE_BYTES, type Views } from '../../../src/infrastructure/views/views.js';
import { allProjections } from '../../../src/projections/all.js';
import { contextOf, processOn } from '../../commands/support/process.js';
import { at, leased } from '../../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../../support/directory.js';
import { numbers } from '../../support/items.js';
import { uuidOf } from '../../support/specification.js';

const USERS = 200;
const EACH = 25;
const MANY = 50;
const LONG = '\u{1F3E5}'.repeat(120);
const stored = new SqliteViews(temporaryDirectory());
afterAll(() => stored.close());

const counts = new Map<string, number>();
beforeEach(() => counts.clear());
const views = new Proxy(stored, {
  get: (target, name: keyof Views & string) => {
    const read = target[name];
    if (typeof read !== 'function') return read;
    return (...words: readonly unknown[]) => {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return Reflect.apply(read, target, words);
    };
  },
});

const institutionOf = (n: number, nth: number) => uuidOf(0x10000 + 5 * n + (nth % 5));
/** The first user has no attachment, the second 50 and every other user 25, of which some have the same name. */
const attachmentsOf = (n: number) =>
  numbers(1, n === 2 ? MANY : EACH).map((nth) => ({
    id: n === 2 ? uuidOf(0x20000 + nth) : institutionOf(n, nth),
    name: 'Old',
  }));
const indexed = { index: { email: [], name: '', institutionId: [], unityId: [] }, revision: 1 };
const write = (collection: string, n: number, document: { id: string }): DocumentWrite => {
  const place = { position: at(n), created: at(n) };
  return { collection, id: document.id, body: JSON.stringify(document), ...indexed, ...place };
};

beforeAll(async () => {
  for (const projection of allProjections) await stored.prepare(projection);
  const users = numbers(1, USERS).map((n) =>
    write('users', n, { id: uuidOf(n), unities: [], institutions: n === 1 ? [] : attachmentsOf(n) } as { id: string }),
  );
  const ids = [...new Set(numbers(2, USERS).flatMap((n) => attachmentsOf(n).map(({ id }) => id)))];
  const names = ids.map((id, n) => write('attachmentNames', n + 1, { id, name: `${LONG} ${n}` } as { id: string }));
  for (const [projection, writes] of Object.entries({ users, institutions: names })) {
    const lease = await leased(stored, { projection, number: 1 });
    expect(await stored.commit({ lease, writes, position: at(9_999) })).toBe(true);
  }
});

const progress = { reached: async () => true };
const reading = (sources: object) =>
  new Reader({
    views,
    progress,
    opaque: async () => ({ seal: (_: string, text: string) => text.split(' ')[0] }),
    ...sources,
  } as never);
const silent = { ownWrites: { of: () => undefined } };
const read = (reader: Reader, path: string, call: object): Promise<RouteResult> => {
  const route = userRoutes({ reader } as RouteContext).find(
    (each): each is Route => each.method === 'get' && each.path === path,
  );
  return (
    route?.handle({ readOptions: { list: () => '' }, ...call } as never) ?? Promise.reject(new Error(`no GET ${path}`))
  );
};
const page = (cursor?: string) =>
  read(reading({ streams: silent }), '/users', { query: { limit: USERS, sort: 'createdAt', cursor } });

describe('the reads of a request', () => {
  it('are two for a user with 50 attachments, and one for a user without', async () => {
    for (const [n, expected] of [
      [2, { get: 1, getAll: 1 }],
      [1, { get: 1 }],
    ] as const) {
      counts.clear();
      const { body } = await read(reading({ streams: silent }), '/users/{id}', { params: { id: uuidOf(n) } });
      expect(String(body).match(new RegExp(LONG, 'g'))?.length ?? 0).toBe(n === 1 ? 0 : MANY);
      expect(Object.fromEntries(counts)).toEqual(expected);
    }
  });

  it('are one for each 500 names of a page', async () => {
    await page();
    expect(Object.fromEntries(counts)).toEqual({ list: 1, getAll: 3 });
  });
});

describe('a page of users whose names became longer', () => {
  it('ends after 2 MiB, and the next page begins with the next user', async () => {
    const found: string[] = [];
    let pages = 0;
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const { body, nextCursor } = await page(cursor);
      const json = String(body);
      expect(Buffer.byteLength(json)).toBeLessThan(1.01 * PAGE_BYTES);
      const { items } = JSON.parse(json) as { items: readonly { id: string; institutions: { name: string }[] }[] };
      for (const { institutions } of items)
        for (const { name } of institutions) expect(name.startsWith(LONG)).toBe(true);
      found.push(...items.map(({ id }) => id));
      cursor = nextCursor;
      pages += 1;
    }
    expect(found).toEqual(numbers(1, USERS).map(uuidOf));
    expect(pages).toBeGreaterThan(1);
  });
});

describe('a name that another process changed', () => {
  const prepared = async () => {
    const directory = temporaryDirectory();
    const [service, other] = [processOn(directory), processOn(directory)];
    const create = institution.commands.CreateInstitution.parse({ name: 'Old' });
    const { id } = await service.handle(institution, 'new', { type: 'CreateInstitution', data: create }, contextOf());
    const sent = { firstName: 'Ana', lastName: 'X', email: 'ana@example.org', acceptedTerms: true };
    const register = { type: 'RegisterUser', data: userCommands.RegisterUser.parse(sent) } as const;
    const { id: userId } = await service.handle(user, 'new', register, contextOf());
    const data = { institutionId: id, name: 'Old' };
    const attach = () => service.handle(user, userId, { type: 'AttachToInstitution', data }, contextOf());
    await attach();
    // From now on, this process knows the institution with its old name.
    await service.streams.fresh(institution, id);
    const revise = { type: 'ReviseInstitution', data: { name: 'New' } } as const;
    await other.handle(institution, id, revise, contextOf());
    return { service, id, userId, attach };
  };

  it('is in the response to a write', async () => {
    const { service, id, attach } = await prepared();
    const { body, made } = await userResult(service.streams, await attach());
    expect(JSON.parse(body)).toMatchObject({ institutions: [{ id, name: 'New' }] });
    expect(made.institutions).toEqual({ [id]: 1 });
  });

  it('is in a user that is read from the log, because a view is behind the writes of this process', async () => {
    const { service, id, userId } = await prepared();
    for (const behind of ['users', 'institutions']) {
      const fields = userOf((await service.streams.fresh(user, userId)).state);
      const streams = Object.assign(Object.create(service.streams), {
        ownWrites: { of: () => at(1) },
        fresh: service.streams.fresh.bind(service.streams),
      });
      const reader = reading({
        streams,
        views: { get: async () => ({ body: JSON.stringify(fields), revision: 1 }), getAll: async () => [] },
        progress: { reached: async (projection: string) => projection !== behind },
      });
      const { body, isAlwaysSent } = await read(reader, '/users/{id}', { params: { id: userId } });
      expect([JSON.parse(String(body)).institutions, isAlwaysSent], behind).toEqual([[{ id, name: 'New' }], true]);
    }
  });
});
