import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import { allProjections } from '../../src/projections/all.js';
import { protocols } from '../../src/projections/protocols.js';
import { created, formWith, question } from '../domain/support/protocol-samples.js';
import { createInstitution, createProtocol, type Page, type Protocol } from '../http/support/samples.js';
import { newEvent } from '../infrastructure/facts/support/harness.js';
import { checkpointsOf } from '../infrastructure/views/support/harness.js';
import { expectAsFresh } from '../projections/support/replay.js';
import { temporaryDirectory } from '../support/directory.js';
import { createStores } from '../support/embedded-files.js';
import { eventually } from '../support/eventually.js';
import { runCli } from '../support/process.js';
import { startServer } from '../support/processes.js';
import { Server } from '../support/server.js';
import { uuidOf } from '../support/specification.js';

/** Appends protocols, each with a form and 300 more questions, which take a while to fold. */
const fill = async (facts: SqliteFacts, count: number): Promise<void> => {
  const protocolsMade = Array.from({ length: count }, (_, n) => {
    const questions = Array.from({ length: 300 }, (_, m) => ({
      type: 'ProtocolQuestionAdded',
      data: { formId: formWith([]).data.formId, question: question(m + 1), moved: [] },
    }));
    const events = [created, formWith([]), ...questions].map(({ type, data }) => ({ ...newEvent(data), type }));
    return facts.append(`protocol-${uuidOf(0x900_000 + n)}`, 'no-stream', events);
  });
  await Promise.all(protocolsMade);
};

const rebuild = (directory: string, projection = 'protocols', ...options: readonly string[]) =>
  runCli(directory, 'projections', 'rebuild', projection, ...options);

/** Opens the stores of a directory beside the process that uses them. */
const openStores = async (directory: string) => {
  await createStores(directory);
  const facts = new SqliteFacts(directory);
  const views = new SqliteViews(directory);
  for (const projection of allProjections) await views.prepare(projection);
  onTestFinished(async () => {
    await views.close();
    await facts.close();
  });
  return { facts, views };
};

describe("the operator's rebuild", () => {
  const server = new Server(temporaryDirectory());
  beforeAll(() => server.start());
  afterAll(() => server.stop());

  it('lets a running service read and write throughout, and ends with what a fresh replay builds', async () => {
    const { id: institutionId } = await createInstitution(server);
    const first = await createProtocol(server, institutionId);
    const gaps: unknown[] = [];
    let working = true;
    const writing = async () => {
      while (working) await createProtocol(server, institutionId);
    };
    const checkReads = async (listed: number) => {
      const { status, body } = await server.get<Page<Protocol>>('/protocols?limit=200');
      const one = await server.get(`/protocols/${first.id}`);
      const now = status === 200 ? body.items.length : -1;
      if (now < listed || one.status !== 200) gaps.push({ listed, now, one: one.status });
      return now;
    };
    const reading = async () => {
      for (let listed = 0; working; ) listed = await checkReads(listed);
    };
    const load = [writing(), writing(), reading(), reading()];
    for (let generation = 2; generation <= 4; generation += 1) {
      const { code, out } = await rebuild(server.directory, 'protocols');
      expect(code).toBe(0);
      expect(out).toMatch(new RegExp(`generation ${generation} of protocols is live\\n$`));
    }
    working = false;
    await Promise.all(load);
    expect(gaps).toEqual([]);

    await expectAsFresh(server.directory);
    expect((await server.get<Page<Protocol>>('/protocols?limit=1')).body.items[0]?.id).toBe(first.id);
  });

  it('lists the projections if it gets an unknown name', async () => {
    const { code, err } = await rebuild(server.directory, 'nothing');
    expect(code).toBe(1);
    expect(err).toMatch(/institutions, protocols/);
  });

  it('stays and says so if no worker runs, and the next worker builds the generation', async () => {
    const directory = temporaryDirectory();
    const { facts, views } = await openStores(directory);
    await fill(facts, 1);
    expect(await rebuild(directory, 'protocols', '--no-wait')).toMatchObject({ code: 0, err: '' });
    const { code, err } = await rebuild(directory);
    expect([code, err]).toEqual([1, expect.stringMatching(/No worker .* generation 2 of protocols/)]);
    expect(await checkpointsOf(views, 'protocols')).toMatchObject([
      { number: 1, state: 'live' },
      { number: 2, state: 'building' },
    ]);
    await startServer(directory, 'all');
    await eventually(async () =>
      expect(await checkpointsOf(views, 'protocols')).toMatchObject([{ number: 2, state: 'live' }]),
    );
  });
});

describe('a rebuild whose process is killed in the middle', () => {
  it('continues in the next process from its checkpoint', async () => {
    const directory = temporaryDirectory();
    const { facts, views } = await openStores(directory);
    await fill(facts, 60);
    const killed = await startServer(directory, 'all');
    const head = await facts.head();
    await eventually(async () => expect((await checkpointsOf(views, 'protocols'))[0]?.position).toBe(head));
    const rebuilding = rebuild(directory);
    const building = async () => (await checkpointsOf(views, 'protocols')).find(({ state }) => state === 'building');
    await eventually(async () => expect((await building())?.position).toBeDefined());
    await killed.kill();
    const { number, position } = (await building()) ?? {};
    expect(Number(position)).toBeLessThan(Number(head));

    const server = await startServer(directory, 'all');
    await eventually(async () => {
      const { body } = await server.get<{ projections: readonly { name: string }[] }>('/readyz');
      expect(body).toMatchObject({ status: 'ready' });
      expect(body.projections.map(({ name }) => name).toSorted()).toEqual(allProjections.map(({ name }) => name));
    });
    expect(await rebuilding).toMatchObject({ code: 0, out: expect.stringContaining(`generation ${number} of`) });
    expect(await checkpointsOf(views, 'protocols')).toMatchObject([{ number, state: 'live' }]);
    await expectAsFresh(directory, [protocols]);
  });
});
