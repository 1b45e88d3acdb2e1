// The operator's commands for failed jobs, run with the built tool on the embedded store.
import { describe, expect, it, onTestFinished } from 'vitest';
import { NOTIFICATION_QUEUE } from '../../src/auth/codes/deliveries.js';
import { SqliteWork } from '../../src/infrastructure/work/sqlite.js';
import type { Queue } from '../../src/infrastructure/work/work.js';
import { temporaryDirectory } from '../support/directory.js';
import { createStores } from '../support/embedded-files.js';
import { eventually } from '../support/eventually.js';
import { outputOf, refusalOf } from './support/tool.js';

const QUICK: Queue = { ...NOTIFICATION_QUEUE, pausesMs: [5] };

/** Returns a store with a dead letter in `notifications` for each of `ids`. The store stays open beside the tool. */
const withDeadLetters = async (...ids: readonly string[]) => {
  const directory = temporaryDirectory();
  await createStores(directory);
  const work = new SqliteWork(directory);
  onTestFinished(() => work.close());
  for (const id of ids) await work.enqueue({ queue: QUICK, id, data: { secret: 'never shown' } });
  const worker = work.process(QUICK, ({ id }) => Promise.reject(new Error(`no luck with ${id}`)));
  await eventually(async () => expect(await work.deadLetters(QUICK)).toHaveLength(ids.length));
  await worker.close();
  return { directory, work };
};

describe('jobs dead', () => {
  it('lists the dead letters of a queue with their reasons, but without their data', async () => {
    const { directory } = await withDeadLetters('a', 'b');
    const out = await outputOf(directory, 'jobs', 'dead', 'notifications');
    expect(out.trim().split('\n')).toEqual([
      expect.stringMatching(/^a .*2.*no luck with a$/),
      expect.stringMatching(/^b .*2.*no luck with b$/),
    ]);
  });

  it('reports a queue without dead letters', async () => {
    const { directory } = await withDeadLetters('a');
    expect(await outputOf(directory, 'jobs', 'dead', 'upkeep')).toContain('upkeep');
  });
});

describe('jobs retry', () => {
  it('puts a dead letter back as a new job', async () => {
    const { directory, work } = await withDeadLetters('a', 'b');
    await outputOf(directory, 'jobs', 'retry', 'notifications', 'a');
    expect(await work.deadLetters(QUICK)).toMatchObject([{ id: 'b' }]);
    expect(await work.pending(QUICK)).toBe(1);
    const attempts: number[] = [];
    work.process(QUICK, async ({ attempt }) => void attempts.push(attempt));
    await eventually(async () => expect(await work.pending(QUICK)).toBe(0));
    expect(attempts).toEqual([1]);
  });

  it('fails if there is no such dead letter', async () => {
    const { directory, work } = await withDeadLetters('a');
    expect(await refusalOf(directory, 'jobs', 'retry', 'notifications', 'unknown')).toContain('unknown');
    expect(await work.deadLetters(QUICK)).toHaveLength(1);
  });
});

it.each([
  ['dead', 'unknown-queue'],
  ['retry', 'unknown-queue', 'a'],
])('jobs %s lists the queues if %s is none', async (...words) => {
  const { directory } = await withDeadLetters('a');
  expect(await refusalOf(directory, 'jobs', ...words)).toContain('upkeep');
});
