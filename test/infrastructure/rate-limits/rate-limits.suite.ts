// The guarantees that every engine of the rate limits gives.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Quota, RateLimits } from '../../../src/infrastructure/rate-limits/rate-limits.js';
import { eventually } from '../../support/eventually.js';

/** Returns a quota that no other test uses. */
export const newQuota = (requests: number, windowS = 600): Quota => ({ name: `q-${randomUUID()}`, requests, windowS });

const times = (count: number) => Array.from({ length: count });

/** Declares the contract of the rate limits for the engine that `open` opens. */
export const limitsSuite = (name: string, open: () => RateLimits): void => {
  describe(`the rate limits on ${name}`, () => {
    let limits: RateLimits;
    beforeAll(() => {
      limits = open();
    });
    afterAll(() => limits.close());

    it('count down to zero, and say when the window ends', async () => {
      const quota = newQuota(3);
      for (const remaining of [2, 1, 0]) {
        expect(await limits.take(quota, 'a')).toMatchObject({ isOver: false, remaining });
      }
      for (const _ of times(3)) {
        const { resetS, ...standing } = await limits.take(quota, 'a');
        expect(standing).toEqual({ isOver: true, remaining: 0 });
        expect(Number.isInteger(resetS) && resetS >= 1 && resetS <= quota.windowS).toBe(true);
      }
    });

    it('count each caller and each quota separately', async () => {
      const [quota, other] = [newQuota(1), newQuota(1)];
      await limits.take(quota, 'a');
      expect(await limits.take(quota, 'a')).toMatchObject({ isOver: true });
      expect(await limits.take(quota, 'b')).toMatchObject({ isOver: false });
      expect(await limits.take(other, 'a')).toMatchObject({ isOver: false });
    });

    it('start again when the window has ended, even if requests were refused in between', async () => {
      const quota = newQuota(1, 1);
      await limits.take(quota, 'a');
      await eventually(async () => expect(await limits.take(quota, 'a')).toMatchObject({ isOver: false }));
    });

    it('grant concurrent callers no more than the quota', async () => {
      const quota = newQuota(20);
      const standings = await Promise.all(times(50).map(() => limits.take(quota, 'a')));
      expect(standings.filter(({ isOver }) => !isOver)).toHaveLength(20);
    });
  });
};
