// The guarantees that every engine of the views gives.
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import type { Views } from '../../../src/infrastructure/views/views.js';
import { numbers } from '../../support/items.js';
import type { NewStore } from '../support/two-engines.js';
import { documentsSuite } from './documents.suite.js';
import { generationsSuite } from './generations.suite.js';
import { leasesSuite } from './leases.suite.js';
import { listsSuite } from './lists.suite.js';
import { periodsSuite } from './periods.suite.js';
import {
  at,
  checkpointsOf,
  firstOf,
  HOUR_MS,
  newProjection,
  newShape,
  Store,
  takenOver,
  worker,
} from './support/harness.js';

/** Declares the contract of the views for the engine that `open` opens. */
export const viewsSuite = (name: string, newStore: NewStore<Views>): void => {
  describe(`the views on ${name}`, () => {
    const store = new Store(newStore);

    preparing(store);
    documentsSuite(store);
    listsSuite(store);
    periodsSuite(store);
    leasesSuite(store);
    generationsSuite(store);
    reopening(newStore);
    unavailable(newStore);
  });
};

const preparing = (store: Store) =>
  describe('prepare', () => {
    it('creates a first generation that is live and empty', async () => {
      const shape = newShape();
      await store.views.prepare(shape);
      expect(await checkpointsOf(store.beside, shape.name)).toEqual([firstOf(shape)]);
      expect(await store.views.get(`${shape.name}Things`, 'any')).toBeUndefined();
      const all = { where: {}, order: 'oldest-first', after: undefined, limit: 10 } as const;
      expect(await store.views.list({ collection: `${shape.name}Things`, ...all })).toEqual({ json: '[]', places: [] });
    });

    it('changes nothing when it is repeated', async () => {
      const projected = await store.projection();
      await projected.withThings({}, {});
      const before = await projected.checkpoints();
      await store.views.prepare(projected.shape);
      await store.beside.prepare(projected.shape);
      expect(await projected.checkpoints()).toEqual(before);
      expect(await projected.body('thing 2')).toBe('"thing 2 2"');
      expect(await projected.commit(3)).toBe(true);
    });

    it.each([
      { what: 'the first version', versions: [1] },
      { what: 'a newer version', versions: [1, 2] },
    ])('creates one generation for concurrent calls ($what)', async ({ versions }) => {
      const shape = newShape();
      for (const version of versions) {
        const concurrent = numbers(1, 20).map((n) =>
          (n % 2 ? store.views : store.beside).prepare({ ...shape, version }),
        );
        await Promise.all(concurrent);
      }
      expect((await checkpointsOf(store.views, shape.name)).map(({ version }) => version)).toEqual(versions);
    });
  });

const reopening = (newStore: NewStore<Views>) =>
  describe('a store that is opened again', () => {
    it('has every document, checkpoint and generation unchanged, and continues', async () => {
      const open = newStore();
      const views = open();
      const projected = await (await newProjection(views)).withThings({}, {});
      const stopped = { position: at(3), reason: 'it had to' };
      await views.setStopped(projected.lease, stopped);
      const building = await projected.startRebuild();
      await building.commit(1, building.thing('thing 1', 1, { body: '"built"' }));
      const before = await projected.checkpoints();
      expect(before).toMatchObject([
        { position: at(2), stopped },
        { state: 'building', position: at(1) },
      ]);

      await views.close();
      const again = open();
      await again.prepare(projected.shape);
      expect(await projected.checkpoints(again)).toEqual(before);
      expect(await projected.body('thing 1', again)).toBe('"thing 1 1"');
      expect(await again.load(building.lease, projected.things, ['thing 1', 'thing 2'])).toMatchObject([
        { body: '"built"', created: at(1) },
      ]);
      const successor = await takenOver(again, building.lease);
      const write = projected.thing('thing 2', 2, { body: '"built too"' });
      expect(await again.commit({ lease: building.lease, writes: [], position: at(9) })).toBe(false);
      expect(await again.commit({ lease: successor, writes: [write], position: at(2) })).toBe(true);
      expect(await again.promote(successor)).toBe(true);
      expect(await projected.body('thing 2', again)).toBe('"built too"');
      await again.close();
    });
  });

const unavailable = (newStore: NewStore<Views>) =>
  describe('unavailable views', () => {
    it('reject a read of a collection that no prepared projection has', async () => {
      const views = newStore()();
      await expect(views.get('unheardOf', 'one')).rejects.toThrow(/unheardOf/);
      await views.close();
    });

    it('reject every call once they are closed', async () => {
      const views = newStore()();
      const { shape, lease, things } = await newProjection(views);
      await views.close();
      const list = { where: {}, order: 'oldest-first', after: undefined, limit: 1 } as const;
      const calls = [
        views.prepare(shape),
        views.get(things, 'one'),
        views.list({ ...list, collection: things }),
        views.load(lease, things, ['one']),
        views.checkpoints(),
        views.acquire(lease, worker, HOUR_MS),
        views.renew(lease, HOUR_MS),
        views.release(lease),
        views.commit({ lease, writes: [], position: '1' }),
        views.setStopped(lease, undefined),
        views.startGeneration(shape),
        views.promote(lease),
      ];
      const rejected = { status: 'rejected', reason: expect.any(StoreUnavailable) };
      expect(await Promise.allSettled(calls)).toEqual(calls.map(() => rejected));
    });
  });
