// The form in use, the forms of a protocol by status, the forms of all protocols, and the lists of archived protocols. The
// process that wrote reads them at once, and every other process with a token.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client, ClientResponse } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { upToDate } from '../support/opaque.js';
import { RealService } from '../support/real-service.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './support/refusals.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  type Form,
  type FormVersion,
  numbered,
  type Page,
  type Protocol,
  type ProtocolAndForm,
  successful,
} from './support/samples.js';

const server = sharedService();
type ListedForm = FormVersion & { readonly protocol: Pick<Protocol, 'id' | 'name' | 'institutionId'> };

let institutionId: string;
let mark: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});
beforeEach(() => {
  mark = randomUUID();
});

const tokenOf = ({ headers }: ClientResponse) => ({ 'Consistency-Token': `${headers.get('consistency-token')}` });
/** Returns a client of every http process. */
const processes = (): readonly Client[] => (server instanceof RealService ? server.http : [server]);
const act = async <T = Form>(path: string, json?: unknown) => successful(await server.post<T>(path, json));
const create = (name = mark): Promise<ProtocolAndForm> => createQuestionnaire(server, institutionId, { name });
const newVersion = async (id: string) => (await act(`/protocols/${id}/forms/versions`)).body;

describe('the current form', () => {
  it('is the published form with the highest version, for its writer at once and for others with a token', async () => {
    const { protocol, form } = await create();
    const path = `/protocols/${protocol.id}/forms`;
    expectProblem(await server.get(`${path}/current`), 404, 'no-published-form');
    const published = await act(`${path}/${form.id}/publish`);
    const current = await server.get<Form>(`${path}/current`);
    expect([current.body, current.headers.get('etag')]).toEqual([published.body, published.headers.get('etag')]);
    const second = await newVersion(protocol.id);
    expect((await server.get<Form>(`${path}/current`)).body).toEqual(published.body);
    const newer = await act(`${path}/${second.id}/publish`);
    expect(newer.body).toMatchObject({ id: second.id, status: 'PUBLISHED' });
    expect((await server.get(`${path}/current`)).body).toEqual(newer.body);
    for (const other of processes()) {
      const { body, headers } = successful(await other.get<Form>(`${path}/current`, tokenOf(newer)));
      expect([body, headers.get('etag')]).toEqual([newer.body, newer.headers.get('etag')]);
    }
  });

  it('is the older published form once the newer one is retired, and then none', async () => {
    const { protocol, form } = await create();
    const path = `/protocols/${protocol.id}/forms`;
    const second = await newVersion(protocol.id);
    for (const { id } of [form, second]) await act(`${path}/${id}/publish`);
    const retired = await act(`${path}/${second.id}/retire`);
    expect((await server.get<Form>(`${path}/current`)).body.id).toBe(form.id);
    for (const other of processes()) {
      expect((await other.get<Form>(`${path}/current`, tokenOf(retired))).body.id).toBe(form.id);
    }
    const last = await act(`${path}/${form.id}/retire`);
    for (const other of processes()) {
      expectProblem(await other.get(`${path}/current`, tokenOf(last)), 404, 'no-published-form');
    }
  });

  it('is never a form that is not published, while another client publishes and retires', async () => {
    const { protocol, form } = await create();
    const path = `/protocols/${protocol.id}/forms`;
    await act(`${path}/${form.id}/publish`);
    let writing = true;
    const change = async () => {
      for (const _ of numbered(10, (n) => n)) {
        const { id } = await newVersion(protocol.id);
        await act(`${path}/${id}/publish`);
        await act(`${path}/${id}/retire`);
      }
      writing = false;
    };
    const read = async () => {
      while (writing) {
        const { body } = successful(await server.get<Form>(`${path}/current`));
        expect(body.status).toBe('PUBLISHED');
      }
    };
    await Promise.all([change(), read()]);
  });

  it('as of a past time is the form that was published then', async () => {
    const { protocol, form } = await create();
    const path = `/protocols/${protocol.id}/forms`;
    const asOf = (instant: string) => server.get<Form>(`${path}/current?asOf=${instant}`);
    await eventually(() => expect(new Date().toISOString() > form.createdAt).toBe(true));
    const published = (await act(`${path}/${form.id}/publish`)).body;
    await eventually(() => expect(new Date().toISOString() > published.updatedAt).toBe(true));
    await act(`${path}/${form.id}/retire`);
    expectProblem(await asOf(form.createdAt), 404, 'no-published-form');
    expect(successful(await asOf(published.updatedAt)).body).toEqual(published);
    expectProblem(await asOf('2999-01-01T00:00:00Z'), 404, 'no-published-form');
    expectProblem(await asOf('2020-01-01T00:00:00Z'), 404, 'protocol-not-found');
  });
});

describe('the forms of a protocol by status', () => {
  it('are listed newest first, and counted', async () => {
    const { protocol, form } = await create();
    const path = `/protocols/${protocol.id}/forms`;
    const [second, third] = [await newVersion(protocol.id), await newVersion(protocol.id)];
    for (const { id } of [form, second]) await act(`${path}/${id}/publish`);
    const written = await act(`${path}/${form.id}/retire`);
    for (const other of processes()) {
      const found = async (query: string) => {
        const { body } = successful(await other.get<Page<FormVersion>>(`${path}?${query}`, tokenOf(written)));
        return body.items.map(({ id, status }) => [id, status]);
      };
      expect(await found('status=DRAFT')).toEqual([[third.id, 'DRAFT']]);
      expect(await found('status=PUBLISHED')).toEqual([[second.id, 'PUBLISHED']]);
      expect(await found('status=RETIRED')).toEqual([[form.id, 'RETIRED']]);
      expect((await found('sort=createdAt')).map(([id]) => id)).toEqual([form.id, second.id, third.id]);
      const counted = await other.get<{ total: number }>(`${path}?status=DRAFT&total=true`, tokenOf(written));
      expect(counted.body.total).toBe(1);
    }
    expectRefused(await server.get(`${path}?status=draft`), 'status invalid-value');
  });
});

describe('the forms of all protocols', () => {
  const read = async (query: Record<string, string>, reader: Client = server) =>
    successful(await reader.get<Page<ListedForm>>(`/forms?${new URLSearchParams(query)}`, await upToDate(server))).body;

  it('are listed oldest first with their protocols and without their questions', async () => {
    const one = await create(`${mark} Émotion`);
    const two = await create(`${mark} Falls`);
    const version = await newVersion(one.protocol.id);
    for (const reader of processes()) {
      const { items, nextCursor } = await read({ name: mark }, reader);
      const { id, name } = one.protocol;
      const { questions: _, scoreRanges: __, ...head } = one.form;
      expect(items[0]).toEqual({ ...head, protocol: { id, name, institutionId } });
      expect([items.map((item) => item.id), nextCursor]).toEqual([[one.form.id, two.form.id, version.id], null]);
    }
  });

  it('are filtered by status, institution and the beginning of the name', async () => {
    const one = await create(`${mark} Émotion`);
    const other = await createInstitution(server);
    const two = await createQuestionnaire(server, other.id, { name: `${mark} Falls` });
    await act(`/protocols/${one.protocol.id}/forms/${one.form.id}/publish`);
    const found = async (query: Record<string, string>) => (await read(query)).items.map(({ id }) => id);
    expect(await found({ name: `${mark} EMO` })).toEqual([one.form.id]);
    expect(await found({ name: mark, status: 'DRAFT' })).toEqual([two.form.id]);
    expect(await found({ name: mark, status: 'PUBLISHED', institutionId })).toEqual([one.form.id]);
    expect(await found({ name: mark, status: 'PUBLISHED', institutionId: other.id })).toEqual([]);
    expect(await found({ institutionId: other.id.toUpperCase() })).toEqual([two.form.id]);
    successful(await server.put(`/protocols/${two.protocol.id}`, { name: `Renamed ${mark}` }));
    expect(await found({ name: `renamed ${mark}` })).toEqual([two.form.id]);
  });

  it('omit archived protocols until they are restored', async () => {
    const one = await create();
    const two = await create();
    const ids = async (reader: Client) => (await read({ name: mark }, reader)).items.map(({ id }) => id);
    await act(`/protocols/${one.protocol.id}/archive`);
    for (const reader of processes()) expect(await ids(reader)).toEqual([two.form.id]);
    await act(`/protocols/${one.protocol.id}/restore`);
    for (const reader of processes()) expect(await ids(reader)).toEqual([one.form.id, two.form.id]);
  });

  it('have pages that miss nothing and repeat nothing, also with a filter', async () => {
    for (const n of numbered(7, (each) => each)) await create(`${mark} ${n % 2 === 0 ? 'even' : 'odd'} ${n}`);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await read({ name: `${mark} odd`, limit: '2', ...(cursor && { cursor }) });
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map(({ protocol }) => protocol.name.replace(`${mark} odd `, '')));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(['1', '3', '5', '7']);
  });

  it('have neither sort nor total nor a past', async () => {
    for (const [name, value] of [
      ['sort', '-createdAt'],
      ['total', 'true'],
      ['asOf', '2026-01-01T00:00:00Z'],
    ]) {
      expectRefused(await server.get(`/forms?${name}=${value}`), `${name} unknown-parameter`);
    }
    expectRefused(await server.get('/forms?status=draft'), 'status invalid-value');
  });
});

describe('the list of protocols', () => {
  const list = async (query: Record<string, string>, reader: Client = server) => {
    const path = `/protocols?${new URLSearchParams(query)}`;
    return successful(await reader.get<Page<Protocol> & { total?: number }>(path, await upToDate(server))).body;
  };

  it('omits archived protocols; archived=true lists only those, with the mark', async () => {
    const { id } = await createInstitution(server);
    const [kept, gone] = [await createProtocol(server, id), await createProtocol(server, id)];
    const { body } = await act<Protocol>(`/protocols/${gone.id}/archive`, { reason: 'Nobody uses it.' });
    expect(body).toEqual({ ...gone, archived: true, updatedAt: body.updatedAt });
    for (const reader of processes()) {
      expect((await list({ institutionId: id }, reader)).items).toEqual([kept]);
      expect((await list({ institutionId: id, archived: 'false' }, reader)).items).toEqual([kept]);
      expect((await list({ institutionId: id, archived: 'true' }, reader)).items).toEqual([body]);
      expect((await reader.get(`/protocols/${gone.id}`, await upToDate(server))).body).toEqual(body);
    }
    const restored = (await act<Protocol>(`/protocols/${gone.id}/restore`)).body;
    expect(restored).toEqual({ ...gone, updatedAt: restored.updatedAt });
    for (const reader of processes()) {
      expect((await list({ institutionId: id }, reader)).items).toEqual([kept, restored]);
      expect((await list({ institutionId: id, archived: 'true' }, reader)).items).toEqual([]);
    }
  });

  it('counts and pages what it lists', async () => {
    const { id } = await createInstitution(server);
    const made = [];
    for (const n of numbered(6, (each) => each)) made.push(await createProtocol(server, id, { name: `${mark} ${n}` }));
    for (const { id: archived } of made.filter((_, index) => index % 2 === 0))
      await act(`/protocols/${archived}/archive`);
    expect((await list({ institutionId: id, total: 'true' })).total).toBe(3);
    expect((await list({ name: mark, total: 'true' })).total).toBe(3);
    const totals = [await list({ total: 'true' }), await list({ total: 'true', archived: 'true' })];
    expect(totals.every(({ total }) => Number(total) >= 3)).toBe(true);
    const page = await list({ institutionId: id, limit: '2' });
    const rest = await list({ institutionId: id, limit: '2', cursor: `${page.nextCursor}` });
    expect([...page.items, ...rest.items].map(({ name }) => name)).toEqual([2, 4, 6].map((n) => `${mark} ${n}`));
    expect(rest.nextCursor).toBeNull();
    expectRefused(await server.get('/protocols?archived=yes'), 'archived invalid-value');
    expectRefused(await server.get(`/protocols?archived=true&name=x&total=true`), 'total not-countable');
  });
});
