// The guarantees that every engine of the views gives for leases, which keep a generation to one writer. The rules
// themselves are tested without an engine (control.test.ts).
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/infrastructure/views/views.js';
import { eventually } from '../../support/eventually.js';
import { numbers } from '../../support/items.js';
import { at, HOUR_MS, Projected, type Store, takenOver, worker } from './support/harness.js';

/** Declares the tests of leases. */
export const leasesSuite = (store: Store): void => {
  describe('a lease', () => {
    const acquire = ({ lease }: Projected, owner = 'host/2/other') => store.beside.acquire(lease, owner, HOUR_MS);
    const released = async () => {
      const projected = await store.projection();
      await store.views.release(projected.lease);
      return projected;
    };
    /** Returns what 50 concurrent candidates of two processes get. */
    const acquiredBy50 = async ({ lease }: Projected) => {
      const candidates = numbers(1, 50).map((n) =>
        (n % 2 ? store.views : store.beside).acquire(lease, `host/${n}/candidate`, HOUR_MS),
      );
      return (await Promise.all(candidates)).filter((acquired) => acquired !== undefined);
    };
    /** Returns a projection whose lease another owner has taken over. */
    const lost = async () => {
      const projected = await (await store.projection()).withThings({}, {}, {});
      return { projected, successor: await takenOver(store.beside, projected.lease) };
    };

    it('names its generation and its owner, who is the only one', async () => {
      const projected = await store.projection();
      expect(projected.lease).toEqual({ projection: projected.shape.name, number: 1, owner: worker });
      expect(await projected.checkpoints(store.beside)).toMatchObject([{ heldBy: worker }]);
      expect(await acquire(projected)).toBeUndefined();
    });

    it('goes to one of 50 concurrent candidates once it has expired', async () => {
      const projected = await released();
      await store.views.acquire(projected.lease, worker, 1);
      const held = await eventually(async () => {
        const leases = await acquiredBy50(projected);
        expect(leases.length).toBeGreaterThan(0);
        return leases;
      });
      expect(held).toHaveLength(1);
      expect(await acquire(projected, 'host/99/late')).toBeUndefined();
      expect(await store.views.commit({ lease: granted(held[0]), writes: [], position: at(1) })).toBe(true);
    });

    it('lasts longer after a renewal', async () => {
      const projected = await released();
      const shortly = 200;
      const lease = granted(await store.views.acquire(projected.lease, worker, shortly));
      const until = Date.now() + shortly;
      expect(await store.views.renew(lease, HOUR_MS)).toBe(true);
      await eventually(() => expect(Date.now()).toBeGreaterThan(until));
      expect(await acquire(projected)).toBeUndefined();
      expect(await store.views.commit({ lease, writes: [], position: at(1) })).toBe(true);
    });

    it('is not lost when it is renewed and the other generation commits at the same time', async () => {
      const live = await store.projection();
      const building = await live.startRebuild();
      const besideBuilding = new Projected(store.beside, live.shape, building.lease);
      const done = await Promise.all(
        numbers(1, 20).flatMap((n) => [
          live.commit(n, live.thing(`thing ${n}`, n)),
          besideBuilding.commit(n, besideBuilding.thing(`thing ${n}`, n)),
          store.beside.renew(live.lease, HOUR_MS),
          store.views.renew(building.lease, HOUR_MS),
        ]),
      );
      expect(new Set(done)).toEqual(new Set([true]));
      expect((await live.checkpoints()).map(({ position }) => position)).toEqual([at(20), at(20)]);
      expect(
        await store.views.load(
          building.lease,
          live.things,
          numbers(1, 20).map((n) => `thing ${n}`),
        ),
      ).toHaveLength(20);
    });

    it('of a rebuild reaches the promotion while the live generation commits without a pause', async () => {
      const live = await store.projection();
      const building = new Projected(store.beside, live.shape, (await live.startRebuild()).lease);
      let isLive = false;
      const writing = (async () => {
        for (let n = 1; !isLive; n += 1) {
          // The commit of a generation that was dropped is refused.
          isLive = !(await live.commit(n, live.thing('one', n)));
          await nextTurn();
        }
      })();
      for (const n of numbers(1, 50)) expect(await building.commit(n, building.thing('one', n))).toBe(true);
      await eventually(async () => {
        const [head] = await live.checkpoints();
        const position = head?.position ?? '';
        expect(await store.beside.commit({ lease: building.lease, writes: [], position })).toBe(true);
        expect(await store.beside.promote(building.lease)).toBe(true);
      });
      await writing;
    });

    describe('that was lost', () => {
      it('commits no document and no checkpoint, neither before nor after its successor', async () => {
        const { projected, successor } = await lost();
        expect(await projected.commit(4, projected.thing('thing 4', 4))).toBe(false);
        expect(await projected.position()).toBe(at(3));
        const writes = [projected.thing('thing 1', 4), projected.thing('thing 4', 4)];
        expect(await store.beside.commit({ lease: successor, writes, position: at(4) })).toBe(true);
        expect(await projected.commit(3, projected.thing('thing 1', 3))).toBe(false);
        expect(await projected.commit(9)).toBe(false);
        expect(await projected.position()).toBe(at(4));
        expect(await projected.body('thing 1')).toBe('"thing 1 4"');
        expect(await projected.listed()).toHaveLength(4);
      });

      it('is neither renewed nor released, stops nothing and promotes nothing', async () => {
        const { projected, successor } = await lost();
        expect(await store.views.renew(projected.lease, HOUR_MS)).toBe(false);
        await store.views.release(projected.lease);
        await store.views.setStopped(projected.lease, { position: at(4), reason: 'it was late' });
        expect(await store.views.promote(projected.lease)).toBe(false);
        expect(await projected.checkpoints()).toMatchObject([{ heldBy: successor.owner, stopped: undefined }]);
        expect(await store.beside.renew(successor, HOUR_MS)).toBe(true);
      });
    });
  });
};

const granted = (lease: Lease | undefined): Lease => {
  if (lease === undefined) throw new Error('another owner holds the lease');
  return lease;
};
