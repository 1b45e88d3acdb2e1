// The guarantees that every engine of the views gives for leases, which keep a generation to one writer.
import { describe, expect, it } from 'vitest';
import type { Lease } from '../../src/infrastructure/views/views.js';
import { eventually } from '../support/eventually.js';
import { at, HOUR_MS, leased, numbers, type Projected, type Store, takenOver, worker } from './views-harness.js';

const other = 'host/2/other';

/** Declares the tests of leases. */
export const leasesSuite = (store: Store): void => {
  describe('a lease', () => {
    const acquire = ({ lease }: Projected, owner = other) => store.beside.acquire(lease, owner, HOUR_MS);
    const released = async () => {
      const projected = await store.projection();
      await store.views.release(projected.lease);
      return projected;
    };
    /** Returns a projection whose lease another owner has taken over. */
    const lost = async () => {
      const projected = await (await store.projection()).withThings({}, {}, {});
      return { projected, successor: await takenOver(store.beside, projected.lease) };
    };

    it('names its generation and its owner', async () => {
      const { lease, shape } = await store.projection();
      expect(lease).toEqual({ projection: shape.name, number: 1, owner: worker });
    });

    it('has one owner', async () => {
      expect(await acquire(await store.projection())).toBeUndefined();
    });

    it('goes to one of 50 concurrent candidates', async () => {
      const projected = await released();
      const owners = numbers(1, 50).map((n) => `host/${n}/candidate`);
      const asked = owners.map((owner, n) =>
        (n % 2 ? store.views : store.beside).acquire(projected.lease, owner, HOUR_MS),
      );
      const held = (await Promise.all(asked)).filter((lease) => lease !== undefined);
      expect(held).toHaveLength(1);
      const commit = await store.views.commit({ lease: granted(held[0]), writes: [], position: at(1) });
      expect(commit).toBe(true);
    });

    it('is free once it is released', async () => {
      expect(await acquire(await released())).toMatchObject({ owner: other });
    });

    it('is free once it has expired', async () => {
      const projected = await released();
      await store.views.acquire(projected.lease, worker, 1);
      const successor = await eventually(async () => granted(await acquire(projected)));
      expect(await acquire(projected, 'host/3/third')).toBeUndefined();
      expect(await store.beside.commit({ lease: successor, writes: [], position: at(1) })).toBe(true);
    });

    it('that has expired goes to one of 50 concurrent candidates', async () => {
      const projected = await released();
      await store.views.acquire(projected.lease, worker, 1);
      const held = await eventually(async () => {
        const asked = numbers(1, 50).map((n) => acquire(projected, `host/${n}/candidate`));
        const leases = (await Promise.all(asked)).filter((lease) => lease !== undefined);
        expect(leases.length).toBeGreaterThan(0);
        return leases;
      });
      expect(held).toHaveLength(1);
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

    it('may be acquired again by its owner', async () => {
      const { lease } = await store.projection();
      expect(await leased(store.views, lease)).toEqual(lease);
      expect(await store.views.renew(lease, HOUR_MS)).toBe(true);
    });

    it('that was lost stops no projection', async () => {
      const { projected, successor } = await lost();
      await store.views.setStopped(projected.lease, { position: at(4), reason: 'it was late' });
      expect(await projected.checkpoints()).toMatchObject([{ stopped: undefined }]);
      await store.beside.setStopped(successor, { position: at(4), reason: 'it was not' });
      expect(await projected.checkpoints()).toMatchObject([{ stopped: { reason: 'it was not' } }]);
    });

    it('covers only one generation', async () => {
      const projected = await store.projection();
      const building = await projected.startRebuild();
      await store.views.release(building.lease);
      expect(await acquire(building)).toMatchObject({ number: building.lease.number });
      expect(await acquire(projected)).toBeUndefined();
    });

    it('cannot be acquired on a generation that does not exist', async () => {
      const { lease } = await store.projection();
      expect(await store.views.acquire({ ...lease, number: 9 }, worker, HOUR_MS)).toBeUndefined();
    });

    describe('that was lost', () => {
      it('commits no document and no checkpoint, and its successor continues', async () => {
        const { projected, successor } = await lost();
        expect(await projected.commit(4, projected.thing('thing 4', 4))).toBe(false);
        expect(await projected.position()).toBe(at(3));
        const writes = [projected.thing('thing 4', 4)];
        expect(await store.beside.commit({ lease: successor, writes, position: at(4) })).toBe(true);
        expect(await projected.commit(9)).toBe(false);
        expect(await projected.position()).toBe(at(4));
        expect(await projected.listed()).toHaveLength(4);
      });

      it('overwrites no document of its successor, even if its own batch comes later', async () => {
        const { projected, successor } = await lost();
        const writes = [projected.thing('thing 1', 8)];
        await store.beside.commit({ lease: successor, writes, position: at(8) });
        expect(await projected.commit(5, projected.thing('thing 1', 5))).toBe(false);
        expect(await projected.body('thing 1')).toBe('"thing 1 8"');
        expect(await projected.position()).toBe(at(8));
      });

      it('cannot be renewed', async () => {
        const { projected, successor } = await lost();
        expect(await store.views.renew(projected.lease, HOUR_MS)).toBe(false);
        expect(await store.beside.renew(successor, HOUR_MS)).toBe(true);
      });

      it('cannot release the lease of its successor', async () => {
        const { projected, successor } = await lost();
        await store.views.release(projected.lease);
        expect(await acquire(projected, 'host/3/third')).toBeUndefined();
        expect(await store.beside.renew(successor, HOUR_MS)).toBe(true);
      });

      it('promotes nothing', async () => {
        const building = await (await store.projection()).startRebuild();
        const successor = await takenOver(store.beside, building.lease);
        expect(await store.views.promote(building.lease)).toBe(false);
        expect(await building.checkpoints()).toMatchObject([{ state: 'live' }, { state: 'building' }]);
        expect(await store.beside.promote(successor)).toBe(true);
      });
    });

    it('that was released commits nothing', async () => {
      const projected = await released();
      expect(await projected.commit(1, projected.thing('one', 1))).toBe(false);
      expect(await store.views.renew(projected.lease, HOUR_MS)).toBe(false);
      expect(await projected.position()).toBeUndefined();
    });
  });
};

const granted = (lease: Lease | undefined): Lease => {
  if (lease === undefined) throw new Error('another owner holds the lease');
  return lease;
};
