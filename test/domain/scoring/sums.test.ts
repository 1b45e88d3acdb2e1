// Sets, compared with the members as a plain list.
import { describe, expect, it } from 'vitest';
import { LONGEST_STEP, type Steps, Sums } from '../../../src/domain/scoring/sums.js';
import { finished, many } from '../support/scoring.js';

/** Returns a set, made from the set of 0 with one union for each further member. */
const setOf = (zero: Sums, [first = 0, ...others]: readonly number[]): Sums =>
  others.reduce((set, member) => finished(set.union(zero.shifted(BigInt(member)))), zero.shifted(BigInt(first)));

/** Returns the last of the members that follow a member without a gap. */
const endOf = (members: readonly number[], member: number): number =>
  members.includes(member + 1) ? endOf(members, member + 1) : member;

const expectMembers = (set: Sums, members: readonly number[]) => {
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
    members.map((member) => BigInt(endOf(members, member))),
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

const testSets = (zero: Sums, unit: number) => {
  const inUnits = (members: readonly number[]) => members.map((member) => member * unit);

  it.each(SETS.map((members) => [members]))('has the members %j', (given) => {
    const members = inUnits(given);
    const set = setOf(zero, members);
    expectMembers(set, members);
    expectMembers(
      set.shifted(7n),
      members.map((member) => member + 7),
    );
    expectMembers(setOf(zero, members.toReversed()), members);
  });

  it.each(UNIONS)('has the members of both $one and $other in their union', (given) => {
    const [one, other] = [inUnits(given.one), inUnits(given.other)];
    const members = union(one, other);
    const [left, right] = [setOf(zero, one), setOf(zero, other)];
    expectMembers(finished(left.union(right)), members);
    expectMembers(finished(right.union(left)), members);
    // The moved set shares the memory of `left`, and neither set begins at 0.
    const moved = union(inUnits(given.one.map((member) => member + 20)), other);
    expectMembers(finished(left.shifted(BigInt(20 * unit)).union(right.shifted(0n))), moved);
    expectMembers(left, one);
  });

  it('costs nothing if it shares the memory of another set, and a union releases both', () => {
    const [left, right] = [setOf(zero, inUnits([0, 2])), setOf(zero, inUnits([1, 9]))];
    expect([zero.cost, left.shifted(5n).cost]).toEqual([0, 0]);
    const steps = left.union(right);
    expect(heldBy(steps)).toBe(finished(left.union(right)).cost - left.cost - right.cost);
  });
};

const heldBy = (steps: Steps<unknown>): number => [...steps].reduce((sum, { held }) => sum + held, 0);

/** Returns the set of the even numbers from 0 to 16,382. */
const evens = (zero: Sums): Sums =>
  many(13, (n) => 2n ** BigInt(n + 1)).reduce((set, by) => finished(set.union(set.shifted(by))), zero);

describe('a set of sums', () => {
  for (const bits of [32, 54, 64, 65]) describe(`of ${bits} bits`, () => testSets(Sums.zero(1n, bits), 1));
  describe('of threes', () => testSets(Sums.zero(3n), 3));

  it('costs more for each run of larger numbers', () => {
    const costsOf = (bits: number) =>
      [
        [0, 1, 2],
        [0, 2],
        [0, 1, 5, 9],
      ].map((members) => setOf(Sums.zero(1n, bits), members).cost);
    expect([32, 33, 54, 55, 64, 65, 129].map(costsOf)).toEqual([
      [0.25, 0.5, 0.75],
      ...many(2, () => [0.5, 1, 1.5]),
      ...many(2, () => [1, 2, 3]),
      [6, 12, 18],
      [7, 14, 21],
    ]);
  });

  it.each([32, 54, 64, 65])('may have all numbers of %d bits', (bits) => {
    const [zero, most] = [Sums.zero(1n, bits), 2n ** BigInt(bits - 1) - 1n];
    const set = finished(zero.union(zero.shifted(most)));
    expect([set.min, set.max, set.next(1n), set.previous(most - 1n)]).toEqual([0n, most, most, 0n]);
    expect(finished(zero.shifted(most).union(zero)).min).toBe(0n);
  });

  it('is united in steps with at most as many additions as a step may have', () => {
    for (const bits of [32, 65]) {
      const set = evens(Sums.zero(1n, bits));
      const steps = [...set.union(set.shifted(1n))].map(({ added }) => added);
      expect(Math.max(...steps)).toBeLessThanOrEqual(LONGEST_STEP);
      expect(steps.reduce((sum, each) => sum + each)).toBe((bits === 32 ? 0.25 : 6) * 2 * 8_192);
      // The union is one run.
      expect(finished(finished(set.union(set.shifted(1n))).count())).toBe(16_384);
      expect(finished(set.union(set.shifted(1n))).cost).toBe(bits === 32 ? 0.25 : 6);
    }
  });

  it('is counted in steps of 4,096 runs', () => {
    const set = evens(Sums.zero());
    expect(finished(set.count())).toBe(8_192);
    expect([...set.count()]).toEqual(many(2, () => ({ added: LONGEST_STEP, held: 0 })));
  });
});
