import { describe, expect, it } from 'vitest';
import { Classes, gapsByPlace, gapsIn } from '../../../src/domain/scoring/classes.js';
import { Sums } from '../../../src/domain/scoring/sums.js';
import { finished, many } from '../support/scoring.js';

const rangesOf = (...ranges: readonly (readonly [min: bigint, max: bigint])[]) =>
  ranges.map(([min, max], index) => ({ min, max, classification: `${index}` }));
const sumsOf = (...numbers: readonly bigint[]) =>
  numbers.map((number) => Sums.of(number)).reduce((sums, other) => finished(sums.union(other)));

describe('a total', () => {
  it('is in the first range that contains it, also if those of older events overlap or are inverted', () => {
    const ranges = rangesOf([0n, 20n], [1n, 2n], [3n, 4n], [5n, 3n], [15n, 25n], [30n, 28n], [30n, 40n]);
    const classes = new Classes(ranges, 50n);
    for (const total of many(50, BigInt)) {
      const range = ranges.find(({ min, max }) => min <= total && total <= max);
      expect([total, classes.at(total).classification]).toEqual([total, range?.classification ?? null]);
    }
  });

  it('is in a part of the line that ends with its range, before the next range or at the largest total', () => {
    const classes = new Classes(rangesOf([0n, 2n], [7n, 9n]), 50n);
    expect([1n, 3n, 7n, 10n].map((total) => classes.at(total).end)).toEqual([2n, 6n, 9n, 50n]);
  });
});

describe('a gap', () => {
  it('reaches across a range without a total, and names the end of its first consecutive totals', () => {
    const gaps = gapsIn(sumsOf(0n, 1n, 3n, 7n, 8n, 10n), new Classes(rangesOf([4n, 5n], [10n, 10n]), 10n));
    expect(finished(gaps)).toEqual([{ min: 0n, max: 8n, firstEnd: 1n }]);
  });

  it('names the end of its totals if consecutive ones follow in a range', () =>
    expect(finished(gapsIn(sumsOf(0n, 1n, 2n), new Classes(rangesOf([2n, 2n]), 2n)))).toEqual([
      { min: 0n, max: 1n, firstEnd: 1n },
    ]));

  it('takes three searches for each part of the line that has a total, and one for itself', () => {
    const steps = [...gapsIn(sumsOf(0n, 9n), new Classes(rangesOf([0n, 0n]), 9n))];
    expect(steps.map(({ added }) => added)).toEqual([3, 3, 1]);
  });

  it('is one for each part of the line if there may be more totals', () => {
    const gaps = gapsByPlace(sumsOf(0n, 1n, 3n, 7n), new Classes(rangesOf([4n, 5n]), 10n));
    expect(finished(gaps)).toEqual([
      { min: 0n, max: 3n, firstEnd: 1n },
      { min: 7n, max: 7n, firstEnd: 7n },
    ]);
  });
});
