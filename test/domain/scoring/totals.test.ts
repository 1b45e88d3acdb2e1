import { describe, expect, it } from 'vitest';
import { modelOf } from '../../../src/domain/scoring/model.js';
import { zeroOf } from '../../../src/domain/scoring/totals.js';
import { analysed, finished, formOf } from '../support/scoring.js';

const stepsFor = (...questions: Parameters<typeof formOf>[0]) => zeroOf(finished(modelOf(formOf(questions))).parts);
const some = (...options: readonly number[]) => ({ responseType: 'MULTIPLE_SELECT' as const, options });

describe('the totals of a form', () => {
  it.each([
    ['below 2 ** 31', 1, 2 ** 31 - 1, 0.5],
    ['below 2 ** 31 times their common divisor', 3, 3 * (2 ** 31 - 1), 0.5],
    ['of 2 ** 31', 1, 2 ** 31, 1],
  ])('cost as much as their span %s needs', (_, divisor, span, cost) => {
    const zero = finished(stepsFor({ options: [0, divisor, span] }));
    expect(finished(zero.union(zero.shifted(BigInt(span)))).cost).toBe(cost);
  });

  it('are the same for options in steps as for others', () => {
    const valuesOf = (...options: number[]) => analysed(formOf([{ options }, { options: [0, 100] }])).totals.values;
    expect(valuesOf(6, 0, 3)).toEqual([0, 3, 6, 100, 103, 106]);
    expect(valuesOf(0, 2, 3, 6)).toEqual([0, 2, 3, 6, 100, 102, 103, 106]);
  });

  it('may be below all numbers of 64 bits', () =>
    expect(analysed(formOf([{ options: [-1e19, 0, 1] }])).totals.values).toEqual([-1e19, 0, 1]));

  it('take an addition for each number of the form', () =>
    expect([...stepsFor({ options: [1, 2, 3] }, some(4, 5))].map(({ added }) => added)).toEqual([4, 3]));
});
