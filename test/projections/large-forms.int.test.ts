// Forms that are older than the limit stay readable as long as the engine of the read models can hold them.
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { MongoConnection } from '../../src/infrastructure/mongodb/connection.js';
import { MongoViews } from '../../src/infrastructure/views/mongodb/views.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import type { Views } from '../../src/infrastructure/views/views.js';
import { formDocumentId, protocols } from '../../src/projections/protocols.js';
import { created, FORM_ID, formWith, question } from '../domain/protocol/samples.js';
import { newEvent, written } from '../infrastructure/facts/support/harness.js';
import { checkpointsOf } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { withMongo } from '../support/mongodb.js';
import { AGGREGATE_ID } from '../support/specification.js';
import { startRunner } from './replay.js';

const BYTES = 900_000;
const STREAM = `protocol-${AGGREGATE_ID}`;

/** Returns a log with a form of this many questions of 0.9 MB each, and the positions of their events. */
const logWith = async (questions: number) => {
  const facts = new SqliteFacts(temporaryDirectory());
  onTestFinished(() => facts.close());
  await facts.append(
    STREAM,
    'no-stream',
    [created, formWith([])].map(({ type, data }) => ({ ...newEvent(data), type })),
  );
  const positions: string[] = [];
  while (positions.length < questions) positions.push(await add(facts, positions.length + 1));
  return { facts, positions };
};

const add = async (facts: SqliteFacts, n: number) => {
  const data = { formId: FORM_ID, question: question(n, { metadata: { note: 'x'.repeat(BYTES) } }), moved: [] };
  return written(await facts.append(STREAM, n, [{ ...newEvent(data), type: 'ProtocolQuestionAdded' }])).position;
};

const startWorker = async (facts: SqliteFacts, views: Views): Promise<void> => {
  await views.prepare(protocols);
  const { close } = startRunner(facts, views, [protocols]);
  onTestFinished(async () => {
    await close();
    await views.close();
  });
};

const checkpoint = async (views: Views) => (await checkpointsOf(views, protocols.name))[0];

const questionsIn = async (views: Views): Promise<number> => {
  const document = await views.get('forms', formDocumentId(AGGREGATE_ID, FORM_ID));
  return (JSON.parse(document?.body ?? '{"questions":[]}') as { questions: readonly unknown[] }).questions.length;
};

describe('a form of 18 MB on SQLite', () => {
  it('is folded and read', async () => {
    const { facts, positions } = await logWith(20);
    const views = new SqliteViews(temporaryDirectory());
    await startWorker(facts, views);
    await eventually(async () => expect((await checkpoint(views))?.position).toBe(positions.at(-1)));
    expect(await questionsIn(views)).toBe(20);
  });
});

withMongo('large forms on MongoDB', (mongo) => {
  const open = () => new MongoViews(new MongoConnection(mongo.newUrl()));

  it('are folded and read if a document can hold them', async () => {
    const { facts, positions } = await logWith(15);
    const views = open();
    await startWorker(facts, views);
    await eventually(async () => expect((await checkpoint(views))?.position).toBe(positions.at(-1)));
    expect(await questionsIn(views)).toBe(15);
  });

  it('stop the read model before the event that makes them too large for a document, with the reason', async () => {
    const { facts, positions } = await logWith(20);
    const views = open();
    await startWorker(facts, views);
    const stopped = await eventually(async () => {
      const found = await checkpoint(views);
      expect(found?.stopped).toBeDefined();
      return found;
    });
    const taken = await questionsIn(views);
    expect(taken).toBeGreaterThan(15);
    expect(stopped).toMatchObject({ position: positions[taken - 1], stopped: { position: positions[taken] } });
    expect(stopped?.stopped?.reason).toContain(`ProtocolQuestionAdded in ${STREAM} at revision ${taken + 2}: `);
  });
});
