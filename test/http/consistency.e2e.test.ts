// Reading one's own writes: at once without a token, and with a Consistency-Token wherever it is sent.
import { beforeAll, describe, expect, it } from 'vitest';
import { serverOfThisFile } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './refusals.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  type Form,
  type Institution,
  numbered,
  type Page,
  type Protocol,
  questionnaire,
  successful,
} from './samples.js';

const server = serverOfThisFile();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});
const tokenOf = ({ headers }: { headers: Headers }) => ({ 'Consistency-Token': `${headers.get('consistency-token')}` });
// Greater than that of any write.
const FUTURE = { 'Consistency-Token': '9'.repeat(16) };

describe('a client without a token', () => {
  it('reads what it created, at once, two hundred times over', async () => {
    for (const n of numbered(200, (n) => n)) {
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

  it('reads what it changed', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const path = `/protocols/${protocol.id}`;
    for (const n of numbered(50, (n) => n)) {
      successful(await server.put(path, { name: `Name ${n}` }));
      expect((await server.get<Protocol>(path)).body.name).toBe(`Name ${n}`);
      successful(await server.post(`${path}/forms/${form.id}/questions`, { questionText: `Added ${n}` }));
      const read = await server.get<Form>(`${path}/forms/${form.id}`);
      expect(read.body.questions.at(-1)?.questionText).toBe(`Added ${n}`);
    }
  });

  it('reads what it wrote while many others write', async () => {
    const once = async (n: number) => {
      const created = await createProtocol(server, institutionId, { name: `Protocol ${n}` });
      const revised = successful(await server.put<Protocol>(`/protocols/${created.id}`, { name: `New ${n}` }));
      expect((await server.get(`/protocols/${created.id}`)).body).toEqual(revised.body);
    };
    await Promise.all(numbered(100, once));
  });

  it('may refer at once to what it created', async () => {
    for (const _ of numbered(20, (n) => n)) {
      const { id } = await createInstitution(server);
      expect((await server.post('/protocols/questionnaires', questionnaire(id))).status).toBe(201);
    }
  });
});

describe('a Consistency-Token', () => {
  it('is answered by every write and by no read', async () => {
    const created = await server.post<Protocol>('/protocols', { institutionId, name: 'New' });
    const path = `/protocols/${created.body.id}`;
    const writes = [created, await server.put(path, { name: 'Newer' }), await server.post(`${path}/forms/versions`)];
    for (const { headers } of writes) expect(headers.get('consistency-token')).toMatch(/^[0-9a-z]{16,64}$/);
    for (const read of [path, '/protocols', '/institutions']) {
      expect((await server.get(read)).headers.get('consistency-token')).toBeNull();
    }
  });

  it('is answered by a write that changed nothing', async () => {
    const { id } = await createProtocol(server, institutionId);
    const { headers } = await server.put(`/protocols/${id}`, {});
    expect(headers.get('consistency-token')).not.toBeNull();
  });

  it('sent with a list shows in it what was written, fifty times over', async () => {
    const { id } = await createInstitution(server);
    for (const n of numbered(50, (n) => n)) {
      const created = await server.post<Protocol>('/protocols', { institutionId: id, name: `Protocol ${n}` });
      const { body } = await server.get<Page<Protocol>>(`/protocols?institutionId=${id}`, tokenOf(created));
      expect(body.items.at(-1)).toEqual(created.body);
      expect(body.items).toHaveLength(n);
    }
  });

  it('is good for every read, whatever was written', async () => {
    const institution = await server.post<Institution>('/institutions', { name: 'Ü', unities: [{ name: 'A' }] });
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const paths = [
      '/protocols',
      `/protocols/${protocol.id}`,
      `/protocols/${protocol.id}/forms`,
      `/protocols/${protocol.id}/forms/${form.id}`,
      `/protocols/${protocol.id}/questionnaire`,
      '/institutions',
      `/institutions/${institution.body.id}`,
      `/institutions/${institution.body.id}/unities`,
    ];
    const version = await server.post(`/protocols/${protocol.id}/forms/versions`);
    for (const path of paths) {
      expect((await server.get(path, tokenOf(institution))).status).toBe(200);
      expect((await server.get(path, tokenOf(version))).status).toBe(200);
    }
  });

  it('is good after a restart', async () => {
    const created = await server.post<Protocol>('/protocols', { institutionId, name: 'Before' });
    await server.restart();
    expect((await server.get(`/protocols/${created.body.id}`, tokenOf(created))).body).toEqual(created.body);
  });

  it.each(['', 'x', '!'.repeat(20), 'A'.repeat(16), '1'.repeat(65), '0 0'])(
    'that is none is 400: %s',
    async (token) => {
      const { id } = await createProtocol(server, institutionId);
      for (const path of ['/protocols', `/protocols/${id}`]) {
        expectRefused(await server.get(path, { 'Consistency-Token': token }), 'consistency-token invalid-format');
      }
    },
  );

  it('that no view reaches is 503 with the lag and when to come again', async () => {
    const { id } = await createProtocol(server, institutionId);
    const answers = await Promise.all([server.get('/protocols', FUTURE), server.get(`/protocols/${id}`, FUTURE)]);
    for (const answer of answers) {
      const document = expectProblem(answer, 503, 'view-behind');
      expect(document).toMatchObject({ projection: 'protocols', lag: { wanted: '9'.repeat(16) } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('that has to be waited for keeps nobody else waiting', async () => {
    const waiting = server.get('/protocols', FUTURE).then(() => 'the one who waits');
    const { id } = await createProtocol(server, institutionId);
    const other = server.get(`/protocols/${id}`).then(() => 'another');
    expect(await Promise.race([waiting, other])).toBe('another');
    await waiting;
  });
});
