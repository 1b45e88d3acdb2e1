// Rebuilds as jobs, on both engines of the background work.
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
import { FragileProjection } from './fragile.js';
import { startRunner } from './replay.js';

const QUICK = { attempts: 2, backoffMs: 5, timeoutMs: 600_000 };

const suite = (name: string, newWork: () => Work) =>
  describe(`rebuilds as jobs on ${name}`, () => {
    /**
     * Prepares a projection whose first generation is live, and functions that start its workers. The test closes them.
     */
    const setUp = async () => {
      const directory = temporaryDirectory();
      const [facts, views, work] = [new SqliteFacts(directory), new SqliteViews(directory), newWork()];
      const fragile = new FragileProjection('fragile');
      const { projection } = fragile;
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
        fragile,
        stores: { facts, views, work },
        projection,
        run: (projections: readonly Projection[] = [projection]) => running(startRunner(facts, views, projections)),
        rebuild: () => running(startRebuilds({ views, work }, [projection], QUICK)),
        isDone: () => eventually(async () => expect(await work.pending(REBUILD_QUEUE)).toBe(0)),
        states: async () => (await checkpointsOf(views, projection.name)).map(({ number, state }) => [number, state]),
      };
    };

    it('are completed by a worker', async () => {
      const { fragile, stores, projection, run, rebuild, isDone, states } = await setUp();
      await fragile.append(stores.facts, 'one', 'two');
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

    it('end only when the new generation is on stable storage', async () => {
      const { stores, projection, run, rebuild, isDone, states } = await setUp();
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

    it('are queued only once until they are done', async () => {
      const { stores, projection, run, rebuild, isDone, states } = await setUp();
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

    it('continue from their checkpoint after their worker was closed halfway', async () => {
      const { stores, projection, run, rebuild, isDone, states } = await setUp();
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

    it('change nothing if they are delivered again after they are done', async () => {
      const { stores, projection, run, rebuild, isDone, states } = await setUp();
      run();
      const { id } = await queueRebuild(stores, projection);
      const job = { queue: REBUILD_QUEUE, id: `${id} again`, data: { projection: projection.name, replaces: 1 } };
      await stores.work.enqueue(job);
      rebuild();
      await isDone();
      expect(await states()).toEqual([[2, 'live']]);
    });

    it('become dead letters with the reason if an event cannot be folded, and can be retried', async () => {
      const { fragile, stores, projection, run, rebuild, isDone, states } = await setUp();
      const [, bad] = await fragile.append(stores.facts, 'good', 'bad');
      fragile.failsOn = 'bad';
      const runner = run();
      const { id } = await queueRebuild(stores, projection);
      rebuild();
      await eventually(async () =>
        expect(await stores.work.deadLetters(REBUILD_QUEUE)).toMatchObject([
          { id, reason: expect.stringMatching(new RegExp(`${bad}.*this name fails`)) },
        ]),
      );
      expect(await queueRebuild(stores, projection)).toEqual({ id, isNew: false });
      fragile.failsOn = undefined;
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
