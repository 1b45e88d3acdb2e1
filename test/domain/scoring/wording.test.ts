import { describe, expect, it } from 'vitest';
import { decimalOf, sumOf } from '../../../src/domain/scoring/decimal.js';
import { exactTextOf } from '../../../src/domain/scoring/wording.js';

const textOfSum = (...numbers: readonly number[]) => exactTextOf(sumOf(numbers.map(decimalOf)));

describe('the text of a decimal', () => {
  it.each([0, -0.25, 18.5, 1e21, -1.5e290, 5e-324, Number.MAX_VALUE])('is that of a number: %d', (number) =>
    expect(textOfSum(number)).toBe(`${number}`),
  );

  it.each([
    [[2 ** 53, 1], '9007199254740993'],
    [[-(2 ** 53), -1], '-9007199254740993'],
    [[2 ** 53, 0.5, 0.25], '9007199254740992.75'],
    [[1e20, 0.1], '100000000000000000000.1'],
    [[1e-20, 3], '3.00000000000000000001'],
    [[-1e-30, 1e-10], '0.000000000099999999999999999999'],
  ])('is exact if no double is: %j', (numbers, text) => expect(textOfSum(...numbers)).toBe(text));

  it('is rounded if it would be long', () => {
    expect(textOfSum(1e79, 1)).toBe(`1${'0'.repeat(78)}1`);
    expect(textOfSum(1e80, 1)).toBe('about 1e+80');
    expect(textOfSum(2, 1e-80)).toBe(`2.${'0'.repeat(79)}1`);
    expect(textOfSum(2, 1e-81)).toBe('about 2');
  });
});
