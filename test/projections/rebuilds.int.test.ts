// Rebuilds as jobs, on both engines of the work.
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite.js';
import { BullMqWork } from '../../src/infrastructure/work/bullmq.js';
import { SqliteWork } from '../../src/infrastructure/work/sqlite.js';
import type { Work } from '../../src/infrastructure/work/work.js';
import type { Projection } from '../../src/projections/projection.js';
import { queueRebuild, REBUILD_QUEUE, startRebuilds } from '../../src/projections/rebuilds.js';
import { checkpointsOf } from '../infrastructure/views-harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { withRedis } from '../support/redis.js';
import { startRunner } from './replay.js';
import { Touchy } from './touchy.js';

const QUICK = { attempts: 2, backoffMs: 5, timeoutMs: 600_000 };

const suite = (name: string, newWork: () => Work) =>
  describe(`rebuilds as jobs on ${name}`, () => {
    /** A projection whose first generation is live, and workers of it that are closed with the test. */
    const opened = async () => {
      const directory = temporaryDirectory();
      const [facts, views, work] = [new SqliteFacts(directory), new SqliteViews(directory), newWork()];
      const touchy = new Touchy('touchy');
      const { projection } = touchy;
      await views.prepare(projection);
      const closings: (() => Promise<void>)[] = [];
      const running = <T extends { close: () => Promise<void> }>(worker: T): T => {
        closings.push(() => worker.close());
        return worker;
      };
      onTestFinished(async () => {
        for (const close of closings) await close();
        for (const store of [work, views, facts]) await store.close();
      });
      return {
        touchy,
        stores: { facts, views, work },
        projection,
        run: (projections: readonly Projection[] = [projection]) => running(startRunner(facts, views, projections)),
        rebuild: () => running(startRebuilds({ views, work }, [projection], QUICK)),
        isDone: () => eventually(async () => expect(await work.pending(REBUILD_QUEUE)).toBe(0)),
        states: async () => (await checkpointsOf(views, projection.name)).map(({ number, state }) => [number, state]),
      };
    };

    it('are done by a worker, which sees them through', async () => {
      const { touchy, stores, projection, run, rebuild, isDone, states } = await opened();
      await touchy.happen(stores.facts, 'one', 'two');
      run();
      const { isNew } = await queueRebuild(stores, projection);
      rebuild();
      await isDone();
      expect([isNew, await states()]).toEqual([true, [[2, 'live']]]);
      expect(await checkpointsOf(stores.views, projection.name)).toMatchObject([
        { position: await stores.facts.head() },
      ]);
      expect(await stores.work.deadLetters(REBUILD_QUEUE)).toEqual([]);
    });

    it('end only when what they built is on stable storage', async () => {
      const { stores, projection, run, rebuild, isDone, states } = await opened();
      Object.assign(stores.views, { flush: () => Promise.reject(new Error('no room')) });
      await queueRebuild(stores, projection);
      run();
      rebuild();
      await isDone();
      expect(await states()).toEqual([[2, 'live']]);
      expect(await stores.work.deadLetters(REBUILD_QUEUE)).toMatchObject([
        { reason: expect.stringContaining('no room') },
      ]);
    });

    it('are one where they are asked for twice, and a new one when that is done', async () => {
      const { stores, projection, run, rebuild, isDone, states } = await opened();
      const first = await queueRebuild(stores, projection);
      expect(await queueRebuild(stores, projection)).toEqual({ id: first.id, isNew: false });
      run();
      const worker = rebuild();
      await isDone();
      expect(await states()).toEqual([[2, 'live']]);
      await worker.close();
      const next = await queueRebuild(stores, projection);
      expect(next.isNew).toBe(true);
      expect(next.id).not.toBe(first.id);
    });

    it('go on where they were when their worker was closed in the middle', async () => {
      const { stores, projection, run, rebuild, isDone, states } = await opened();
      await queueRebuild(stores, projection);
      const worker = rebuild();
      await eventually(async () => expect(await states()).toContainEqual([2, 'building']));
      await worker.close();
      expect(await stores.work.pending(REBUILD_QUEUE)).toBe(1);
      rebuild();
      run();
      await isDone();
      expect(await states()).toEqual([[2, 'live']]);
    });

    it('change nothing when they are delivered again after they were done', async () => {
      const { stores, projection, run, rebuild, isDone, states } = await opened();
      run();
      const { id } = await queueRebuild(stores, projection);
      const job = { queue: REBUILD_QUEUE, id: `${id} again`, data: { projection: projection.name, replaces: 1 } };
      await stores.work.enqueue(job);
      rebuild();
      await isDone();
      expect(await states()).toEqual([[2, 'live']]);
    });

    it('are dead letters with the reason where an event cannot be folded, and can be tried again', async () => {
      const { touchy, stores, projection, run, rebuild, isDone, states } = await opened();
      const [, bad] = await touchy.happen(stores.facts, 'good', 'bad');
      touchy.unbearable = 'bad';
      const runner = run();
      const { id } = await queueRebuild(stores, projection);
      rebuild();
      await eventually(async () =>
        expect(await stores.work.deadLetters(REBUILD_QUEUE)).toMatchObject([
          { id, reason: expect.stringMatching(new RegExp(`${bad}.*it cannot be borne`)) },
        ]),
      );
      expect(await queueRebuild(stores, projection)).toEqual({ id, isNew: false });
      touchy.unbearable = undefined;
      await runner.close();
      for (const checkpoint of await checkpointsOf(stores.views, projection.name)) {
        await stores.views.setStopped(checkpoint, undefined);
      }
      run();
      expect(await stores.work.retry(REBUILD_QUEUE, id)).toBe(true);
      await isDone();
      expect(await states()).toEqual([[2, 'live']]);
    });
  });

suite('SQLite', () => new SqliteWork(temporaryDirectory()));
withRedis('rebuilds as jobs on BullMQ', (redis) =>
  suite('BullMQ', () => new BullMqWork(redis.url, { prefix: redis.newPrefix() })),
);
