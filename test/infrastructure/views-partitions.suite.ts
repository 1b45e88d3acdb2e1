// What every engine of the views promises of a generation that is built in parts, each by whoever holds its lease.
import { describe, expect, it } from 'vitest';
import type { Generation, Partition } from '../../src/infrastructure/views/views.js';
import {
  at,
  everyoneLives,
  HOUR_MS,
  leased,
  newProjection,
  numbers,
  type OpenViews,
  Projected,
  type Store,
  worker,
} from './views-harness.js';

const other = 'host/2/other';
const isDead = (name: string) => name !== worker;

/** Declares the part of the contract that is about building in parts. */
export const partitionsSuite = (store: Store, open: OpenViews): void => {
  /** A projection at 10 and its parts, each leased by a worker of its own. */
  const inParts = async (count: number, isAt: number | null = 10) => {
    const projected = await store.projection();
    if (isAt !== null) await projected.commit(isAt, projected.thing('one', 1), projected.thing('only old', 2));
    return { projected, parts: await partsOf(projected, count) };
  };
  const built = (part: Projected, n: number, ...ids: readonly string[]) =>
    part.commit(n, ...ids.map((id, index) => part.thing(id, index + 1, { body: `"built ${id}"` })));
  /** A projection at 10 and its parts, which have come so far; each has made a document. */
  const builtTo = async (...reached: readonly (number | undefined)[]) => {
    const { projected, parts } = await inParts(reached.length);
    for (const [index, part] of parts.entries()) {
      const n = reached[index];
      if (n !== undefined) await built(part, n, `of ${index}`);
    }
    return { projected, parts: parts as [Projected, Projected, ...Projected[]] };
  };

  describe('a generation in parts', () => {
    it('has a checkpoint for each part, and the one that serves has its own', async () => {
      const { projected, parts } = await inParts(3);
      const { number } = parts[0]?.lease ?? {};
      const building = { number, state: 'building', position: undefined, stopped: undefined };
      expect(await projected.checkpoints(store.beside)).toMatchObject([
        { number: 1, state: 'live', position: at(10), partition: undefined },
        ...[0, 1, 2].map((index) => ({ ...building, partition: { index, of: 3 } })),
      ]);
      expect(await built(parts[1] ?? projected, 7, 'two')).toBe(true);
      expect((await projected.checkpoints()).map(({ position }) => position)).toEqual([
        at(10),
        undefined,
        at(7),
        undefined,
      ]);
    });

    it('is whole where it is one part', async () => {
      const { projected } = await inParts(1);
      expect(await projected.checkpoints()).toMatchObject([{ state: 'live' }, { partition: undefined }]);
    });

    it('keeps its parts, in however many it is asked for again', async () => {
      const { shape } = await store.projection();
      const asked = numbers(1, 20).map((n) => (n % 2 ? store.views : store.beside).startGeneration(shape, (n % 4) + 2));
      expect(new Set((await Promise.all(asked)).map(({ number }) => number)).size).toBe(1);
      const of = (await store.views.checkpoints()).filter(({ projection }) => projection === shape.name).length - 1;
      await store.beside.startGeneration(shape, of + 1);
      const building = (await store.beside.checkpoints()).filter(({ projection }) => projection === shape.name);
      expect(building.slice(1).map(({ partition }) => partition)).toEqual(
        numbers(0, of - 1).map((index) => ({ index, of })),
      );
    });

    it('has one set of documents', async () => {
      const { parts } = await inParts(2);
      for (const [index, part] of parts.entries()) await built(part, 5, `of ${index}`);
      for (const { lease, things } of parts) {
        expect(await store.beside.load(lease, things, ['of 0', 'of 1'])).toHaveLength(2);
      }
    });

    it('has a lease for each part; where one is lost, the others are not', async () => {
      const { parts } = await inParts(2);
      const [lost, kept] = parts as [Projected, Projected];
      expect(await store.beside.acquire(kept.lease, other, HOUR_MS, everyoneLives)).toBeUndefined();
      const successor = await store.beside.acquire(lost.lease, other, HOUR_MS, isDead);
      expect(successor).toMatchObject({ owner: other, partition: { index: 0, of: 2 } });
      expect(await built(lost, 5, 'late')).toBe(false);
      expect(await store.views.renew(lost.lease, HOUR_MS)).toBe(false);
      expect(await built(kept, 5, 'in time')).toBe(true);
      expect(await store.views.renew(kept.lease, HOUR_MS)).toBe(true);
      await store.views.release(lost.lease);
      expect(await store.views.acquire(lost.lease, 'host/3/third', HOUR_MS, everyoneLives)).toBeUndefined();
    });

    it('is not to be had as a whole, nor in other parts than there are', async () => {
      const { projected, parts } = await inParts(2);
      const { projection, number } = parts[0]?.lease ?? projected.lease;
      const asked: Generation[] = [
        { projection, number },
        { projection, number, partition: { index: 2, of: 2 } },
        { projection, number: 1, partition: { index: 0, of: 2 } },
      ];
      for (const generation of asked) {
        expect(await store.beside.acquire(generation, other, HOUR_MS, () => false)).toBeUndefined();
      }
    });

    it('is stopped part by part', async () => {
      const { projected, parts } = await inParts(2);
      const stopped = { position: at(3), reason: 'it had to' };
      const [one] = parts as [Projected, Projected];
      const stops = async () => (await projected.checkpoints(store.beside)).map((checkpoint) => checkpoint.stopped);
      await store.views.setStopped(one.lease, stopped);
      expect(await stops()).toEqual([undefined, stopped, undefined]);
      const { projection, number, partition } = one.lease;
      await store.beside.setStopped({ projection, number }, undefined);
      expect(await stops()).toEqual([undefined, stopped, undefined]);
      await store.beside.setStopped({ projection, number, partition }, undefined);
      expect(await stops()).toEqual([undefined, undefined, undefined]);
    });

    it('is dropped with all of its parts', async () => {
      const { projected, parts } = await inParts(3);
      const shape = { ...projected.shape, version: 2 };
      const next = await store.views.startGeneration(shape, 1);
      const lease = await leased(store.views, next);
      expect(await store.views.commit({ lease, writes: [], position: at(10) })).toBe(true);
      expect(await store.views.promote(lease)).toBe(true);
      expect(await projected.checkpoints(store.beside)).toMatchObject([{ number: next.number, state: 'live' }]);
      for (const part of parts) expect(await built(part, 11, 'late')).toBe(false);
    });

    it('is after a restart where it was', async () => {
      const { views, reopen } = await open();
      const projected = await newProjection(views);
      const [, five, ten] = (await partsOf(projected, 3)) as [Projected, Projected, Projected];
      for (const [part, n] of [
        [five, 5],
        [ten, 10],
      ] as const)
        await built(part, n, `of ${n}`);
      const before = await projected.checkpoints();
      const again = await reopen();
      await again.prepare(projected.shape);
      expect(await projected.checkpoints(again)).toEqual(before);
      expect(before.map(({ position }) => position)).toEqual([undefined, undefined, at(5), at(10)]);
      await again.close();
    });
  });

  describe('promote, of a generation in parts,', () => {
    it.each([
      { what: 'one is behind', reached: [10, 9, 11] },
      { what: 'one has folded nothing', reached: [10, undefined, 10] },
    ])('waits for every part ($what)', async ({ reached }) => {
      const { projected, parts } = await builtTo(...reached);
      for (const { lease } of parts) expect(await store.views.promote(lease)).toBe(false);
      expect(await projected.checkpoints()).toMatchObject([{ number: 1, state: 'live' }, {}, {}, {}]);
      expect(await projected.body('one')).toBe('"one 1"');
      expect(await projected.commit(12)).toBe(true);
      const [, late] = parts;
      expect(await built(late, 12, 'of 1')).toBe(true);
      expect(await store.views.promote(late.lease)).toBe(false);
    });

    it('waits for a part that is stopped, however far the others are', async () => {
      const { projected, parts } = await builtTo(10, 10);
      const [one, two] = parts;
      await store.views.setStopped(one.lease, { position: at(11), reason: 'it had to' });
      expect(await store.views.promote(two.lease)).toBe(false);
      await store.views.setStopped(one.lease, undefined);
      expect(await store.beside.promote(two.lease)).toBe(true);
      expect(await projected.checkpoints()).toMatchObject([{ number: one.lease.number, state: 'live' }]);
    });

    it('makes it whole, live, and as far as the part that had come least far', async () => {
      const { projected, parts } = await builtTo(14, 13, 12);
      expect(await store.views.promote(parts[1].lease)).toBe(true);
      const { number } = parts[0].lease;
      const live = { number, state: 'live', position: at(12), partition: undefined, stopped: undefined };
      expect(await projected.checkpoints(store.beside)).toMatchObject([live]);
      for (const views of [store.views, store.beside]) {
        const bodies = ['of 0', 'of 1', 'of 2', 'only old'].map((id) => projected.body(id, views));
        expect(await Promise.all(bodies)).toEqual(['"built of 0"', '"built of 1"', '"built of 2"', undefined]);
      }
    });

    it('needs no event where the one that serves has folded none', async () => {
      const { projected, parts } = await inParts(2, null);
      expect(await store.views.promote((parts[0] as Projected).lease)).toBe(true);
      expect(await projected.checkpoints()).toMatchObject([{ state: 'live', position: undefined }]);
    });

    it('is done once where all ask at once', async () => {
      const { projected, parts } = await builtTo(10, 10, 10, 10);
      const asked = parts.map(({ lease }, n) => (n % 2 ? store.views : store.beside).promote(lease));
      expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1);
      expect(await projected.checkpoints()).toHaveLength(1);
    });

    it('ends the leases of all parts, also that of the caller', async () => {
      const { projected, parts } = await builtTo(10, 10);
      await store.views.promote(parts[0].lease);
      for (const part of parts) {
        expect(await part.commit(99)).toBe(false);
        expect(await store.views.renew(part.lease, HOUR_MS)).toBe(false);
        expect(await store.views.promote(part.lease)).toBe(false);
        await store.views.setStopped(part.lease, { position: at(11), reason: 'too late' });
        expect(await store.beside.acquire(part.lease, worker, HOUR_MS, () => false)).toBeUndefined();
      }
      expect(await projected.checkpoints()).toMatchObject([{ position: at(10), stopped: undefined }]);
    });

    it('leaves the new generation to whoever takes it, against whom the former parts do nothing', async () => {
      const { projected, parts } = await builtTo(10, 10);
      await store.views.promote(parts[0].lease);
      const { projection, number } = parts[0].lease;
      const lease = await leased(store.beside, { projection, number }, other);
      for (const part of parts) {
        await store.views.release(part.lease);
        expect(await part.commit(99)).toBe(false);
      }
      const writes = [projected.thing('one', 11, { body: '"next"' })];
      expect(await store.beside.commit({ lease, writes, position: at(11) })).toBe(true);
      expect(await projected.body('one')).toBe('"next"');
      expect(await projected.checkpoints()).toMatchObject([{ number, position: at(11) }]);
      const third = await projected.rebuilding();
      await third.commit(11, third.thing('one', 1, { body: '"third"' }));
      expect(await store.views.promote(third.lease)).toBe(true);
    });
  });
};

/** The parts of a new generation, each leased by the first worker. */
const partsOf = async (projected: Projected, count: number): Promise<Projected[]> => {
  const { projection, number } = await projected.views.startGeneration(projected.shape, count);
  const partitions: (Partition | undefined)[] =
    count === 1 ? [undefined] : numbers(0, count - 1).map((index) => ({ index, of: count }));
  return Promise.all(
    partitions.map(async (partition) => {
      const lease = await leased(projected.views, { projection, number, partition });
      return new Projected(projected.views, projected.shape, lease);
    }),
  );
};
