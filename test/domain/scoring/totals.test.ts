import { describe, expect, it } from 'vitest';
import { modelOf } from '../../../src/domain/scoring/model.js';
import { Bits, Runs } from '../../../src/domain/scoring/sums.js';
import { zeroOf } from '../../../src/domain/scoring/totals.js';
import { analysed, finished, formOf, many } from '../support/scoring.js';

const stepsFor = (...questions: Parameters<typeof formOf>[0]) => zeroOf(finished(modelOf(formOf(questions))));
const some = (...options: readonly number[]) => ({ responseType: 'MULTIPLE_SELECT' as const, options });
const ones = many(20, () => ({ options: [0, 1] }));
const threes = many(20, () => ({ options: [0, 3] }));

describe('the totals of a form', () => {
  it.each([
    ['4,096 for each combination of answers', [{ options: [0, 1, 4 * 4_096] }]],
    ['4,096 for each combination, in multiples of their common divisor', [{ options: [0, 3, 3 - 3 * 4 * 4_096] }]],
    ['4,096 for each combination of choices', [some(0, 1, 9 * 4_096 - 1)]],
    ['below a million', [...ones, { options: [0, 999_979] }]],
    ['below a million multiples of their common divisor', [...threes, { options: [0, 3 * 999_979] }]],
  ])('are bits if their span is %s', (_, questions) => expect(finished(stepsFor(...questions))).toBeInstanceOf(Bits));

  it.each([
    ['above 4,096 for each combination of answers', [{ options: [0, 1, 4 * 4_096 + 1] }]],
    ['above 4,096 for each combination of choices', [some(0, 1, 9 * 4_096)]],
    ['a million', [...ones, { options: [0, 999_980] }]],
  ])('are runs if their span is %s', (_, questions) => expect(finished(stepsFor(...questions))).toBeInstanceOf(Runs));

  it('may be below all numbers of 64 bits', () =>
    expect(analysed(formOf([{ options: [-1e19, 0, 1] }])).totals.values).toEqual([-1e19, 0, 1]));

  it('take an addition for each number of the form', () =>
    expect([...stepsFor({ options: [1, 2, 3] }, some(4, 5))].map(({ added }) => added)).toEqual([4, 3]));
});
