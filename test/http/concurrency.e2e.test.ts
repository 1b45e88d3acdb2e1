// Concurrent writers: without If-Match every write succeeds, one after the other, and nothing is lost.
import { beforeAll, describe, expect, it } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { first } from '../support/items.js';
import { upToDate } from '../support/opaque.js';
import { RealService } from '../support/real-service.js';
import { sharedService } from '../support/service-of-file.js';
import type { Form, FormVersion, Page, ProtocolAndForm, Question } from './support/samples.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
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

describe('two administrators at once', () => {
  const ROUNDS = 20;
  /** Returns the client of the second administrator: of another process, if there is one. */
  const second = () => (server instanceof RealService ? server.http[1] : server);
  const eventsOf = async ({ protocol }: ProtocolAndForm) =>
    (await server.recorded(`protocol-${protocol.id}`)).slice(2).map(({ type }) => type);
  /** Sends two requests together, each of them first in half of the rounds. Resolves to the codes of both, null for 200. */
  const race = async (n: number, one: Send, other: Send) => {
    const [sent, sentNext] = n % 2 === 0 ? [one, other] : [other, one];
    const [a, b] = await Promise.all([sent(), sentNext()]);
    const codes = [a, b].map(({ status, body }) => (status < 300 ? null : body.code));
    return n % 2 === 0 ? codes : codes.toReversed();
  };
  type Send = () => Promise<ClientResponse<{ readonly code?: string }>>;

  it('publish and edit: the edit is part of the published form, or is refused', async () => {
    for (const n of numbered(ROUNDS, (each) => each)) {
      const made = await createQuestionnaire(server, institutionId);
      const form = `/protocols/${made.protocol.id}/forms/${made.form.id}`;
      const publish: Send = () => second().post(`${form}/publish`);
      const edit: Send = () => server.post(`${form}/questions`, { questionText: 'New' });
      const [published, edited] = await race(n, publish, edit);
      const { body } = await server.get<Form>(form, await upToDate(server));
      expect([published, body.status]).toEqual([null, 'PUBLISHED']);
      expect([null, 'form-published']).toContain(edited);
      const changes = edited === null ? ['ProtocolQuestionAdded'] : [];
      expect(await eventsOf(made)).toEqual([...changes, 'ProtocolFormPublished']);
      expect(body.questions).toHaveLength(made.form.questions.length + changes.length);
    }
  });

  it('archive and edit: the edit comes first, or is refused', async () => {
    for (const n of numbered(ROUNDS, (each) => each)) {
      const made = await createQuestionnaire(server, institutionId);
      const root = `/protocols/${made.protocol.id}`;
      const archive: Send = () => second().post(`${root}/archive`);
      const edit: Send = () => server.put(root, { name: 'New' });
      const [archived, edited] = await race(n, archive, edit);
      expect([null, 'protocol-archived']).toContain(edited);
      const changes = edited === null ? ['ProtocolRevised'] : [];
      expect([archived, await eventsOf(made)]).toEqual([null, [...changes, 'ProtocolArchived']]);
    }
  });

  it('delete and revise: the revision comes first, or finds nothing', async () => {
    for (const n of numbered(ROUNDS, (each) => each)) {
      const made = await createQuestionnaire(server, institutionId);
      const question = `/protocols/${made.protocol.id}/questions/${first(made.form.questions).id}`;
      const remove: Send = () => second().send('DELETE', question);
      const revise: Send = () => server.put(question, { weight: 3 });
      const [removed, revised] = await race(n, remove, revise);
      expect([null, 'question-not-found']).toContain(revised);
      const changes = revised === null ? ['ProtocolQuestionRevised'] : [];
      expect([removed, await eventsOf(made)]).toEqual([null, [...changes, 'ProtocolQuestionRemoved']]);
    }
  });

  it('delete and replace, both with the ETag that they read: one of them is 412, and the other is whole', async () => {
    for (const n of numbered(ROUNDS, (each) => each)) {
      const made = await createQuestionnaire(server, institutionId);
      const root = `/protocols/${made.protocol.id}`;
      const headers = { 'If-Match': '"1"' };
      const remove: Send = () =>
        second().send('DELETE', `${root}/questions/${first(made.form.questions).id}`, { headers });
      const questions = made.form.questions.map(({ id, questionText }) => ({ id, questionText: `${questionText}!` }));
      const replace: Send = () =>
        server.put(`${root}/questionnaire`, { formId: made.form.id, questions, scoreRanges: [] }, headers);
      const codes = await race(n, remove, replace);
      expect(codes.toSorted()).toEqual([null, 'revision-mismatch'].toSorted());
      expect(await eventsOf(made)).toEqual([
        codes[0] === null ? 'ProtocolQuestionRemoved' : 'ProtocolQuestionnaireReplaced',
      ]);
    }
  });
});
