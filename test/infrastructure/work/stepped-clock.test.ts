// The jobs on SQLite while the clock of the process is set.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openForWriting } from '../../../src/infrastructure/sqlite/database.js';
import { longestWaitOf } from '../../../src/infrastructure/work/attempt.js';
import { SqliteWork } from '../../../src/infrastructure/work/sqlite.js';
import { operationsOf } from '../../../src/infrastructure/work/sqlite-statements.js';
import { temporaryDirectory } from '../../support/directory.js';
import { steppedClock, steps, stepsBack } from '../../support/stepped-clock.js';
import { AN_HOUR, newQueue } from './support/harness.js';

const queue = newQueue({ name: 'q', pausesMs: [1_000, 2_000], timeoutMs: 1_000 });
const longestMs = longestWaitOf(queue);
const request = { queue: 'q', attempts: 3, leaseMs: 2_000, longestMs };
const failed = { reason: 'no luck', pauseMs: 1_000 };
const jobOf = (id: string, runAt: number | null = null) => ({ queue: 'q', id, data: '', runAt });

/** Returns the operations of a process, and of another process on the same jobs. */
const processes = async () => {
  const directory = temporaryDirectory();
  const work = new SqliteWork(directory);
  onTestFinished(() => work.close());
  const [db, again] = [1, 2].map(() => openForWriting(join(directory, 'work.sqlite')));
  if (db === undefined || again === undefined) throw new Error('two connections were opened');
  onTestFinished(() => {
    for (const each of [db, again]) each.close();
  });
  return { own: operationsOf(db), other: operationsOf(again), work };
};

it.each(stepsBack)('a retry is due if the clock is set %s', async (_, ms) => {
  const { own } = await processes();
  const { step } = steppedClock();
  own.enqueue(jobOf('a'));
  const claim = own.claim(request);
  if (claim === undefined) throw new Error('there is a job');
  expect(own.fail({ ...claim, ...failed })).toBe(true);
  expect(own.claim(request)).toBeUndefined();
  step(ms);
  expect(own.claim(request)).toMatchObject({ id: 'a', attempt: 2 });
});

it.each(stepsBack)('a job that waits is due if the clock is set %s', async (_, ms) => {
  const { own } = await processes();
  const { step } = steppedClock();
  own.enqueue(jobOf('a'));
  step(ms);
  expect(own.claim(request)).toMatchObject({ id: 'a', attempt: 1 });
  expect(own.putBack({ number: 1, attempt: 1 })).toBe(true);
  step(ms);
  expect(own.claim(request)).toMatchObject({ id: 'a', attempt: 1 });
});

it.each(stepsBack)('a job of an ended process is due if the clock is set %s', async (_, ms) => {
  const { own, other } = await processes();
  const { step } = steppedClock();
  own.enqueue(jobOf('a'));
  own.claim(request);
  step(ms);
  expect(other.claim(request)).toMatchObject({ id: 'a', attempt: 2 });
});

it.each(steps)('a job that runs is not run twice by its process if the clock is set %s', async (_, ms) => {
  const { own } = await processes();
  const { step, pass } = steppedClock();
  own.enqueue(jobOf('a'));
  const claim = own.claim(request);
  step(ms);
  expect(own.claim(request)).toBeUndefined();
  await pass(2_000);
  expect(own.claim(request)).toMatchObject({ id: 'a', attempt: 2 });
  expect(own.finish(claim ?? { number: 0, attempt: 0 })).toBe(false);
});

it.each(stepsBack)('a planned job keeps its time if the clock is set %s', async (_, ms) => {
  const { own } = await processes();
  const { step } = steppedClock();
  const runAt = Date.now() + 24 * AN_HOUR;
  own.enqueue(jobOf('a', runAt));
  step(ms);
  expect(own.claim(request)).toBeUndefined();
  step(runAt - Date.now());
  expect(own.claim(request)).toMatchObject({ id: 'a', attempt: 1 });
  own.fail({ number: 1, attempt: 1, ...failed });
  step(ms);
  expect(own.claim(request)).toMatchObject({ id: 'a', attempt: 2 });
});
