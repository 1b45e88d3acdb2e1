// Idempotency-Key: requests with the same key and payload have one effect and get the stored response.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { first } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused } from './support/refusals.js';
import type { Form, Institution, Protocol } from './support/samples.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  numbered,
  question,
  successful,
} from './support/samples.js';

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});

const keyed = (key: string = randomUUID()) => ({ 'Idempotency-Key': key });
const create = (headers: Record<string, string>, name = 'Keyed') =>
  server.post<Protocol>('/protocols', { institutionId, name }, headers);
const STORED_HEADERS = ['etag', 'location', 'consistency-token', 'content-type', 'content-length'];
/** Returns the part of a response that the service stores. */
const stored = ({ status, headers, body }: ClientResponse) => ({
  status,
  headers: STORED_HEADERS.map((name) => headers.get(name)),
  body,
});

describe('requests with the same key and payload', () => {
  it('get the stored response and change nothing', async () => {
    const key = keyed();
    const once = successful(await create(key));
    const again = await expectNothingStored(server, () => create(key));
    expect(stored(again)).toEqual(stored(once));
    expect(once.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('get the stored response with and without the prefix /admin-service', async () => {
    const key = keyed();
    const once = successful(await create(key));
    const body = { institutionId, name: 'Keyed' };
    const again = await server.post<Protocol>('/admin-service/protocols', body, key);
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', once.body]);
  });

  it('have the same query: with another, they are other requests', async () => {
    const key = keyed();
    const body = { institutionId, name: 'Keyed' };
    const [one, other] = ['?from=one', '?from=other'].map((query) => `/protocols${query}`);
    const paths = ['/protocols', one, other, one, `/admin-service${other}`];
    const responses: ClientResponse<Protocol>[] = [];
    for (const path of paths) responses.push(successful(await server.post<Protocol>(`${path}`, body, key)));
    const ids = responses.map(({ body: { id } }) => id);
    expect(new Set(ids).size).toBe(3);
    expect([ids[3], ids[4]]).toEqual([ids[1], ids[2]]);
    const replayed = responses.map(({ headers }) => headers.get('idempotency-replayed'));
    expect(replayed).toEqual([null, null, null, 'true', 'true']);
  });

  it('get the stored response after a restart', async () => {
    const key = keyed();
    const once = successful(await create(key));
    await server.restart();
    expect(stored(await expectNothingStored(server, () => create(key)))).toEqual(stored(once));
  });

  it('may write the same payload differently', async () => {
    const key = keyed();
    const send = (bytes: string) => server.send('POST', '/institutions', { bytes, headers: key });
    const once = await send('{"name":"A","phone":null}');
    expect((await send('{ "phone": null,\n "name": "\\u0041" }')).body).toEqual(once.body);
  });

  it.each([
    ['{"help":"x","unit":"kg"}', '{"unit":"kg","help":"x"}'],
    ['{"a":{"b":[1,{"c":2,"d":[]}]},"10":1,"é":null}', '{"é":null,"10":1,"a":{"b":[1,{"d":[],"c":2}]}}'],
    ['{"n":1e2,"z":-0,"t":"\\u00e9/"}', '{"t":"é\\/","z":0,"n":100.0}'],
  ])('may write an open object in another order: %s', async (one, other) => {
    const key = keyed();
    const send = (metadata: string) => {
      const { questionText } = question(1);
      const item = `{"questionText":"${questionText}","responseType":"TEXT","metadata":${metadata}}`;
      const bytes = `{"institutionId":"${institutionId}","name":"Open","questions":[${item}],"scoreRanges":[]}`;
      return server.send('POST', '/protocols/questionnaires', { bytes, headers: key });
    };
    const once = successful(await send(one));
    expect(stored(await expectNothingStored(server, () => send(other)))).toEqual(stored(once));
    expectProblem(await send('{"help":"y"}'), 422, 'idempotency-key-reused');
    expectProblem(await send('{"a":{"b":[{"c":2,"d":[]},1]},"10":1,"é":null}'), 422, 'idempotency-key-reused');
  });

  it('do not undo a later change by others if they are PUTs', async () => {
    const { id } = await createProtocol(server, institutionId);
    const key = keyed();
    const revise = () => server.put<Protocol>(`/protocols/${id}`, { name: 'First' }, key);
    const once = successful(await revise());
    successful(await server.put(`/protocols/${id}`, { name: 'Second' }));
    expect(stored(await expectNothingStored(server, revise))).toEqual(stored(once));
    expect((await server.get<Protocol>(`/protocols/${id}`)).body.name).toBe('Second');
  });

  it('may be POSTs without a body', async () => {
    const { id } = await createProtocol(server, institutionId);
    const key = keyed();
    const version = () => server.post<Form>(`/protocols/${id}/forms/versions`, undefined, key);
    expect((await version()).body.version).toBe(1);
    expect((await version()).body.version).toBe(1);
  });

  it('have one effect even if twenty come at the same time', async () => {
    const key = keyed();
    const name = randomUUID();
    const responses = await Promise.all(numbered(20, () => create(key, name)));
    const [one] = responses;
    for (const response of responses) expect(stored(response)).toEqual(one && stored(one));
    expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect((await server.recorded()).filter(({ data }) => data['name'] === name)).toHaveLength(1);
  });

  it('have one effect if a crash interrupts the first request at any point', async () => {
    const names = numbered(40, () => `${randomUUID()}`);
    const sent = names.map((name) => create(keyed(name), name));
    await Promise.any(sent);
    await server.kill();
    const settled = await Promise.allSettled(sent);
    await server.start();
    const responses = await Promise.all(names.map((name) => untilCompleted(() => create(keyed(name), name))));
    for (const [index, before] of settled.entries()) {
      if (before.status === 'fulfilled') expect(stored(responses[index] ?? before.value)).toEqual(stored(before.value));
    }
    const made = (await server.recorded()).map(({ data }) => data['name']);
    expect(made.filter((name) => names.includes(String(name))).toSorted()).toEqual(names.toSorted());
  });

  /**
   * Repeats the request while it gets 409, because the attempt before the crash still counts as in progress for a
   * while.
   */
  const untilCompleted = async (send: () => Promise<ClientResponse<Protocol>>): Promise<ClientResponse<Protocol>> => {
    const response = await send();
    return response.status === 409 ? untilCompleted(send) : successful(response);
  };
});

describe('a key', () => {
  it('that was used with another payload is 422, and nothing is stored', async () => {
    const key = keyed();
    successful(await create(key, 'One'));
    expectProblem(await expectNothingStored(server, () => create(key, 'Another')), 422, 'idempotency-key-reused');
    expect((await create(key, 'One')).body.name).toBe('One');
  });

  it('is scoped to one path and one method', async () => {
    const key = keyed();
    const [one, other] = [await createProtocol(server, institutionId), await createProtocol(server, institutionId)];
    for (const { id } of [one, other]) {
      expect((await server.put<Protocol>(`/protocols/${id}`, { name: 'New' }, key)).body.id).toBe(id);
    }
    const institution = await server.post<Institution>('/institutions', { name: 'New' }, key);
    expect(institution.status).toBe(201);
  });

  it('of a refused request can be used again for the corrected request', async () => {
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

  it('has 1 to 255 characters; any other length is 400', async () => {
    expect((await create(keyed('k'.repeat(255)))).status).toBe(201);
    const tooLong = await expectNothingStored(server, () => create(keyed('k'.repeat(256))));
    expectRefused(tooLong, 'idempotency-key too-big');
    expectRefused(await expectNothingStored(server, () => create(keyed(''))), 'idempotency-key too-small');
  });

  it('has no effect on a GET', async () => {
    const key = keyed();
    const { id } = await createProtocol(server, institutionId);
    const name = async () => (await server.get<Protocol>(`/protocols/${id}`, key)).body.name;
    expect(await name()).toBe('Falls');
    await server.put(`/protocols/${id}`, { name: 'New' });
    expect(await name()).toBe('New');
  });
});
