// What every engine of the views promises of the roll of workers, and of what it tells of who holds which generation.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { everyoneLives, HOUR_MS, leased, numbers, type Store, worker } from './views-harness.js';

/** Declares the part of the contract that is about workers. */
export const rollSuite = (store: Store): void => {
  describe('the roll of workers', () => {
    /** A kind of work that no other test does. */
    const crew = () => {
      const work = randomUUID();
      const nameOf = (n: number) => `host/${n}/${work}`;
      const attend = (n: number, ttlMs = HOUR_MS) =>
        (n % 2 ? store.views : store.beside).attend({ owner: nameOf(n), work }, ttlMs);
      return { work, nameOf, attend };
    };

    it('has whoever attends, sorted by name', async () => {
      const { nameOf, attend } = crew();
      expect(await attend(3)).toEqual([nameOf(3)]);
      expect(await attend(1)).toEqual([nameOf(1), nameOf(3)]);
      expect(await attend(2)).toEqual([nameOf(1), nameOf(2), nameOf(3)]);
    });

    it('has each once, however often it attends', async () => {
      const { nameOf, attend } = crew();
      for (const n of [1, 2, 1, 1, 2]) await attend(n);
      expect(await attend(2)).toEqual([nameOf(1), nameOf(2)]);
    });

    it('has all of 20 who come at once', async () => {
      const { nameOf, attend } = crew();
      await Promise.all(numbers(1, 20).map((n) => attend(n)));
      expect(await attend(1)).toEqual(numbers(1, 20).map(nameOf).toSorted());
    });

    it('lacks whoever gave no sign of life in time, until it comes back', async () => {
      const { nameOf, attend } = crew();
      await attend(1, 1);
      await attend(3);
      await eventually(async () => expect(await attend(2)).toEqual([nameOf(2), nameOf(3)]));
      await attend(1);
      expect(await attend(2)).toEqual([nameOf(1), nameOf(2), nameOf(3)]);
    });

    it('goes by the last sign of life, be it for longer or for shorter', async () => {
      const { nameOf, attend } = crew();
      await attend(1, 1);
      await attend(1);
      await attend(3);
      await attend(3, 1);
      await eventually(async () => expect(await attend(2)).toEqual([nameOf(1), nameOf(2)]));
    });

    it('lacks whoever has left', async () => {
      const { nameOf, attend } = crew();
      for (const n of [1, 2, 3]) await attend(n);
      await store.views.leave(nameOf(2));
      await store.beside.leave(nameOf(2));
      expect(await attend(1)).toEqual([nameOf(1), nameOf(3)]);
    });

    it('is one for each kind of work', async () => {
      const [ours, theirs] = [crew(), crew()];
      await ours.attend(1);
      await theirs.attend(1);
      expect(await ours.attend(2)).toEqual([ours.nameOf(1), ours.nameOf(2)]);
    });

    it('has a worker once, with the work that it said last', async () => {
      const [before, after] = [crew(), crew()];
      const owner = before.nameOf(1);
      await before.attend(1);
      expect(await store.beside.attend({ owner, work: after.work }, HOUR_MS)).toEqual([owner]);
      expect(await before.attend(2)).toEqual([before.nameOf(2)]);
    });
  });

  describe('a checkpoint says who holds its generation', () => {
    it('while the lease is in force, and nobody once it was given back', async () => {
      const projected = await store.projection();
      expect(await projected.checkpoints(store.beside)).toMatchObject([{ heldBy: worker }]);
      await store.views.release(projected.lease);
      expect(await projected.checkpoints(store.beside)).toMatchObject([{ heldBy: undefined }]);
    });

    it('and nobody once the lease has expired', async () => {
      const projected = await store.projection();
      await store.views.renew(projected.lease, 1);
      await eventually(async () => expect(await projected.checkpoints()).toMatchObject([{ heldBy: undefined }]));
    });

    it('each generation of its own', async () => {
      const projected = await store.projection();
      const generation = await store.views.startGeneration(projected.shape);
      expect(await projected.checkpoints()).toMatchObject([{ heldBy: worker }, { heldBy: undefined }]);
      await leased(store.beside, generation, 'host/2/other');
      expect(await projected.checkpoints()).toMatchObject([{ heldBy: worker }, { heldBy: 'host/2/other' }]);
    });

    it('also after it went to another', async () => {
      const projected = await store.projection();
      await store.beside.acquire(projected.lease, 'host/2/other', HOUR_MS, (name) => name !== worker);
      expect(await projected.checkpoints()).toMatchObject([{ heldBy: 'host/2/other' }]);
      expect(await store.views.acquire(projected.lease, worker, HOUR_MS, everyoneLives)).toBeUndefined();
    });
  });
};
