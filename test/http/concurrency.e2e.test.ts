// Concurrent writers: without If-Match every write succeeds, one after the other, and nothing is lost.
import { beforeAll, describe, expect, it } from 'vitest';
import { upToDate } from '../support/opaque.js';
import { sharedService } from '../support/service-of-file.js';
import type { Form, FormVersion, Page, Question } from './support/samples.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  first,
  numbered,
  question,
  successful,
} from './support/samples.js';

const server = sharedService();
const WRITERS = 50;
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});
/** Sends fifty concurrent writes, all of which must succeed. Resolves to the responses. */
const atOnce = async <T>(write: (n: number) => Promise<{ status: number; headers: Headers; body: T }>) =>
  (await Promise.all(numbered(WRITERS, write))).map(successful);
const ascending = (values: readonly number[]) => values.toSorted((a, b) => a - b);

describe('fifty concurrent writers', () => {
  it('create fifty consecutive versions of one form, each a copy of the version before', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const responses = await atOnce(() => server.post<Form>(`/protocols/${protocol.id}/forms/versions`));
    expect(ascending(responses.map(({ body }) => body.version))).toEqual(numbered(WRITERS, (n) => n + 1));
    const byVersion = [form, ...responses.map(({ body }) => body).toSorted((a, b) => a.version - b.version)];
    expect(byVersion.map(({ copiedFrom }) => copiedFrom)).toEqual([
      null,
      ...byVersion.map(({ id }) => id).slice(0, -1),
    ]);
    const etags = responses.map(({ headers }) => Number(headers.get('etag')?.replaceAll('"', '')));
    expect(ascending(etags)).toEqual(numbered(WRITERS, (n) => n + 1));
    const last = first(responses.toSorted((a, b) => b.body.version - a.body.version));
    const { body } = await server.get<Page<FormVersion>>(`/protocols/${protocol.id}/forms?limit=200`, {
      'Consistency-Token': `${last.headers.get('consistency-token')}`,
    });
    expect(body.items.map(({ version }) => version)).toEqual(numbered(WRITERS + 1, (n) => WRITERS + 2 - n));
  });

  it('each add a question at the head of one form, and no two questions share a position', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId, { questions: [question(1)] });
    const path = `/protocols/${protocol.id}/forms/${form.id}`;
    const add = (n: number) => server.post<Question>(`${path}/questions`, { questionText: `Writer ${n}`, position: 1 });
    const responses = await atOnce(add);
    const { body } = await server.get<Form>(path);
    expect(body.questions.map(({ position }) => position)).toEqual(numbered(WRITERS + 1, (n) => n));
    const ids = [first(form.questions).id, ...responses.map((response) => response.body.id)];
    expect(body.questions.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  it('each revise one protocol, and a read returns the last recorded revision', async () => {
    const { id } = await createProtocol(server, institutionId);
    await atOnce((n) => server.put(`/protocols/${id}`, { name: `Writer ${n}` }));
    const events = await server.recorded(`protocol-${id}`);
    expect(events.map(({ revision }) => revision)).toEqual(numbered(WRITERS + 1, (n) => n - 1));
    expect((await server.get<{ name: string }>(`/protocols/${id}`)).body.name).toBe(events.at(-1)?.data['name']);
  });

  it('create fifty protocols, and the list has each of them once', async () => {
    const { id } = await createInstitution(server);
    const responses = await atOnce((n) =>
      server.post<{ id: string }>('/protocols', { institutionId: id, name: `${n}` }),
    );
    const list = `/protocols?institutionId=${id}&limit=200`;
    const { body } = await server.get<Page<{ id: string }>>(list, await upToDate(server));
    expect(body.items.map((item) => item.id).toSorted()).toEqual(
      responses.map((response) => response.body.id).toSorted(),
    );
  });
});
