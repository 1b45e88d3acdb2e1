// A form that was recorded before forms had a limit is larger than a MongoDB document can be. The read model stops
// there and reports it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Readiness } from '../../src/http/pages/health.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { question } from '../domain/protocol/samples.js';
import { createInstitution, createProtocol, createQuestionnaire, type ProtocolAndForm } from '../http/samples.js';
import { newEvent } from '../infrastructure/facts/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { TEST_MASTER_KEY } from '../support/master-key.js';
import { withMongo } from '../support/mongodb.js';
import { run } from '../support/process.js';
import { Server } from '../support/server.js';

const STOPPED = /^projection_stopped\{projection="protocols"\} 1$/m;

/** Returns the lines of the log that report that the projection stopped. */
const stopsIn = ({ log }: Server) => log.filter((line) => line['projection'] === 'protocols' && 'reason' in line);

withMongo('a service on MongoDB whose log holds a form that no document can hold', (mongo) => {
  const directory = temporaryDirectory();
  let server: Server;
  let environment: Record<string, string>;
  let institutionId: string;
  let created: ProtocolAndForm;

  const readiness = async () => (await server.get<Readiness>('/readyz')).body;
  const isDegraded = () => eventually(async () => expect((await readiness()).status).toBe('degraded'));

  beforeAll(async () => {
    environment = { MONGODB_URL: mongo.newUrl(), MASTER_KEY: TEST_MASTER_KEY };
    server = new Server(directory, environment);
    await server.start();
    institutionId = (await createInstitution(server)).id;
    created = await createQuestionnaire(server, institutionId);
    const facts = new SqliteFacts(directory);
    for (let n = 1; n <= 20; n += 1) {
      const item = question(n + 10, { metadata: { note: 'x'.repeat(900_000) } });
      const event = newEvent({ formId: created.form.id, question: item, moved: [] });
      await facts.append(`protocol-${created.protocol.id}`, n, [{ ...event, type: 'ProtocolQuestionAdded' }]);
    }
    await facts.close();
    await isDegraded();
  });
  afterAll(() => server.stop());

  it('is degraded and names the event, in /readyz, the metrics and the log', async () => {
    const stopped = { position: expect.any(String), reason: expect.stringContaining('ProtocolQuestionAdded') };
    const protocols = (await readiness()).projections.find(({ name }) => name === 'protocols');
    expect(protocols).toMatchObject({ state: 'stopped', stopped });
    expect((await server.get<string>('/metrics')).body).toMatch(STOPPED);
    const position = protocols?.stopped?.position;
    await eventually(() => expect(stopsIn(server)).toMatchObject([{ projection: 'protocols', position }]));
  });

  it('still serves the form and other protocols, and accepts writes', async () => {
    const { id } = await createProtocol(server, institutionId, { name: 'Another' });
    expect(await server.get(`/protocols/${id}`)).toMatchObject({ status: 200, body: { name: 'Another' } });
    expect((await server.get(`/protocols/${created.protocol.id}/forms/${created.form.id}`)).status).toBe(200);
  });

  it('stops there again when the operator retries', async () => {
    const tool = { environment: { DATA_DIR: directory, ...environment } };
    const { code } = await run('cli', { ...tool, arguments: ['projections', 'retry', 'protocols'] });
    expect(code).toBe(0);
    await eventually(() => expect(stopsIn(server)).toHaveLength(2));
    await isDegraded();
  });
});
