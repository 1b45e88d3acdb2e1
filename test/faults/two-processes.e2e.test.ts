import { describe, expect, it } from 'vitest';
import { createInstitution, createQuestionnaire, type Form, type Protocol, successful } from '../http/samples.js';
import { expectAsFresh } from '../projections/replay.js';
import { temporaryDirectory } from '../support/directory.js';
import { isListed, namesIn, startServer, startWorker, tokenOf } from './processes.js';

describe('an http process beside a worker', () => {
  it('reads its own writes immediately, and lists them when the worker has caught up', async () => {
    const directory = temporaryDirectory();
    const server = await startServer(directory, 'http');
    const worker = await startWorker(directory);
    const { id: institutionId } = await createInstitution(server);
    for (const name of ['one', 'two', 'three']) {
      const made = successful(await server.post<Protocol>('/protocols', { institutionId, name }));
      expect(await server.get(`/protocols/${made.body.id}`)).toMatchObject({ status: 200, body: made.body });
      expect(await namesIn(server, tokenOf(made))).toContain(name);
    }
    await isListed(server, 'three');
    await expectAsFresh(directory);
    expect(await worker.stop()).toBe(0);
  });

  it('continues to read from the facts when the worker is killed, until another worker takes over', async () => {
    const directory = temporaryDirectory();
    const server = await startServer(directory, 'http');
    const first = await startWorker(directory);
    const { id: institutionId } = await createInstitution(server);
    const { protocol, form } = await createQuestionnaire(server, institutionId, { name: 'before' });
    await isListed(server, 'before');
    await first.kill();

    const made = successful(await server.post<Protocol>('/protocols', { institutionId, name: 'meanwhile' }));
    const question = { questionText: 'Since when?' };
    successful(await server.post(`/protocols/${protocol.id}/forms/${form.id}/questions`, question));
    expect((await server.get(`/protocols/${made.body.id}`)).body).toEqual(made.body);
    const revised = await server.get<Form>(`/protocols/${protocol.id}/forms/${form.id}`);
    expect(revised.body.questions.map(({ questionText }) => questionText)).toContain('Since when?');
    expect(await namesIn(server)).toEqual(['before']);
    const behind = await server.get('/protocols', tokenOf(made));
    expect(behind.status).toBe(503);
    expect(behind.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await server.get('/livez')).status).toBe(200);

    await startWorker(directory);
    await isListed(server, 'meanwhile');
    expect(await server.get(`/protocols/${protocol.id}/forms/${form.id}`)).toMatchObject({ body: revised.body });
    await expectAsFresh(directory);
  });
});
