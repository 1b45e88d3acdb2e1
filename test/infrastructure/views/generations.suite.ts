// The guarantees that every engine of the views gives for generations: a new generation is built beside the live one,
// and then becomes live. The rules themselves are tested without an engine (control.test.ts).
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ReadModelOutdated } from '../../../src/infrastructure/errors.js';
import { numbers } from '../../support/items.js';
import { at, HOUR_MS, leased, type Projected, type Store, worker } from './support/harness.js';

/** Declares the tests of rebuilds. */
export const generationsSuite = (store: Store): void => {
  const built = (projected: Projected, id: string, n: number) => projected.thing(id, n, { body: `"built ${id}"` });

  describe('a building generation', () => {
    it('is created only once, no matter how often and in how many processes it is started', async () => {
      const { shape } = await store.projection();
      const started = await Promise.all(
        numbers(1, 20).map((n) => (n % 2 ? store.views : store.beside).startGeneration(shape)),
      );
      expect(new Set(started.map(({ number }) => number)).size).toBe(1);
      expect(await store.views.startGeneration(shape)).toEqual(started[0]);
    });

    it('may have a collection that the live generation lacks, which cannot be read until the switch', async () => {
      const projected = await store.projection();
      const added = { name: `${projected.shape.name}Added`, indexes: [] };
      const collections = [...projected.shape.collections, added];
      await store.views.prepare({ ...projected.shape, version: 2, collections });
      const page = { where: {}, order: 'oldest-first', after: undefined, limit: 1 } as const;
      const list = () => store.views.list({ collection: added.name, ...page });
      await expect(list()).rejects.toThrow(ReadModelOutdated);
      await expect(store.views.get(added.name, 'one')).rejects.toThrow(ReadModelOutdated);
      const building = { projection: projected.shape.name, number: projected.lease.number + 1 };
      expect(await store.views.promote(await leased(store.views, building))).toBe(true);
      expect(await list()).toEqual({ json: '[]', next: undefined, places: [] });
    });

    it('may have an index that the live generation lacks, by which nothing is listed until the switch', async () => {
      const projected = await (await store.projection()).withThings({});
      const [things, others] = projected.shape.collections;
      const collections = [
        { name: projected.things, indexes: [...(things?.indexes ?? []), { field: 'added', kind: 'equal' as const }] },
        { name: projected.others, indexes: others?.indexes ?? [] },
      ];
      await store.views.prepare({ ...projected.shape, version: 2, collections });
      const query = { collection: projected.things, where: { added: 'x' } } as const;
      const list = () => store.views.list({ ...query, order: 'oldest-first', after: undefined, limit: 1 });
      await expect(list()).rejects.toThrow(ReadModelOutdated);
      await expect(store.views.count(query)).rejects.toThrow(ReadModelOutdated);
      const building = { projection: projected.shape.name, number: projected.lease.number + 1 };
      const lease = await leased(store.views, building);
      expect(await store.views.commit({ lease, writes: [], position: at(1) })).toBe(true);
      expect(await store.views.promote(lease)).toBe(true);
      expect(await list()).toEqual({ json: '[]', next: undefined, places: [] });
      expect(await store.views.count(query)).toBe(0);
    });

    it('starts empty, is written and loaded separately, and affects neither readers nor the live generation', async () => {
      const projected = await (await store.projection()).withThings({}, {});
      const building = await projected.startRebuild();
      const load = ({ lease, things }: Projected) => store.beside.load(lease, things, ['thing 1', 'new']);
      expect(await load(building)).toEqual([]);
      expect(await building.commit(1, built(building, 'thing 1', 1), built(building, 'new', 1))).toBe(true);
      expect(await projected.body('thing 1')).toBe('"thing 1 1"');
      expect(await projected.body('new')).toBeUndefined();
      expect(await projected.listed()).toEqual(['thing 1 1', 'thing 2 2']);
      expect(await load(projected)).toMatchObject([{ body: '"thing 1 1"' }]);
      expect(await load(building)).toHaveLength(2);
      expect(await projected.commit(3, projected.thing('thing 1', 3))).toBe(true);
      expect((await load(building)).find(({ id }) => id === 'thing 1')).toMatchObject({ body: '"built thing 1"' });
    });
  });

  describe('a read model of another log', () => {
    const [mine, other] = ['018f4c3e-0000-7000-8000-000000000001', '018f4c3e-0000-7000-8000-000000000002'];

    it.each([other, null])('is never read again, and its worker writes nothing more (%s)', async (log) => {
      const projected = await (await store.projection()).withThings({}, {});
      await store.views.prepare(projected.shape, mine);
      expect(await projected.listed()).toEqual(['thing 1 1', 'thing 2 2']);
      await store.beside.prepare(projected.shape, log);
      for (const views of [store.beside, store.views]) {
        const query = { collection: projected.things, where: {}, after: undefined, limit: 10 };
        expect((await views.list({ ...query, order: 'oldest-first' })).json).toBe('[]');
        expect(await projected.body('thing 1', views)).toBeUndefined();
      }
      expect(await projected.commit(3, projected.thing('late', 3))).toBe(false);
      const generation = { projection: projected.shape.name, number: projected.lease.number + 1 };
      const lease = await leased(store.beside, generation);
      const writes = [projected.thing('new', 1)];
      expect(await store.beside.commit({ lease, writes, position: at(1) })).toBe(true);
      await store.views.prepare(projected.shape, log);
      expect(await projected.body('new')).toBe('"new 1"');
    });

    it('is one only if its log is known: a read model without an id gets it', async () => {
      const projected = await (await store.projection()).withThings({});
      for (const log of [mine, undefined, mine]) await store.views.prepare(projected.shape, log);
      expect(await projected.listed()).toEqual(['thing 1 1']);
    });
  });

  describe('promote', () => {
    /** Returns a projection at 10 whose new generation is at `n`. */
    const builtTo = async (n: number) => {
      const projected = await store.projection();
      await projected.commit(10, projected.thing('one', 1), projected.thing('only old', 2));
      const building = await projected.startRebuild();
      await building.commit(n, built(building, 'one', 1), built(building, 'only new', 2));
      return { projected, building };
    };

    it('waits for a generation that is behind', async () => {
      const { projected, building } = await builtTo(9);
      expect(await store.views.promote(building.lease)).toBe(false);
      expect(await projected.checkpoints()).toMatchObject([{ number: 1, state: 'live' }, { state: 'building' }]);
      expect(await projected.body('one')).toBe('"one 1"');
      expect(await projected.commit(11)).toBe(true);
    });

    it('keeps the documents of the generation that a newer version is building', async () => {
      const { projected, building } = await builtTo(10);
      await store.beside.prepare({ ...projected.shape, version: 2 });
      const newer = { projection: projected.shape.name, number: building.lease.number + 1 };
      const lease = await leased(store.beside, newer);
      await store.beside.commit({ lease, position: at(9), writes: [projected.thing('one', 1, { body: '"newer"' })] });
      expect(await store.views.promote(building.lease)).toBe(true);
      expect(await projected.body('one')).toBe('"built one"');
      expect(await store.beside.commit({ lease, position: at(10), writes: [] })).toBe(true);
      expect(await store.beside.promote(lease)).toBe(true);
      expect(await projected.body('one')).toBe('"newer"');
    });

    it('switches every read, also in other processes', async () => {
      const { projected, building } = await builtTo(10);
      await store.views.promote(building.lease);
      for (const views of [store.views, store.beside]) {
        expect(await projected.body('one', views)).toBe('"built one"');
        expect(await projected.body('only old', views)).toBeUndefined();
        const query = { collection: projected.things, where: {}, after: undefined, limit: 10 };
        const { json } = await views.list({ ...query, order: 'oldest-first' });
        expect(json).toBe('["built one","built only new"]');
      }
    });

    it('ends the old generation, which then accepts no commit, no lease and no promotion', async () => {
      const { projected, building } = await builtTo(10);
      await store.views.promote(building.lease);
      expect(await projected.commit(11, projected.thing('late', 11))).toBe(false);
      expect(await store.views.renew(projected.lease, HOUR_MS)).toBe(false);
      expect(await store.beside.acquire(projected.lease, worker, HOUR_MS)).toBeUndefined();
      expect(await store.views.promote(projected.lease)).toBe(false);
      await store.views.release(projected.lease);
      await store.views.setStopped(projected.lease, { position: at(11), reason: 'too late' });
      expect(await projected.checkpoints()).toMatchObject([{ number: building.lease.number, stopped: undefined }]);
      expect(await projected.body('late')).toBeUndefined();
    });

    it('never shows a gap to a reader', async () => {
      const projected = await store.projection();
      await projected.commit(1, projected.thing('one', 1));
      let promoting = true;
      const seen = [store.views, store.beside].map(async (views) => {
        const bodies: (string | undefined)[] = [];
        for (; promoting; await nextTurn()) bodies.push(await projected.body('one', views));
        return bodies;
      });
      for (let round = 1; round <= 4; round += 1) {
        const building = await projected.startRebuild();
        await building.commit(1, building.thing('one', 1));
        expect(await store.views.promote(building.lease)).toBe(true);
      }
      promoting = false;
      for (const bodies of await Promise.all(seen)) expect(new Set(bodies)).toEqual(new Set(['"one 1"']));
    });
  });
};
