// Clients read their own writes: single resources without a token, and everything with a Consistency-Token.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { since } from '../support/opaque.js';
import { Server } from '../support/server.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused, type ProblemDocument } from './support/refusals.js';
import type { Institution, Page, Protocol } from './support/samples.js';
import {
  createDoctor,
  createInstitution,
  createProtocol,
  createQuestionnaire,
  numbered,
  successful,
} from './support/samples.js';

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});
const tokenOf = ({ headers }: { headers: Headers }) => ({ 'Consistency-Token': `${headers.get('consistency-token')}` });
// A position beyond the end of the log.
const FUTURE = '9'.repeat(16);

describe('a client without a token', () => {
  it('reads what it created immediately, fifty times in a row', async () => {
    for (const n of numbered(50, (n) => n)) {
      const created = successful(await server.post<Protocol>('/protocols', { institutionId, name: `Protocol ${n}` }));
      const { status, headers, body } = await server.get(`/protocols/${created.body.id}`);
      expect([status, body]).toEqual([200, created.body]);
      expect(headers.get('etag')).toBe(created.headers.get('etag'));
    }
  });

  it('reads every part of a questionnaire that it created', async () => {
    for (const _ of numbered(20, (n) => n)) {
      const { protocol, form } = await createQuestionnaire(server, institutionId);
      const whole = await server.get(`/protocols/${protocol.id}/questionnaire`);
      expect(whole.body).toEqual({ protocol, form, scoreRanges: form.scoreRanges });
      expect((await server.get(`/protocols/${protocol.id}/forms/${form.id}`)).body).toEqual(form);
    }
  });

  it('reads what it wrote while many other clients write', async () => {
    const writeAndRead = async (n: number) => {
      const created = await createProtocol(server, institutionId, { name: `Protocol ${n}` });
      const revised = successful(await server.put<Protocol>(`/protocols/${created.id}`, { name: `New ${n}` }));
      expect((await server.get(`/protocols/${created.id}`)).body).toEqual(revised.body);
    };
    await Promise.all(numbered(100, writeAndRead));
  });
});

describe('a Consistency-Token', () => {
  it('is in the response to every write and to no read of a read model', async () => {
    const created = await server.post<Protocol>('/protocols', { institutionId, name: 'New' });
    const path = `/protocols/${created.body.id}`;
    const writes = [created, await server.put(path, { name: 'Newer' }), await server.post(`${path}/forms/versions`)];
    for (const { headers } of writes) expect(headers.get('consistency-token')).toMatch(/^[\w-]{43,}$/);
    for (const read of [path, '/protocols', '/institutions']) {
      expect((await server.get(read)).headers.get('consistency-token')).toBeNull();
    }
  });

  it('is in the response to a write that changed nothing', async () => {
    const { id } = await createProtocol(server, institutionId);
    const { headers } = await server.put(`/protocols/${id}`, {});
    expect(headers.get('consistency-token')).not.toBeNull();
  });

  it('makes a list include what the client wrote, twenty times in a row', async () => {
    const { id } = await createInstitution(server);
    for (const n of numbered(20, (n) => n)) {
      const created = await server.post<Protocol>('/protocols', { institutionId: id, name: `Protocol ${n}` });
      const { body } = await server.get<Page<Protocol>>(`/protocols?institutionId=${id}`, tokenOf(created));
      expect(body.items.at(-1)).toEqual(created.body);
      expect(body.items).toHaveLength(n);
    }
  });

  it('stays valid after a restart', async () => {
    const created = await server.post<Protocol>('/protocols', { institutionId, name: 'Before' });
    await server.restart();
    expect((await server.get(`/protocols/${created.body.id}`, tokenOf(created))).body).toEqual(created.body);
  });

  it.each(['', 'x', '!'.repeat(20), 'A'.repeat(16), '1'.repeat(65), '0 0'])(
    'that is malformed is 400: %s',
    async (token) => {
      const { id } = await createProtocol(server, institutionId);
      for (const path of ['/protocols', `/protocols/${id}`]) {
        expectRefused(await server.get(path, { 'Consistency-Token': token }), 'consistency-token invalid-format');
      }
    },
  );

  it('that is altered, cut off, a cursor or a bare position is 400', async () => {
    const created = await server.post<Protocol>('/protocols', { institutionId, name: 'New' });
    const token = `${created.headers.get('consistency-token')}`;
    const opaque = await server.opaque();
    const position = `${opaque.open('consistency-token', token)}`;
    const altered = `${token.slice(0, 10)}${token[10] === 'A' ? 'B' : 'A'}${token.slice(11)}`;
    for (const bad of [opaque.seal('cursor', position), altered, token.slice(0, -1), `${token}A`, position]) {
      const response = await server.get('/protocols', { 'Consistency-Token': bad });
      expectRefused(response, 'consistency-token invalid-format');
    }
    for (const bad of [token, altered, position]) {
      expectRefused(await server.get(`/protocols?cursor=${bad}`), 'cursor bad-cursor');
    }
  });

  it('from beyond the end of the log is 400, and the service logs no warning', async () => {
    const { id } = await createProtocol(server, institutionId);
    for (const path of ['/protocols', `/protocols/${id}`]) {
      const response = await server.get(path, since(await server.opaque(), FUTURE));
      expectRefused(response, 'consistency-token unknown-token');
      const lines = () => server.log.filter(({ requestId }) => requestId === response.headers.get('x-request-id'));
      await eventually(() => expect(lines()).toMatchObject([{ level: 30, msg: 'request' }]));
    }
  });
});

describe('while the read models cannot be written, a Consistency-Token', () => {
  const alone = new Server(temporaryDirectory());
  let written: Record<string, string>;
  let lock: Database;
  beforeAll(async () => {
    await alone.start();
    written = tokenOf(await alone.post('/institutions', { name: 'Folded' }));
    await eventually(async () => expect((await alone.get('/institutions', written)).status).toBe(200));
    lock = new Database(join(alone.directory, 'views.sqlite'));
    lock.exec('BEGIN IMMEDIATE');
  });
  afterAll(() => {
    lock.close();
    return alone.stop();
  });

  it('in the response to a read from the log is as recent as the resource', async () => {
    const { body } = await alone.post<Institution>('/institutions', { name: 'Read from the log' });
    const read = await alone.get<Institution>(`/institutions/${body.id}`);
    expect(read.body).toEqual(body);
    expectProblem(await alone.get('/institutions', tokenOf(read)), 503, 'view-behind');
  });

  it('that the read model has not reached is 503 with its lag and Retry-After, and a warning without a stack', async () => {
    const ahead = tokenOf(await alone.post('/institutions', { name: 'Not folded' }));
    const response = await alone.get('/institutions', ahead);
    const document = expectProblem(response, 503, 'view-behind') as ProblemDocument & { lag: { seconds: number } };
    expect(document).toMatchObject({ projection: 'institutions', lag: { seconds: expect.any(Number) } });
    // The service waits for 2 s before it responds.
    expect(document.lag.seconds).toBeGreaterThanOrEqual(2);
    expect(document.lag.seconds).toBeLessThan(90);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    const requestId = response.headers.get('x-request-id');
    const warnings = () =>
      alone.log.filter((line) => line['requestId'] === requestId && line['code'] === 'view-behind');
    await eventually(() => expect(warnings()).toMatchObject([{ level: 40, code: 'view-behind' }]));
    expect(warnings()).not.toMatchObject([{ err: expect.anything() }]);
  });

  it('that the read model has not reached reads a single resource from the log, with the same ETag', async () => {
    const created = await alone.post<Institution>('/institutions', { name: 'Not folded, but read' });
    const user = await createDoctor(alone);
    const path = `/institutions/${created.body.id}`;
    const attached = await alone.post(`${path}/users`, { userId: user.id });
    for (const [read, written] of [
      [path, created],
      [`/users/${user.id}`, attached],
    ] as const) {
      const { status, headers, body } = await alone.get(read, tokenOf(attached));
      expect([status, headers.get('etag'), body]).toEqual([200, written.headers.get('etag'), written.body]);
    }
    const history = await alone.get<Page<object>>(`/users/${user.id}/history`, tokenOf(attached));
    expect([history.status, history.body.items.length]).toEqual([200, 3]);
  });

  it('is not needed for the list of decisions, which waits until no decision and no name is missing', async () => {
    await createDoctor(alone);
    expectProblem(await alone.get('/audit/decisions'), 503, 'view-behind');
  });

  it('for which one request waits does not delay other requests', async () => {
    const ahead = tokenOf(await alone.post('/institutions', { name: 'Not folded either' }));
    const waiting = alone.get('/institutions', ahead).then(() => 'the waiting request');
    const other = alone.get('/institutions', written).then(() => 'another');
    expect(await Promise.race([waiting, other])).toBe('another');
    await waiting;
  });
});
