// Idempotency-Key: the same key and payload answers the stored response and has one effect.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused, leavingAllAsItWas } from './refusals.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  type Form,
  first,
  type Institution,
  numbered,
  type Page,
  type Protocol,
  question,
  successful,
} from './samples.js';

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});

const keyed = (key: string = randomUUID()) => ({ 'Idempotency-Key': key });
const create = (headers: Record<string, string>, name = 'Keyed') =>
  server.post<Protocol>('/protocols', { institutionId, name }, headers);
const OF_THE_ANSWER = ['etag', 'location', 'consistency-token', 'content-type', 'content-length'];
/** What of an answer is stored. */
const stored = ({ status, headers, body }: ClientResponse) => ({
  status,
  headers: OF_THE_ANSWER.map((name) => headers.get(name)),
  body,
});

describe('the same key and payload', () => {
  it('answers the stored response and changes nothing', async () => {
    const key = keyed();
    const once = successful(await create(key));
    const again = await leavingAllAsItWas(server, () => create(key));
    expect(stored(again)).toEqual(stored(once));
    expect(once.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('does so after the resource was changed by others', async () => {
    const key = keyed();
    const once = successful(await create(key));
    await server.put(`/protocols/${once.body.id}`, { name: 'Changed' });
    expect((await create(key)).body).toEqual(once.body);
    expect((await server.get<Protocol>(`/protocols/${once.body.id}`)).body.name).toBe('Changed');
  });

  it('does so with and without the prefix of the routes', async () => {
    const key = keyed();
    const once = successful(await create(key));
    const body = { institutionId, name: 'Keyed' };
    const again = await server.post<Protocol>('/admin-service/protocols', body, key);
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', once.body]);
  });

  it('does so after a restart', async () => {
    const key = keyed();
    const once = successful(await create(key));
    await server.restart();
    expect(stored(await leavingAllAsItWas(server, () => create(key)))).toEqual(stored(once));
  });

  it('is the same payload in whatever way it is written', async () => {
    const key = keyed();
    const send = (bytes: string) => server.send('POST', '/institutions', { bytes, headers: key });
    const once = await send('{"name":"A","phone":null}');
    expect((await send('{ "phone": null,\n "name": "\\u0041" }')).body).toEqual(once.body);
  });

  it('is honoured on PUT: a later change by others is not undone', async () => {
    const { id } = await createProtocol(server, institutionId);
    const key = keyed();
    const revise = () => server.put<Protocol>(`/protocols/${id}`, { name: 'First' }, key);
    const once = successful(await revise());
    successful(await server.put(`/protocols/${id}`, { name: 'Second' }));
    expect(stored(await leavingAllAsItWas(server, revise))).toEqual(stored(once));
    expect((await server.get<Protocol>(`/protocols/${id}`)).body.name).toBe('Second');
  });

  it('is honoured on a PUT with If-Match, whose ETag is stale by then', async () => {
    const { id } = await createProtocol(server, institutionId);
    const headers = { ...keyed(), 'If-Match': '"0"' };
    const revise = () => server.put(`/protocols/${id}`, { name: 'New' }, headers);
    const once = successful(await revise());
    expect(stored(await revise())).toEqual(stored(once));
  });

  it('is honoured on a POST that takes no body', async () => {
    const { id } = await createProtocol(server, institutionId);
    const key = keyed();
    const version = () => server.post<Form>(`/protocols/${id}/forms/versions`, undefined, key);
    expect((await version()).body.version).toBe(1);
    expect((await version()).body.version).toBe(1);
  });

  it('has one effect also where twenty come at once', async () => {
    const key = keyed();
    const name = randomUUID();
    const answers = await Promise.all(numbered(20, () => create(key, name)));
    const [one] = answers;
    for (const answer of answers) expect(stored(answer)).toEqual(one && stored(one));
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect((await server.recorded()).filter(({ data }) => data['name'] === name)).toHaveLength(1);
  });

  it('has one effect where a crash cut the first off, whenever that was', async () => {
    const names = numbered(40, () => `${randomUUID()}`);
    const sent = names.map((name) => create(keyed(name), name));
    await Promise.any(sent);
    await server.kill();
    const settled = await Promise.allSettled(sent);
    await server.start();
    const answers = await Promise.all(names.map((name) => patiently(() => create(keyed(name), name))));
    for (const [index, before] of settled.entries()) {
      if (before.status === 'fulfilled') expect(stored(answers[index] ?? before.value)).toEqual(stored(before.value));
    }
    const made = (await server.recorded()).map(({ data }) => data['name']);
    expect(made.filter((name) => names.includes(String(name))).toSorted()).toEqual(names.toSorted());
  });

  /** Asks again while the request is said to be in progress: its first attempt may have a turn that it cannot use. */
  const patiently = async (send: () => Promise<ClientResponse<Protocol>>): Promise<ClientResponse<Protocol>> => {
    const answer = await send();
    return answer.status === 409 ? patiently(send) : successful(answer);
  };
});

describe('a key', () => {
  it('that was used for another payload is 422, and nothing is stored', async () => {
    const key = keyed();
    successful(await create(key, 'One'));
    expectProblem(await leavingAllAsItWas(server, () => create(key, 'Another')), 422, 'idempotency-key-reused');
    expect((await create(key, 'One')).body.name).toBe('One');
  });

  it('counts for one path and one method', async () => {
    const key = keyed();
    const [one, other] = [await createProtocol(server, institutionId), await createProtocol(server, institutionId)];
    for (const { id } of [one, other]) {
      expect((await server.put<Protocol>(`/protocols/${id}`, { name: 'New' }, key)).body.id).toBe(id);
    }
    const institution = await server.post<Institution>('/institutions', { name: 'New' }, key);
    expect(institution.status).toBe(201);
  });

  it('of a refused request is free: the corrected one is done', async () => {
    const key = keyed();
    const { protocol, form } = await createQuestionnaire(server, institutionId, { questions: [question(1)] });
    const path = `/protocols/${protocol.id}/questions/${first(form.questions).id}/options`;
    const add = (body: unknown, headers: Record<string, string> = {}) =>
      server.post(path, body, { ...key, ...headers });
    expect((await add({})).status).toBe(400);
    expect((await add('{')).status).toBe(400);
    expect((await add({ optionText: 'A', score: 1 })).status).toBe(409);
    await server.put(path.replace('/options', ''), { responseType: 'SELECT' });
    expect((await add({ optionText: 'A', score: 1 }, { 'If-Match': '"0"' })).status).toBe(412);
    expect((await add({ optionText: 'B', score: 2 })).status).toBe(201);
  });

  it('may have 255 characters, no more and no fewer than one: 400', async () => {
    expect((await create(keyed('k'.repeat(255)))).status).toBe(201);
    const tooLong = await leavingAllAsItWas(server, () => create(keyed('k'.repeat(256))));
    expectRefused(tooLong, 'idempotency-key too-big');
    expectRefused(await leavingAllAsItWas(server, () => create(keyed(''))), 'idempotency-key too-small');
  });

  it('does not matter to a GET', async () => {
    const key = keyed();
    const { id } = await createProtocol(server, institutionId);
    const name = async () => (await server.get<Protocol>(`/protocols/${id}`, key)).body.name;
    expect(await name()).toBe('Falls');
    await server.put(`/protocols/${id}`, { name: 'New' });
    expect(await name()).toBe('New');
  });

  it('is needed by nobody: without one, the same request twice has two effects', async () => {
    const name = randomUUID();
    const { headers } = (await create({}, name)) && (await create({}, name));
    const token = { 'Consistency-Token': `${headers.get('consistency-token')}` };
    const { body } = await server.get<Page<Protocol>>(`/protocols?name=${name}`, token);
    expect(body.items).toHaveLength(2);
  });
});
