// Both forms of a set, compared with the members as a plain list.
import { describe, expect, it } from 'vitest';
import { BITS_OF_ADDITION, Bits, LONGEST_STEP, Runs, type Steps, type Sums } from '../../../src/domain/scoring/sums.js';
import { finished, many } from '../support/scoring.js';

/** Returns a set, made from the set of 0 with one union for each further member. */
const setOf = <S extends Sums<S>>(zero: S, [first = 0, ...others]: readonly number[]): S =>
  others.reduce((set, member) => finished(set.union(zero.shifted(BigInt(member)))), zero.shifted(BigInt(first)));

/** Returns the last of the members that follow a member without a gap. */
const endOf = (members: readonly number[], member: number, unit: number): number =>
  members.includes(member + unit) ? endOf(members, member + unit, unit) : member;

const expectMembers = <S extends Sums<S>>(set: S, members: readonly number[], unit: number) => {
  const [min, max] = [Math.min(...members), Math.max(...members)];
  expect([set.min, set.max, finished(set.count())]).toEqual([BigInt(min), BigInt(max), members.length]);
  const around = many(max - min + 5, (index) => min - 2 + index);
  const big = (number: number | undefined) => (number === undefined ? undefined : BigInt(number));
  expect(around.map((from) => set.next(BigInt(from)))).toEqual(
    around.map((from) => big(members.find((member) => member >= from))),
  );
  expect(around.map((to) => set.previous(BigInt(to)))).toEqual(
    around.map((to) => big(members.findLast((member) => member <= to))),
  );
  expect(members.map((member) => set.runEnd(BigInt(member)))).toEqual(
    members.map((member) => BigInt(endOf(members, member, unit))),
  );
};

const SETS = [[0], [-3], [0, 1, 2], [0, 2], [-4, -3, 0, 3, 4, 5, 9], [0, 1, 63, 64, 65, 130]];
const UNIONS = [
  { one: [0, 1], other: [2, 3] },
  { one: [0, 1], other: [3, 4] },
  { one: [0, 1, 2, 3], other: [1, 2] },
  { one: [0, 1, 2], other: [2, 3, 4] },
  { one: [0, 5], other: [0, 5] },
  { one: [0, 9], other: [4, 5] },
  { one: [-8, 1], other: [-9, 0, 2] },
  { one: [7], other: [-7] },
  { one: [0, 1, 5, 6], other: [2, 3, 4] },
  { one: [-1, 4], other: [-70, 70] },
];

const union = (one: readonly number[], other: readonly number[]) =>
  [...new Set([...one, ...other])].toSorted((a, b) => a - b);

const testSets = <S extends Sums<S>>(zero: S, unit: number) => {
  const inUnits = (members: readonly number[]) => members.map((member) => member * unit);

  it.each(SETS.map((members) => [members]))('has the members %j', (given) => {
    const members = inUnits(given);
    const set = setOf(zero, members);
    expectMembers(set, members, unit);
    expectMembers(
      set.shifted(7n),
      members.map((member) => member + 7),
      unit,
    );
    expectMembers(setOf(zero, members.toReversed()), members, unit);
  });

  it.each(UNIONS)('has the members of both $one and $other in their union', (given) => {
    const [one, other] = [inUnits(given.one), inUnits(given.other)];
    const members = union(one, other);
    const [left, right] = [setOf(zero, one), setOf(zero, other)];
    expectMembers(finished(left.union(right)), members, unit);
    expectMembers(finished(right.union(left)), members, unit);
    // The moved set shares the memory of `left`, and neither set begins at 0.
    const moved = union(inUnits(given.one.map((member) => member + 20)), other);
    expectMembers(finished(left.shifted(BigInt(20 * unit)).union(right.shifted(0n))), moved, unit);
    expectMembers(left, one, unit);
  });

  it('costs nothing if it shares the memory of another set, and a union releases both', () => {
    const [left, right] = [setOf(zero, inUnits([0, 2])), setOf(zero, inUnits([1, 9]))];
    expect([zero.cost, left.shifted(5n).cost]).toEqual([0, 0]);
    const steps = left.union(right);
    expect(heldBy(steps)).toBe(finished(left.union(right)).cost - left.cost - right.cost);
  });
};

const heldBy = (steps: Steps<unknown>): number => [...steps].reduce((sum, { held }) => sum + held, 0);

describe('a set of sums as bits', () => {
  describe('of ones', () => testSets(Bits.zero(1n), 1));
  describe('of threes', () => testSets(Bits.zero(3n), 3));

  it('costs one, and one for each 64 bits', () => {
    const costOf = (...members: number[]) => setOf(Bits.zero(1n), members).cost;
    expect([costOf(0, 62), costOf(0, 63), costOf(0, 127)]).toEqual([1, 2, 3]);
  });

  it('is searched in an addition, and one more for each 4,096 bits', () => {
    const searchOf = (max: number) => setOf(Bits.zero(1n), [0, max]).search;
    expect([searchOf(BITS_OF_ADDITION - 2), searchOf(BITS_OF_ADDITION - 1)]).toEqual([1, 2]);
    const union = setOf(Bits.zero(1n), [0, 4 * BITS_OF_ADDITION]);
    expect([...union.union(union)].map(({ added }) => added)).toEqual([union.search]);
  });

  it('is counted in steps of 65,536 bits', () => {
    const set = setOf(Bits.zero(1n), [0, 65_535, 65_536, 200_000]);
    expect(finished(set.count())).toBe(4);
    expect([...set.count()]).toEqual(many(4, () => ({ added: 16, held: 0 })));
  });
});

/** Returns the set of the even numbers from 0 to 16,382. */
const evens = (zero: Runs): Runs =>
  many(13, (n) => 2n ** BigInt(n + 1)).reduce((set, by) => finished(set.union(set.shifted(by))), zero);

describe('a set of sums as runs', () => {
  describe('of 64 bits', () => testSets(Runs.zero(62), 1));
  describe('of any number of bits', () => testSets(Runs.zero(63), 1));

  it('costs one for each run, and more for each run of larger numbers', () => {
    const costsOf = (bits: number) =>
      [
        [0, 1, 2],
        [0, 2],
        [0, 1, 5, 9],
      ].map((members) => setOf(Runs.zero(bits), members).cost);
    expect(costsOf(62)).toEqual([1, 2, 3]);
    expect(costsOf(63)).toEqual([5, 10, 15]);
    expect(costsOf(129)).toEqual([7, 14, 21]);
  });

  it.each([62, 63])('may have all numbers of %d bits', (bits) => {
    const [zero, most] = [Runs.zero(bits), 2n ** BigInt(bits - 1) - 1n];
    const set = finished(zero.shifted(most).union(zero.shifted(-most)));
    expect([set.min, set.max, set.next(-most + 1n), set.previous(most - 1n)]).toEqual([-most, most, most, -most]);
  });

  it('is united in steps with at most as many additions as a step may have', () => {
    const set = evens(Runs.zero(62));
    const added = [...set.union(set.shifted(1n))].map((step) => step.added);
    expect(added).toEqual([...many(4, () => LONGEST_STEP), 0]);
    const large = evens(Runs.zero(63));
    const steps = [...large.union(large.shifted(1n))].map((step) => step.added);
    expect(Math.max(...steps)).toBeLessThanOrEqual(LONGEST_STEP);
    expect(steps.reduce((sum, each) => sum + each)).toBe(5 * 2 * 8_192);
    // The union is one run.
    expect(finished(set.union(set.shifted(1n))).cost).toBe(1);
  });

  it('is counted in steps of 4,096 runs', () => {
    const set = evens(Runs.zero(62));
    expect(finished(set.count())).toBe(8_192);
    expect([...set.count()]).toEqual(many(2, () => ({ added: LONGEST_STEP, held: 0 })));
  });
});
