import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shareOf } from '../../src/projections/shares.js';

const sharesOf = (workers: readonly string[], holders: readonly (string | undefined)[]) =>
  Object.fromEntries(workers.map((worker) => [worker, shareOf(worker, workers, holders)]));

describe('the shares of the workers', () => {
  it.each([
    { what: 'all to the only one', workers: ['a'], holders: [undefined, undefined, 'a'], shares: { a: 3 } },
    {
      what: 'the larger ones to the first where nobody holds anything',
      workers: ['a', 'b'],
      holders: [undefined, undefined, undefined],
      shares: { a: 2, b: 1 },
    },
    {
      what: 'the larger ones to those who hold more already',
      workers: ['a', 'b'],
      holders: ['b', 'a', 'b'],
      shares: { a: 1, b: 2 },
    },
    {
      what: 'half of what another has to one that joins',
      workers: ['a', 'b'],
      holders: ['b', 'b', 'b', 'b'],
      shares: { a: 2, b: 2 },
    },
    {
      what: 'nothing to some where there are more workers than generations',
      workers: ['a', 'b', 'c'],
      holders: ['c', undefined],
      shares: { a: 1, b: 0, c: 1 },
    },
    { what: 'nothing where there is nothing', workers: ['a', 'b'], holders: [], shares: { a: 0, b: 0 } },
  ])('give $what', ({ workers, holders, shares }) => {
    expect(sharesOf(workers, holders)).toEqual(shares);
  });
});

describe('workers that keep to their shares', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const situation = fc.integer({ min: 1, max: names.length }).chain((count) => {
    const workers = names.slice(0, count);
    const holder = fc.option(fc.constantFrom(...workers), { nil: undefined });
    return fc.record({ workers: fc.constant(workers), holders: fc.array(holder, { maxLength: 25 }) });
  });

  /** What a worker does that looks now: it takes what is free up to its share, or gives back what is beyond it. */
  const act = (worker: string, workers: readonly string[], holders: (string | undefined)[]) => {
    const share = shareOf(worker, workers, holders);
    let held = holders.filter((holder) => holder === worker).length;
    holders.forEach((holder, index) => {
      if (holder === undefined && held < share) {
        holders[index] = worker;
        held += 1;
      } else if (holder === worker && held > share) {
        holders[index] = undefined;
        held -= 1;
      }
    });
  };

  it('have shares that add up to all generations and differ by one at most', () =>
    fc.assert(
      fc.property(situation, ({ workers, holders }) => {
        const shares = Object.values(sharesOf(workers, holders));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(holders.length);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    ));

  const isEven = (workers: readonly string[], holders: readonly (string | undefined)[]) => {
    const counts = workers.map((worker) => holders.filter((holder) => holder === worker).length);
    return Math.max(...counts) - Math.min(...counts) <= 1;
  };

  it('hold all of it evenly after each has looked a few times, in any order, and then nothing moves', () =>
    fc.assert(
      fc.property(situation, fc.array(fc.array(fc.nat()), { minLength: 6, maxLength: 6 }), (given, orders) => {
        const { workers, holders } = given;
        const now = [...holders];
        const look = (order: readonly number[]) => {
          const inTurn = workers.map((worker, index) => ({ worker, at: order[index] ?? 0 }));
          for (const { worker } of inTurn.toSorted((a, b) => a.at - b.at)) act(worker, workers, now);
        };
        orders.slice(1).forEach(look);
        expect(now).not.toContain(undefined);
        expect(isEven(workers, now)).toBe(true);
        const settled = [...now];
        look(orders[0] ?? []);
        expect(now).toEqual(settled);
      }),
    ));
});
