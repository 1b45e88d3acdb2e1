import { describe, expect, it } from 'vitest';
import { analysed, formOf } from '../support/scoring.js';

const valuesOf = (...questions: readonly (readonly number[])[]) =>
  analysed(formOf(questions.map((options) => ({ options })))).totals.values;

describe('the totals of a form', () => {
  it('are the same for options in steps as for others', () => {
    expect(valuesOf([6, 0, 3], [0, 100])).toEqual([0, 3, 6, 100, 103, 106]);
    expect(valuesOf([0, 2, 3, 6], [0, 100])).toEqual([0, 2, 3, 6, 100, 102, 103, 106]);
  });

  it('may be below all numbers of 64 bits', () => expect(valuesOf([-1e19, 0, 1])).toEqual([-1e19, 0, 1]));

  it('may have numbers of any size beside each other', () =>
    expect(valuesOf([0, 1e20], [0, 4e18], [0, 2 ** 50], [0, 1])).toHaveLength(16));
});
