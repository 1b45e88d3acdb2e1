import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  type Form,
  numbered,
  type Protocol,
  type Question,
  successful,
} from '../http/samples.js';
import { expectAsFresh } from '../projections/replay.js';
import { temporaryDirectory } from '../support/directory.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';
import { isListed, namesIn, tokenOf } from './processes.js';

describe('two servers on one directory', () => {
  const directory = temporaryDirectory();
  const servers = [new Server(directory), new Server(directory)] as const;
  const [one, other] = servers;
  let institutionId: string;
  beforeAll(() => Promise.all(servers.map((server) => server.start())));
  beforeEach(async () => {
    institutionId = (await createInstitution(one)).id;
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  /** Returns the names of this test's protocols that a server lists. */
  const listed = (server: Server, headers = {}) => namesIn(server, headers, institutionId);
  const eachOf = <T>(count: number, make: (server: Server, n: number) => Promise<T>) =>
    Promise.all(servers.flatMap((server, index) => numbered(count, (n) => make(server, index * count + n))));

  it('record every concurrent write to one protocol, with consecutive revisions', async () => {
    const { protocol, form } = await createQuestionnaire(one, institutionId);
    const path = `/protocols/${protocol.id}/forms/${form.id}`;
    const responses = await eachOf(30, async (server, n) =>
      successful(await server.post<Question>(`${path}/questions`, { questionText: `Added ${n}` })),
    );
    const revisions = responses.map(({ headers }) => Number(headers.get('etag')?.replaceAll('"', '')));
    expect(revisions.toSorted((a, b) => a - b)).toEqual(numbered(60, (n) => n + 1));
    const stream = recordedIn(directory, `protocol-${protocol.id}`);
    expect(stream.map(({ revision }) => revision)).toEqual(stream.map((_, index) => index));

    const last = responses[revisions.indexOf(61)];
    for (const server of servers) {
      const { body } = successful(await server.get<Form>(path, last && tokenOf(last)));
      const texts = body.questions.map(({ questionText }) => questionText);
      expect(texts).toHaveLength(62);
      expect(texts).toEqual(expect.arrayContaining(numbered(60, (n) => `Added ${n}`)));
      expect(new Set(body.questions.map(({ position }) => position)).size).toBe(62);
    }
  });

  it('number the versions of one form without a gap', async () => {
    const { id } = await createProtocol(one, institutionId);
    const made = await eachOf(10, async (server) =>
      successful(await server.post<Form>(`/protocols/${id}/forms/versions`)),
    );
    expect(made.map(({ body }) => body.version).toSorted((a, b) => a - b)).toEqual(numbered(20, (n) => n));
  });

  it("read each other's writes with the Consistency-Token", async () => {
    const { id } = await createProtocol(one, institutionId);
    for (const [writer, reader, name] of turns(one, other)) {
      const written = successful(await writer.put<Protocol>(`/protocols/${id}`, { name }));
      const read = successful(await reader.get<Protocol>(`/protocols/${id}`, tokenOf(written)));
      expect(read.body).toEqual(written.body);
      expect(read.headers.get('etag')).toBe(written.headers.get('etag'));
      expect(await listed(reader, tokenOf(written))).toEqual([name]);
    }
    await expectAsFresh(directory);
  });

  it('apply requests once if both receive them with one Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'one-and-the-same' };
    const responses = await eachOf(5, (server) =>
      server.post<Protocol>('/protocols', { institutionId, name: 'Once' }, headers),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    const created = recordedIn(directory).filter(({ type }) => type === 'ProtocolCreated');
    expect(created.filter(({ data }) => data['institutionId'] === institutionId)).toHaveLength(1);
  });

  it('continue without each other, whichever of them ran the projections', async () => {
    await createProtocol(one, institutionId, { name: 'before' });
    await one.kill();
    await createProtocol(other, institutionId, { name: 'after' });
    await isListed(other, 'after');
    await one.start();
    await other.kill();
    await createProtocol(one, institutionId, { name: 'again' });
    await isListed(one, 'again');
    expect(await listed(one)).toEqual(['before', 'after', 'again']);
    await expectAsFresh(directory);
  });
});

/** Returns twenty names. The servers take turns to write a name and to read it. */
const turns = (one: Server, other: Server) =>
  numbered(20, (n) => {
    const [writer, reader] = n % 2 === 0 ? [one, other] : [other, one];
    return [writer, reader, `Name ${n}`] as const;
  });
