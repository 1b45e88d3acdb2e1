// Tests forms whose only numbers without a bound may stay unanswered.
import { describe, expect, it } from 'vitest';
import { analysed, anyNumber, formOf } from '../support/scoring.js';

const intervalsOf = (form: ReturnType<typeof formOf>) => {
  const { undecided, totals } = analysed(form);
  return { undecided, intervals: totals.intervals?.map(({ min, max }) => [min, max]) };
};

describe('the totals of an optional number', () => {
  it.each([
    { metadata: { minValue: 30 }, weight: 1, end: 30 },
    { metadata: { minValue: 1e9 }, weight: 1, end: 1e9 },
    { metadata: { maxValue: -30 }, weight: -1, end: 30 },
  ])('are those from a bound far above all ranges: $metadata, $weight', ({ metadata, weight, end }) => {
    const form = formOf([anyNumber(metadata, { weight, required: false })], [[0, 10, 'low']]);
    expect(intervalsOf(form)).toEqual({ undecided: false, intervals: [[end, null]] });
    expect(analysed(form).findings).toContainEqual(
      expect.objectContaining({ code: 'total-without-range', severity: 'error', min: end, max: null }),
    );
  });

  it.each([
    { metadata: { maxValue: -30 }, weight: 1, end: -30 },
    { metadata: { minValue: 30 }, weight: -1, end: -30 },
  ])('are those up to a bound far below all ranges: $metadata, $weight', ({ metadata, weight, end }) => {
    const form = formOf([anyNumber(metadata, { weight, required: false })], [[0, 10, 'low']]);
    expect(intervalsOf(form)).toEqual({ undecided: false, intervals: [[null, end]] });
  });

  it('are decided beside another one, however large the bounds', () => {
    const open = (minValue: number) => anyNumber({ minValue }, { required: false });
    const intervals = [[1e9, null]];
    expect(intervalsOf(formOf([open(1e9), open(1e9 + 7)], [[0, 1e9, 'low']]))).toEqual({ undecided: false, intervals });
  });

  it('are decided without ranges, too', () => {
    const form = formOf([anyNumber({ minValue: 18 }, { required: false })]);
    expect(intervalsOf(form)).toEqual({ undecided: false, intervals: [[18, null]] });
  });

  it('are 0, too, if another question can be answered without adding anything', () => {
    const intervals = [
      [0, 0],
      [18, null],
    ];
    const form = formOf([anyNumber({ minValue: 18 }, { required: false }), { options: [0], required: false }]);
    expect(intervalsOf(form)).toEqual({ undecided: false, intervals });
  });
});
