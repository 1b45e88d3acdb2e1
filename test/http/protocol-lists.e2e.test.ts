// The list of protocols: its order, its filters and its pages.
import { beforeAll, describe, expect, it } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectRefused } from './support/refusals.js';
import {
  createInstitution,
  createProtocol,
  numbered,
  type Page,
  type Protocol,
  successful,
} from './support/samples.js';

const server = sharedService();

/** Reads a list that has everything written so far. */
const list = async (query: Record<string, string>, prefix = '') => {
  const written = successful(await server.post('/institutions', { name: 'Later than everything' }));
  const token = `${written.headers.get('consistency-token')}`;
  const parameters = new URLSearchParams(query);
  return successful(
    await server.get<Page<Protocol>>(`${prefix}/protocols?${parameters}`, { 'Consistency-Token': token }),
  );
};
const namesOf = ({ body }: { body: Page<Protocol> }) => body.items.map(({ name }) => name);

const nextOf = ({ headers }: ClientResponse) => /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

describe('the pages of a list', () => {
  let institutionId: string;
  const names = numbered(120, (n) => `Protocol ${n}`);
  beforeAll(async () => {
    institutionId = (await createInstitution(server)).id;
    for (const name of names) await createProtocol(server, institutionId, { name });
  });

  it('have 50 items, or as many as limit says, oldest first', async () => {
    const page = await list({ institutionId });
    expect(namesOf(page)).toEqual(names.slice(0, 50));
    expect(namesOf(await list({ institutionId, limit: '7' }))).toEqual(names.slice(0, 7));
    expect(namesOf(await list({ institutionId, limit: '200' }))).toEqual(names);
  });

  it('name the next page in nextCursor and in the Link header; the last page has neither', async () => {
    const page = await list({ institutionId, limit: '100' });
    const cursor = `${page.body.nextCursor}`;
    expect(page.headers.get('link')).toBe(
      `</protocols?institutionId=${institutionId}&limit=100&cursor=${cursor}>; rel="next"`,
    );
    const last = await list({ institutionId, limit: '100', cursor });
    expect(namesOf(last)).toEqual(names.slice(100));
    expect([last.body.nextCursor, last.headers.get('link')]).toEqual([null, null]);
  });

  it('end without an empty page if the last page is exactly full', async () => {
    const { body, headers } = await list({ institutionId, limit: '120' });
    expect([body.items.length, body.nextCursor, headers.get('link')]).toEqual([120, null, null]);
  });

  it('keep their order while other requests create and revise: a new item comes last', async () => {
    const { id } = await createInstitution(server);
    for (const name of names.slice(0, 10)) await createProtocol(server, id, { name });
    const one = await list({ institutionId: id, limit: '5' });
    await createProtocol(server, id, { name: 'New' });
    await server.put(`/protocols/${nth(one.body.items, 0).id}`, { name: 'Revised' });
    const two = await list({ institutionId: id, limit: '5', cursor: `${one.body.nextCursor}` });
    const three = await list({ institutionId: id, limit: '5', cursor: `${two.body.nextCursor}` });
    expect([...namesOf(one), ...namesOf(two), ...namesOf(three)]).toEqual([...names.slice(0, 10), 'New']);
    expect(namesOf(await list({ institutionId: id, limit: '1' }))).toEqual(['Revised']);
  });

  it('keep the prefix and the filters in the link to the next page', async () => {
    const next = `${nextOf(await list({ institutionId, name: 'protocol 1', limit: '2' }, '/admin-service'))}`;
    expect(next).toMatch(/^\/admin-service\/protocols\?/);
    const { body } = await server.get<Page<Protocol>>(next);
    expect(namesOf({ body })).toEqual(['Protocol 11', 'Protocol 12']);
  });
});

describe('the filters of a list', () => {
  let institutionId: string;
  const names = [
    'Émotion',
    'emotional',
    'EMOTIONS (é)',
    'Em',
    'Other emotion',
    '100% sure',
    'ﬁne',
    'Ångström',
    '情緒 1',
  ];
  beforeAll(async () => {
    institutionId = (await createInstitution(server)).id;
    for (const name of names) await createProtocol(server, institutionId, { name });
  });

  it.each([
    { name: 'emotion', found: ['Émotion', 'emotional', 'EMOTIONS (é)'] },
    { name: 'ÉMOTION', found: ['Émotion', 'emotional', 'EMOTIONS (é)'] },
    { name: 'e\u0301m', found: ['Émotion', 'emotional', 'EMOTIONS (é)', 'Em'] },
    { name: 'emotions (e', found: ['EMOTIONS (é)'] },
    { name: 'motion', found: [] },
    { name: '100%', found: ['100% sure'] },
    { name: '1%', found: [] },
    { name: '_', found: [] },
    { name: 'fi', found: ['ﬁne'] },
    { name: 'angstr', found: ['Ångström'] },
    { name: '情', found: ['情緒 1'] },
    { name: '', found: names },
  ])('name matches a prefix regardless of case and accents: $name', async ({ name, found }) => {
    expect(namesOf(await list({ institutionId, name }))).toEqual(found);
  });

  it('name matches the current name of a protocol', async () => {
    const { id } = await createProtocol(server, institutionId, { name: 'Vorher' });
    await server.put(`/protocols/${id}`, { name: 'Nachher' });
    expect(namesOf(await list({ institutionId, name: 'vorher' }))).toEqual([]);
    expect(namesOf(await list({ institutionId, name: 'nachher' }))).toEqual(['Nachher']);
  });

  it('institutionId finds only the protocols of that institution, and none for an unknown institution', async () => {
    const other = await createInstitution(server);
    await createProtocol(server, other.id, { name: 'Elsewhere' });
    expect(namesOf(await list({ institutionId: other.id }))).toEqual(['Elsewhere']);
    expect(namesOf(await list({ institutionId: other.id.toUpperCase() }))).toEqual(['Elsewhere']);
    const { id: notAnInstitution } = await createProtocol(server, other.id);
    expect(namesOf(await list({ institutionId: notAnInstitution }))).toEqual([]);
  });
});

describe('a list refuses', () => {
  it.each([
    ['limit=201', 'limit too-big'],
    ['limit=1.5', 'limit invalid-format'],
    ['limit=', 'limit invalid-format'],
    ['limit=5&limit=6', 'limit invalid-type'],
    ['cursor=', 'cursor bad-cursor'],
    ['institutionId=', 'institutionId invalid-format'],
  ])('%s with 400', async (query, fault) => {
    expectRefused(await server.get(`/protocols?${query}`), fault);
  });

  it('all invalid parameters in one response', async () => {
    expectRefused(
      await server.get('/protocols?limit=0&cursor=%20&institutionId=x', { 'Consistency-Token': '!' }),
      ...['consistency-token invalid-format', 'cursor bad-cursor', 'institutionId invalid-format', 'limit too-small'],
    );
  });
});
