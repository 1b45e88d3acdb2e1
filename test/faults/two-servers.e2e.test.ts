import { describe, expect, it } from 'vitest';
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
import type { Server } from '../support/server.js';
import { isListed, namesIn, startServer, tokenOf } from './processes.js';

describe('two servers on one directory', () => {
  const startTwo = async () => {
    const directory = temporaryDirectory();
    const servers = [await startServer(directory, 'all'), await startServer(directory, 'all')] as const;
    const { id: institutionId } = await createInstitution(servers[0]);
    return { directory, servers, institutionId };
  };
  const eachOf = <T>(servers: readonly Server[], count: number, make: (server: Server, n: number) => Promise<T>) =>
    Promise.all(servers.flatMap((server, place) => numbered(count, (n) => make(server, place * count + n))));

  it('write to one protocol at once: every write is there, one revision after the other', async () => {
    const { directory, servers, institutionId } = await startTwo();
    const { protocol, form } = await createQuestionnaire(servers[0], institutionId);
    const path = `/protocols/${protocol.id}/forms/${form.id}`;
    const answers = await eachOf(servers, 30, async (server, n) =>
      successful(await server.post<Question>(`${path}/questions`, { questionText: `Added ${n}` })),
    );
    const revisions = answers.map(({ headers }) => Number(headers.get('etag')?.replaceAll('"', '')));
    expect(revisions.toSorted((a, b) => a - b)).toEqual(numbered(60, (n) => n + 1));
    const stream = recordedIn(directory, `protocol-${protocol.id}`);
    expect(stream.map(({ revision }) => revision)).toEqual(stream.map((_, index) => index));

    const last = answers[revisions.indexOf(61)];
    for (const server of servers) {
      const { body } = successful(await server.get<Form>(path, last && tokenOf(last)));
      const texts = body.questions.map(({ questionText }) => questionText);
      expect(texts).toHaveLength(62);
      expect(texts).toEqual(expect.arrayContaining(numbered(60, (n) => `Added ${n}`)));
      expect(new Set(body.questions.map(({ position }) => position)).size).toBe(62);
    }
  });

  it('count the versions of one form without a gap', async () => {
    const { servers, institutionId } = await startTwo();
    const { id } = await createProtocol(servers[0], institutionId);
    const made = await eachOf(servers, 10, async (server) =>
      successful(await server.post<Form>(`/protocols/${id}/forms/versions`)),
    );
    expect(made.map(({ body }) => body.version).toSorted((a, b) => a - b)).toEqual(numbered(20, (n) => n));
  });

  it("read each other's writes with the Consistency-Token", async () => {
    const { directory, servers, institutionId } = await startTwo();
    const [one, other] = servers;
    const { id } = await createProtocol(one, institutionId);
    for (const [writer, reader, name] of turns(one, other)) {
      const written = successful(await writer.put<Protocol>(`/protocols/${id}`, { name }));
      const read = successful(await reader.get<Protocol>(`/protocols/${id}`, tokenOf(written)));
      expect(read.body).toEqual(written.body);
      expect(read.headers.get('etag')).toBe(written.headers.get('etag'));
      expect(await namesIn(reader, tokenOf(written))).toEqual([name]);
    }
    await expectAsFresh(directory);
  });

  it('do once what both are asked under one Idempotency-Key', async () => {
    const { directory, servers, institutionId } = await startTwo();
    const headers = { 'Idempotency-Key': 'one-and-the-same' };
    const answers = await eachOf(servers, 5, (server) =>
      server.post<Protocol>('/protocols', { institutionId, name: 'Once' }, headers),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(recordedIn(directory).filter(({ type }) => type === 'ProtocolCreated')).toHaveLength(1);
  });

  it('go on one without the other, whichever of them folded', async () => {
    const { directory, servers, institutionId } = await startTwo();
    const [one, other] = servers;
    await createProtocol(one, institutionId, { name: 'before' });
    await one.kill();
    await createProtocol(other, institutionId, { name: 'after' });
    await isListed(other, 'after');
    await one.start();
    await other.kill();
    await createProtocol(one, institutionId, { name: 'again' });
    await isListed(one, 'again');
    expect(await namesIn(one)).toEqual(['before', 'after', 'again']);
    await expectAsFresh(directory);
  });
});

/** Twenty names, each to be written by the one and read by the other, turn and turn about. */
const turns = (one: Server, other: Server) =>
  numbered(20, (n) => {
    const [writer, reader] = n % 2 === 0 ? [one, other] : [other, one];
    return [writer, reader, `Name ${n}`] as const;
  });
