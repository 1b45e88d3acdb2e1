import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Readiness } from '../../src/http/pages/readiness.js';
import type { Position } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { allProjections } from '../../src/projections/all.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  type Page,
  type Protocol,
} from '../http/support/samples.js';
import { newEvent, written } from '../infrastructure/facts/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { opaqueIn, since } from '../support/opaque.js';
import { runCli } from '../support/process.js';
import { Server } from '../support/server.js';

describe('a service whose log has an event that cannot be folded', () => {
  const directory = temporaryDirectory();
  const server = new Server(directory);
  let institutionId: string;
  let before: Position;
  let bad: Position;

  const waitUntilStopped = () =>
    eventually(async () => {
      const { projections } = (await server.get<Readiness>('/readyz')).body;
      const stopped = projections.find(({ name }) => name === 'protocols');
      expect(stopped).toMatchObject({ state: 'stopped', position: before });
    });
  const gauge = async (projection: string) => {
    const { body } = await server.get<string>('/metrics');
    return new RegExp(`^projection_stopped\\{projection="${projection}"\\} (\\d)$`, 'm').exec(body)?.[1];
  };

  beforeAll(async () => {
    await server.start();
    institutionId = (await createInstitution(server)).id;
    const { protocol } = await createQuestionnaire(server, institutionId, { name: 'Before' });
    before = (await server.get(`/protocols/${protocol.id}`)).status === 200 ? await head() : '';
    const facts = new SqliteFacts(directory);
    const event = { ...newEvent(null), type: 'ProtocolQuestionAdded' };
    bad = written(await facts.append(`protocol-${protocol.id}`, 1, [event])).position;
    await facts.close();
    await waitUntilStopped();
  });
  afterAll(() => server.stop());

  const head = async (): Promise<Position> => {
    const facts = new SqliteFacts(directory);
    const position = (await facts.head()) ?? '';
    await facts.close();
    return position;
  };

  it('is degraded but ready, and reports where and why, also in its metrics and its log', async () => {
    const { status, body } = await server.get<Readiness>('/readyz');
    expect(status).toBe(200);
    expect(body.status).toBe('degraded');
    const stopped = { position: bad, reason: expect.stringContaining('ProtocolQuestionAdded') };
    expect(body.projections).toEqual(
      allProjections
        .map(({ name }) => name)
        .toSorted()
        .map((name) =>
          name === 'protocols'
            ? { name, state: 'stopped', position: before, stopped }
            : { name, state: 'current', position: expect.any(String) },
        ),
    );
    expect([await gauge('protocols'), await gauge('institutions')]).toEqual(['1', '0']);
    const line = expect.objectContaining({ projection: 'protocols', position: bad });
    await eventually(() => expect(server.log).toContainEqual(line));
  });

  it('accepts writes to protocols and reads protocols from the facts', async () => {
    const { id } = await createProtocol(server, institutionId, { name: 'After' });
    expect(await server.get(`/protocols/${id}`)).toMatchObject({ status: 200, body: { name: 'After' } });
    const { body } = await server.get<Page<Protocol>>('/protocols');
    expect(body.items.map(({ name }) => name)).toEqual(['Before']);
  });

  it('responds with the lag of the list to a reader who requires a later position', async () => {
    const response = await server.get<{ lag: object }>('/protocols', since(await opaqueIn(directory), await head()));
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(response.body.lag).toEqual({ seconds: expect.any(Number) });
  });

  it('reads a single protocol and its parts as of a later position', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId, { name: 'Later' });
    const token = since(await opaqueIn(directory), await head());
    for (const path of ['', '/questionnaire', `/forms/${form.id}`, `/forms/${form.id}/analysis`, '/history']) {
      expect((await server.get(`/protocols/${protocol.id}${path}`, token)).status, path).toBe(200);
    }
    const scored = await server.post(`/protocols/${protocol.id}/forms/${form.id}/score`, { answers: [] }, token);
    expect(scored).toMatchObject({ status: 200, body: { complete: false } });
  });

  it('stops at the event again after a restart', async () => {
    await server.restart();
    await eventually(() => expect(server.log.filter(({ position }) => position === bad)).toHaveLength(2));
    await waitUntilStopped();
    expect(await gauge('protocols')).toBe('1');
  });

  it("stops at the event again after the operator's retry, and the list of projections shows it", async () => {
    const retried = await runCli(directory, 'projections', 'retry', 'protocols');
    expect(retried).toMatchObject({ code: 0, out: expect.stringContaining('resumes') });
    await waitUntilStopped();
    const { code, out } = await runCli(directory, 'projections', 'list');
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`protocols .*live +${before}\\n +stopped before ${bad}: ProtocolQuestionAdded`));
    expect(out).toMatch(/institutions .*live/);
  });

  it('reports that a running projection is not stopped', async () => {
    const { code, out } = await runCli(directory, 'projections', 'retry', 'institutions');
    expect({ code, out }).toEqual({ code: 0, out: 'institutions is not stopped\n' });
  });

  it('stops a rebuild at the event, too, and the rebuild reports it', async () => {
    const { code, err } = await runCli(directory, 'projections', 'rebuild', 'protocols');
    expect(code).toBe(1);
    expect(err).toContain(`stopped before ${bad}`);
    await waitUntilStopped();
  });
});
