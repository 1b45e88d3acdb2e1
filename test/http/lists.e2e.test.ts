// What every list has in common: its pages, its cursors, its order, its total and its ETag. The lists are those of the
// OpenAPI document.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allRoutes } from '../../scripts/routes-doc.js';
import { fetchOpenApi, type OpenApiDocument } from '../support/contract.js';
import { first } from '../support/items.js';
import { upToDate } from '../support/opaque.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './support/refusals.js';
import { allOperationsOf, type Ids, newResources, pathOf } from './support/routes.js';
import type { Page } from './support/samples.js';
import { createDoctor, createInstitution, successful } from './support/samples.js';

const server = sharedService();
type Item = { readonly id: string; readonly name?: string; readonly version?: number };
type Listed = Page<Item> & { readonly total?: number };
const hasField = (schema: unknown, name: string): boolean =>
  schema instanceof z.ZodObject && Object.hasOwn(schema.shape, name);
/** The lists: the reads with `nextCursor` in their response. */
const lists = allRoutes.filter(({ method, responses }) => method === 'get' && hasField(responses[200], 'nextCursor'));
const paths = lists.map(({ path }) => path);
const thatTake = (parameter: string) => lists.filter(({ query }) => hasField(query, parameter)).map(({ path }) => path);
// A list from the log itself needs no token. Reading the audit trail adds to it, at its end.
const VIEW = /^(?!\/audit\/events|.*\/history$)/;

let ids: Ids;
/** The header with which a list shows everything that this file created. */
let fresh: Readonly<Record<string, string>> = {};
beforeAll(async () => {
  ids = await newResources(server);
  await newResources(server);
  successful(await server.post(`/institutions/${ids['institutionId']}/unities`, { name: 'Another' }));
  fresh = await upToDate(server);
});

const read = async (path: string) => successful(await server.get<Listed>(path, VIEW.test(path) ? fresh : {}));
const nextOf = ({ headers }: { headers: Headers }) => /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

it.each(['cursor', 'sort', 'total'])('the lists that take %s are those of the OpenAPI document', async (parameter) => {
  const described = allOperationsOf(await fetchOpenApi<OpenApiDocument>(server));
  const takes = described.filter(({ operation }) => operation.parameters.some(({ name }) => name === parameter));
  const expected = parameter === 'cursor' ? paths : thatTake(parameter);
  expect(takes.map(({ route }) => route).toSorted()).toEqual(expected.toSorted());
  expect(expected).not.toEqual([]);
});

describe.each(paths)('GET %s', (route) => {
  const path = () => pathOf(route, ids);

  it('has pages that follow each other, linked by the cursor in nextCursor', async () => {
    const { items } = (await read(`${path()}?limit=2`)).body;
    const one = await read(`${path()}?limit=1`);
    // The audit trail, oldest first, goes on after a position.
    const next = nextOf(one) ?? `${path()}?limit=1&after=${one.body.nextCursor}`;
    expect(next.replace('&after=', '&cursor=')).toBe(`${path()}?limit=1&cursor=${one.body.nextCursor}`);
    const two = await read(next);
    expect([...one.body.items, ...two.body.items]).toEqual(items);
    expect(items).toHaveLength(2);
    // The resources of this file have two items each, and at least as many events.
    if (/\{.*(?<!\/history)$/.test(route)) expect([two.body.nextCursor, nextOf(two)]).toEqual([null, undefined]);
    expectRefused(await server.get(`${path()}?limit=0&cursor=x`), 'cursor bad-cursor', 'limit too-small');
  });

  it('has an ETag, which makes a repeated read 304', async () => {
    const page = `${path()}?limit=1`;
    const etag = `${(await read(page)).headers.get('etag')}`;
    const again = await server.get(page, { 'If-None-Match': etag });
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await server.get(`${path()}?limit=2`, { 'If-None-Match': etag })).status).toBe(200);
  });
});

describe('a cursor', () => {
  /** Returns the cursor of the first page: of the audit trail, newest first. */
  const cursorOf = async (path: string) => {
    const sorted = path.startsWith('/audit/events') ? `${path}?sort=-position&limit=1` : `${path}?limit=1`;
    const { nextCursor } = (await read(sorted)).body;
    expect(nextCursor).not.toBeNull();
    return `${nextCursor}`;
  };
  const withCursor = (path: string, cursor: string) =>
    `${path}?cursor=${cursor}${path.includes('/audit/events') ? '&sort=-position' : ''}`;

  it.each(paths)('belongs to its list: %s', async (route) => {
    const path = pathOf(route, ids);
    const cursor = await cursorOf(path);
    for (const other of paths.filter((each) => each !== route)) {
      expectRefused(await server.get(withCursor(pathOf(other, ids), cursor)), 'cursor bad-cursor');
    }
    const prefixed = await server.get<Listed>(withCursor(`/admin-service${path}`, cursor), fresh);
    expect(successful(prefixed).body.items).toEqual((await read(withCursor(path, cursor))).body.items);
  });

  it.each(paths.filter((path) => path.includes('{')))('belongs to the resource of its list: %s', async (route) => {
    const others = await newResources(server);
    fresh = await upToDate(server);
    const cursor = await cursorOf(pathOf(route, ids));
    const path = pathOf(route, others);
    expectRefused(await server.get(withCursor(path, cursor)), 'cursor bad-cursor');
    // In capitals, an id is the same.
    await read(
      withCursor(path, cursor).replaceAll(
        path,
        pathOf(route, ids).replaceAll(/[\da-f-]{36}/g, (id) => id.toUpperCase()),
      ),
    );
  });

  it.each(thatTake('sort'))('belongs to its sort: %s', async (route) => {
    const path = pathOf(route, ids);
    const cursor = await cursorOf(path);
    if (route === '/audit/events') {
      expectRefused(await server.get(`${path}?cursor=${cursor}`), 'cursor excluded');
      return;
    }
    const orders = ['createdAt', '-createdAt'];
    const accepted = await Promise.all(
      orders.map((sort) => server.get(`${path}?sort=${sort}&cursor=${cursor}`, fresh)),
    );
    expect(accepted.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    for (const refused of accepted.filter(({ status }) => status === 400)) expectRefused(refused, 'cursor bad-cursor');
  });

  it('belongs to its filters, but not to its limit and total', async () => {
    const { nextCursor } = (await read(`/users?limit=1`)).body;
    for (const filter of ['name=a', `institutionId=${ids['institutionId']}`, 'email=a@b.example', 'name=']) {
      expectRefused(await server.get(`/users?${filter}&cursor=${nextCursor}`), 'cursor bad-cursor');
    }
    for (const more of ['limit=2', 'total=true', 'total=false&limit=200', 'sort=createdAt']) {
      await read(`/users?${more}&cursor=${nextCursor}`);
    }
    const filtered = (await read('/profiles?approvalStatus=REJECTED&limit=1')).body.nextCursor;
    await read(`/profiles?limit=3&approvalStatus=REJECTED&cursor=${filtered}`);
    for (const filter of ['', 'approvalStatus=APPROVED', 'type=NURSE&approvalStatus=REJECTED']) {
      expectRefused(await server.get(`/profiles?${filter}&cursor=${filtered}`), 'cursor bad-cursor');
    }
    const events = (await read('/audit/events?sort=-position&type=UserRegistered&limit=1')).body.nextCursor;
    expectRefused(
      await server.get(`/audit/events?sort=-position&type=UserRevised&cursor=${events}`),
      'cursor bad-cursor',
    );
  });
});

describe('a list that takes sort', () => {
  it.each(thatTake('sort'))('can be reversed, and a cursor continues in the reversed order: %s', async (route) => {
    const path = () => pathOf(route, ids);
    const by = route === '/audit/events' ? 'position' : 'createdAt';
    const [oldest, newest] = [await read(`${path()}?sort=${by}`), await read(`${path()}?sort=-${by}&limit=1`)];
    const older = await read(`${nextOf(newest)}`);
    const [last, before] = [first(newest.body.items), first(older.body.items)];
    expect(last.id).not.toBe(first(oldest.body.items).id);
    const all = await read(`${path()}?sort=${by}&limit=200`);
    if (all.body.nextCursor === null && by === 'createdAt') expect(all.body.items.slice(-2)).toEqual([before, last]);
    expectRefused(await server.get(`${path()}?sort=name`), 'sort invalid-value');
  });
});

describe('a list that takes total', () => {
  it.each(thatTake('total'))('counts its items: %s', async (route) => {
    const path = () => pathOf(route, ids);
    const { total, items } = (await read(`${path()}?total=true&limit=1`)).body;
    expect([items.length, Number(total) >= 2]).toEqual([1, true]);
    expect((await read(`${path()}?total=false`)).body).not.toHaveProperty('total');
  });

  it.each(thatTake('name').filter((route) => thatTake('total').includes(route)))(
    'counts with a name, because what the path asks for is no filter: %s',
    async (route) => expect((await read(`${pathOf(route, ids)}?name=x&total=true`)).body).toHaveProperty('total'),
  );

  it.each([
    '/profiles?approvalStatus=ANALYSING&type=NURSE&total=true',
    '/profiles?asOf=2026-01-01T00:00:00Z&total=true',
    `/protocols?institutionId=${randomUUID()}&name=x&total=true`,
  ])('is refused with total if counting would not be cheap: %s', async (path) => {
    expectRefused(await server.get(path), 'total not-countable');
  });
});

describe('the order of a list', () => {
  it('is oldest first, except for the versions of a form', async () => {
    const versions = async (query = '') => {
      const { body } = await read(`/protocols/${ids['protocolId']}/forms${query}`);
      return body.items.map(({ version }) => version);
    };
    expect([await versions(), await versions('?sort=createdAt')]).toEqual([
      [2, 1],
      [1, 2],
    ]);
    const { body } = await read(`/institutions/${ids['institutionId']}/unities`);
    expect(body.items.map((item) => 'name' in item && item.name)).toEqual(['Ward', 'Another']);
  });
});

describe('the ETag of a list', () => {
  it('is a digest that changes with each item of the page, and never matches in a write', async () => {
    const { id } = await createInstitution(server, { name: randomUUID() });
    const tagAfter = async (address: string) => {
      const written = successful(await server.put<{ name: string }>(`/institutions/${id}`, { address }));
      fresh = { 'Consistency-Token': `${written.headers.get('consistency-token')}` };
      return `${(await read(`/institutions?name=${written.body.name}`)).headers.get('etag')}`;
    };
    const [before, after] = [await tagAfter('One'), await tagAfter('Two')];
    expect(before).toMatch(/^"[\w-]{43}"$/);
    expect(after).not.toBe(before);
    const response = await server.put(`/institutions/${id}`, { name: 'New' }, { 'If-Match': after });
    expectProblem(response, 412, 'revision-mismatch');
  });

  it('of profiles changes with the name of a user', async () => {
    const { id } = await createDoctor(server, { profiles: [{ type: 'NURSE' }] });
    const tagAfter = async (firstName: string) => {
      const { headers } = successful(await server.put(`/users/${id}`, { firstName }));
      const token = { 'Consistency-Token': `${headers.get('consistency-token')}` };
      return (await server.get('/profiles?type=NURSE&sort=-createdAt&limit=1', token)).headers.get('etag');
    };
    expect(await tagAfter('Rosa')).not.toBe(await tagAfter('Lia'));
  });
});
