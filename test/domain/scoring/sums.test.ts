// Sets, compared with the members as a plain list.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_STEP, type Steps, Sums } from '../../../src/domain/scoring/sums.js';
import { finished, many } from '../support/scoring.js';

/** Returns a set, made with one union for each further member. */
const setOf = ([first = 0n, ...others]: readonly bigint[]): Sums =>
  others.reduce((set, member) => finished(set.union(Sums.of(member))), Sums.of(first));

/** Returns the last of the members that follow a member without a gap. */
const endOf = (members: readonly bigint[], member: bigint): bigint =>
  members.includes(member + 1n) ? endOf(members, member + 1n) : member;

const expectMembers = (set: Sums, given: readonly bigint[]) => {
  const members = sorted(given);
  expect([set.min, set.max, finished(set.count())]).toEqual([members[0], members.at(-1), members.length]);
  const around = sorted(members.flatMap((member) => many(5, (n) => member - 2n + BigInt(n))));
  expect(around.map((from) => set.next(from))).toEqual(around.map((from) => members.find((member) => member >= from)));
  expect(around.map((to) => set.previous(to))).toEqual(around.map((to) => members.findLast((member) => member <= to)));
  expect(members.map((member) => set.runEnd(member))).toEqual(members.map((member) => endOf(members, member)));
};

const sorted = (members: readonly bigint[]) => [...new Set(members)].toSorted((a, b) => Number(a - b));

/** Some members in a unit, beside others in another unit. */
const members = fc
  .record({
    unit: fc.constantFrom(1n, 2n, 3n, 10n, 2n ** 52n, 2n ** 62n, 10n ** 30n),
    from: fc.bigInt(-12n, 12n),
    steps: fc.array(fc.bigInt(-9n, 9n), { minLength: 1, maxLength: 12 }),
  })
  .map(({ unit, from, steps }) => steps.map((step) => from + unit * step));

const heldBy = (steps: Steps<unknown>): number => [...steps].reduce((sum, { held }) => sum + held, 0);

/** Returns the set of some doubled numbers from 0. Each union doubles their number. */
const evens = (doublings: number): Sums =>
  many(doublings, (n) => 2n ** BigInt(n + 1)).reduce((set, by) => finished(set.union(set.shifted(by))), Sums.of(0n));

describe('a set of sums', () => {
  it('has its members, in any unit', () =>
    fc.assert(
      fc.property(members, fc.bigInt(), (given, by) => {
        expectMembers(setOf(given), given);
        const moved = given.map((member) => member + by);
        expectMembers(setOf(given).shifted(by), moved);
      }),
    ));

  it('has the members of both sets in their union, whatever their units, and leaves both as they were', () =>
    fc.assert(
      fc.property(members, members, (one, other) => {
        const [left, right] = [setOf(one), setOf(other)];
        expectMembers(finished(left.union(right)), [...one, ...other]);
        expectMembers(finished(right.union(left)), [...one, ...other]);
        expectMembers(left, one);
        expectMembers(finished(left.shifted(5n).union(right.shifted(0n))), [...one.map((each) => each + 5n), ...other]);
      }),
    ));

  it('costs nothing if it shares the memory of another set, and a union releases both', () =>
    fc.assert(
      fc.property(members, members, (one, other) => {
        const [left, right] = [setOf(one), setOf(other)];
        expect([Sums.of(3n).cost, left.shifted(5n).cost]).toEqual([0, 0]);
        expect(heldBy(left.union(right))).toBe(finished(left.union(right)).cost - left.cost - right.cost);
      }),
    ));

  it('costs more for each run of large numbers', () => {
    const costOf = (...given: readonly bigint[]) => setOf([0n, ...given]).cost;
    expect([costOf(1n, 2n), costOf(2n, 3n), costOf(3n, 6n, 9n)]).toEqual([1, 2, 1]);
    expect([costOf(1n, 2n ** 53n - 1n), costOf(1n, 2n ** 53n), costOf(1n, 2n ** 63n - 1n)]).toEqual([2, 2, 2]);
    expect([costOf(1n, 2n ** 63n), costOf(1n, 2n ** 64n)]).toEqual([10, 12]);
  });

  it('is one run again as soon as no number of its unit is between two members', () => {
    const set = evens(13);
    expect(set.cost).toBe(1);
    expect(finished(set.union(set.shifted(1n))).cost).toBe(1);
  });

  it('is united in steps with at most as many additions as a step may have', () => {
    const set = evens(13);
    const steps = [...set.union(Sums.of(1n - 2n ** 64n))];
    expect(Math.max(...steps.map(({ added }) => added))).toBeLessThanOrEqual(LONGEST_STEP);
    expect(finished(set.union(Sums.of(-3n))).cost).toBe(8_193);
  });

  it('takes the memory of its members into account before it splits a run', () => {
    const steps = evens(40).union(Sums.of(-1n));
    expect(steps.next().value).toEqual({ added: 0, held: 2 ** 40 - 1 });
  });
});
