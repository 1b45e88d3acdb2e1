// GET /audit/events: the log for auditors, in three formats, filtered and resumable. Each reading is recorded.
import { beforeAll, describe, expect, it } from 'vitest';
import { serverOfThisFile } from '../support/service-of-file.js';
import { expectRefused } from './support/refusals.js';
import type { Institution, Protocol } from './support/samples.js';
import { createDoctor, createInstitution, createProtocol, successful, UNKNOWN_ID } from './support/samples.js';

interface Entry {
  readonly position: string;
  readonly stream: string;
  readonly category: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly actor: { readonly id: string; readonly roles: readonly string[] };
  readonly origin: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}
interface Page {
  readonly items: readonly Entry[];
  readonly nextCursor: string | null;
  readonly position: string | null;
}

const server = serverOfThisFile();
let institution: Institution;
let protocol: Protocol;

const page = async (query: string) => successful(await server.get<Page>(`/audit/events?${query}`)).body;
const lines = async (query: string) => {
  const { body } = successful(await server.get<string>(`/audit/events?${query}`, { Accept: 'application/x-ndjson' }));
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
};

beforeAll(async () => {
  institution = await createInstitution(server, { name: 'Hospital Santa Marta' });
  protocol = await createProtocol(server, institution.id);
  const revised = { name: 'Falls, revised', prompt: 'Ask.' };
  successful(await server.put(`/protocols/${protocol.id}`, revised, { Origin: 'https://desk.example' }));
});

describe('the audit trail', () => {
  it('shows for each event who did what, when and from where, and its place in the log', async () => {
    const { items, position } = await page(`stream=protocol-${protocol.id}`);
    expect(position).toBe(items.at(-1)?.position);
    expect(items.map(({ type, revision }) => [type, revision])).toEqual([
      ['ProtocolCreated', 0],
      ['ProtocolRevised', 1],
    ]);
    expect(items[1]).toMatchObject({
      stream: `protocol-${protocol.id}`,
      category: 'protocol',
      actor: { id: 'anonymous', roles: [] },
      origin: 'https://desk.example',
      data: { name: 'Falls, revised' },
    });
    expect(items[0]?.origin).toBeNull();
    expect(items[0]?.at).toBe(protocol.createdAt);
  });

  it('has the digests of personal values as the log has them, in every format', async () => {
    const { id } = await createDoctor(server);
    const query = `stream=user-${id}&type=UserRegistered`;
    const [stored] = await server.recorded(`user-${id}`);
    const digests = stored?.data['digests'];
    const accept = { Accept: 'application/cloudevents-batch+json' };
    const { body } = successful(await server.get<Pick<Entry, 'data'>[]>(`/audit/events?${query}`, accept));
    for (const events of [(await page(query)).items, await lines(query), body]) {
      expect(events).toMatchObject([{ data: { firstName: 'Ana', digests } }]);
      expect(events[0]?.data).not.toHaveProperty('sealed');
    }
    expect(Object.keys(digests as object)).toContain('/firstName');
  });

  it('can be filtered by category, type, actor and time together', async () => {
    expect((await page('category=institution')).items.map(({ stream }) => stream)).toEqual([
      `institution-${institution.id}`,
    ]);
    expect((await page('type=ProtocolRevised')).items).toHaveLength(1);
    expect((await page('actor=nobody')).items).toEqual([]);
    const created = `stream=protocol-${protocol.id}&type=ProtocolCreated`;
    const [at, after] = [0, 1].map((ms) => new Date(Date.parse(protocol.createdAt) + ms).toISOString());
    for (const [period, count] of [
      [`from=${at}`, 1],
      [`to=${at}`, 0],
      [`from=${at}&to=${after}`, 1],
      [`from=${after}&to=${at}`, 0],
    ] as const) {
      const { items, nextCursor } = await page(`${created}&${period}`);
      expect([items.length, nextCursor], period).toEqual([count, null]);
    }
    expect((await page('category=protocol&from=9999-01-01T00:00:00Z')).items).toEqual([]);
    expect((await page(`stream=protocol-${protocol.id}&type=InstitutionCreated`)).items).toEqual([]);
    expect((await page(`stream=protocol-${UNKNOWN_ID}`)).items).toEqual([]);
  });

  it('resumes after any position, event by event', async () => {
    const all = await lines('category=protocol');
    let after = '';
    for (const expected of all) {
      const { items, nextCursor } = await page(`category=protocol&limit=1${after && `&after=${after}`}`);
      expect(items).toEqual([expected]);
      after = nextCursor ?? items[0]?.position ?? '';
    }
    const { items, nextCursor, position } = await page(`category=protocol&limit=1&after=${after}`);
    expect({ items, nextCursor }).toEqual({ items: [], nextCursor: null });
    expect(String(position) >= after).toBe(true);
  });

  it.each(['category=protocol', 'stream'])(
    'can be read newest first, page by page, with a cursor: %s',
    async (filter) => {
      const query = filter === 'stream' ? `stream=protocol-${protocol.id}` : filter;
      const all = (await page(query)).items;
      const newest: Entry[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const next: Page = await page(`${query}&sort=-position&limit=1${cursor && `&cursor=${cursor}`}`);
        expect(next.position).toBeNull();
        newest.push(...next.items);
        cursor = next.nextCursor;
      }
      expect(newest).toEqual(all.toReversed());
    },
  );

  it('can also be read newest first as JSON lines', async () => {
    const [newest, ...others] = await lines('category=protocol&sort=-position&limit=1');
    expect([newest, others]).toEqual([(await page('category=protocol')).items.at(-1), []]);
  });

  it('accepts `after` only from the oldest event on, and `cursor` only from the newest', async () => {
    const { items } = await page('category=protocol');
    const excluded = await server.get(`/audit/events?sort=-position&after=${items[0]?.position}`);
    expectRefused(excluded, 'after excluded');
    const { nextCursor } = await page('category=protocol&sort=-position&limit=1');
    expectRefused(await server.get(`/audit/events?cursor=${nextCursor}`), 'cursor excluded');
    expectRefused(await server.get(`/audit/events?sort=-position&cursor=${items[0]?.position}`), 'cursor bad-cursor');
  });

  it('has the same entries as JSON lines', async () => {
    expect(await lines('category=protocol')).toEqual((await page('category=protocol')).items);
    expect(await lines('category=protocol&limit=1')).toHaveLength(1);
    const { headers } = await server.get('/audit/events', { Accept: 'application/x-ndjson' });
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is available as CloudEvents', async () => {
    const accept = { Accept: 'application/cloudevents-batch+json' };
    const { body } = await server.get<Readonly<Record<string, unknown>>[]>('/audit/events?category=protocol', accept);
    const entries = (await page('category=protocol')).items;
    expect(body).toEqual(
      entries.map((entry) =>
        expect.objectContaining({
          specversion: '1.0',
          id: entry.id,
          source: `/streams/${entry.stream}`,
          type: entry.type,
          subject: protocol.id,
          time: entry.at,
          position: entry.position,
          data: entry.data,
        }),
      ),
    );
    // Context attributes have lower-case letters and digits only (CloudEvents 1.0, 3.1).
    for (const name of body.flatMap(Object.keys)) expect(name).toMatch(/^[a-z0-9]{1,20}$/);
    expect((await server.get('/audit/events?actor=nobody', accept)).body).toEqual([]);
  });

  it('records each reading with its filter', async () => {
    await page('type=ProtocolRevised&actor=anonymous');
    const readings = (await page('category=auditRead&type=AuditTrailRead')).items;
    expect(readings.map(({ data }) => data)).toContainEqual({
      what: 'events',
      filter: { type: 'ProtocolRevised', actor: 'anonymous' },
    });
    expect(new Set(readings.map(({ stream }) => stream)).size).toBe(readings.length);
  });

  it('lists every invalid parameter at once and records no reading', async () => {
    const readings = async () => (await lines('category=auditRead')).length;
    const before = await readings();
    const { status, body } = await server.get<{ errors: readonly { parameter: string }[] }>(
      '/audit/events?stream=x&category=a-b&type=1&from=yesterday&after=!&limit=0',
    );
    expect(status).toBe(400);
    expect(body.errors.map(({ parameter }) => parameter).toSorted()).toEqual([
      'after',
      'category',
      'from',
      'limit',
      'stream',
      'type',
    ]);
    expect(await readings()).toBe(before + 1);
  });
});
