import { describe, expect, it } from 'vitest';
import {
  compare,
  decimalOf,
  digitsAt,
  numberOf,
  numberOrNull,
  sumOf,
  times,
} from '../../../src/domain/scoring/decimal.js';

describe('a decimal', () => {
  it.each([
    [0, { digits: 0n, scale: 0 }],
    [-0, { digits: 0n, scale: 0 }],
    [12, { digits: 12n, scale: 0 }],
    [-0.25, { digits: -25n, scale: 2 }],
    [1.5e21, { digits: 15n, scale: -20 }],
    [1.5e-7, { digits: 15n, scale: 8 }],
    [5e-324, { digits: 5n, scale: 324 }],
    [Number.MAX_VALUE, { digits: 17_976_931_348_623_157n, scale: -292 }],
  ])('is read from the shortest text of %d', (number, decimal) => {
    expect(decimalOf(number)).toEqual(decimal);
    expect(numberOf(decimal)).toBe(number + 0);
  });

  it('adds 0.1 ten times to 1', () => {
    const sum = sumOf(Array.from({ length: 10 }, () => decimalOf(0.1)));
    expect(compare(sum, decimalOf(1))).toBe(0);
  });

  it('keeps 1 beside 1e16', () => {
    expect(numberOf(sumOf([1e16, 1, -1e16].map(decimalOf)))).toBe(1);
  });

  it('multiplies exactly', () => expect(numberOf(times(decimalOf(0.1), decimalOf(-3)))).toBe(-0.3));

  it.each([
    [1, 1.0000000000000002, -1],
    [2, 1.5, 1],
    [-0.5, 0.25, -1],
    [0.5, 0.5, 0],
  ])('compares %d with %d', (a, b, order) => expect(compare(decimalOf(a), decimalOf(b))).toBe(order));

  it('compares sums that no double holds', () => {
    const sum = sumOf([decimalOf(2 ** 53), decimalOf(1)]);
    expect(compare(sum, decimalOf(2 ** 53))).toBe(1);
    expect(compare(sum, decimalOf(2 ** 53 + 2))).toBe(-1);
  });

  it('has its digits at a larger scale', () => {
    expect(digitsAt(decimalOf(1.5), 3)).toBe(1_500n);
    expect(digitsAt(decimalOf(-3e22), 1)).toBe(-3n * 10n ** 23n);
  });

  it('is shown as a number, or as null if there is none', () =>
    expect([decimalOf(1.5), undefined].map(numberOrNull)).toEqual([1.5, null]));

  it('is rounded once, whatever its number of digits', () => {
    const beside = (number: number) => numberOf(sumOf([decimalOf(2 ** 53), decimalOf(1), decimalOf(number)]));
    expect([beside(0), beside(1e-200), beside(-1e-200)]).toEqual([2 ** 53, 2 ** 53 + 2, 2 ** 53]);
    const third = { digits: 10n ** 500n / 3n, scale: 500 };
    expect([numberOf(third), numberOf(times(third, decimalOf(-1)))]).toEqual([1 / 3, -1 / 3]);
  });

  it('becomes the outermost double if it is beyond all doubles', () => {
    const product = times(decimalOf(1e300), decimalOf(1e300));
    expect(numberOf(product)).toBe(Number.MAX_VALUE);
    expect(numberOf(times(product, decimalOf(-1)))).toBe(-Number.MAX_VALUE);
  });
});
