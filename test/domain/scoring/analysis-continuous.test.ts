import { describe, expect, it } from 'vitest';
import type { ScoredForm } from '../../../src/domain/scoring/answers.js';
import type { FindingCode } from '../../../src/domain/scoring/schemas.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import { uuidOf } from '../../support/specification.js';
import { analysed, anyNumber, formOf, many, wholeNumber } from '../support/scoring.js';

const question = (place: number) => uuidOf(1_000 * place);
const found = (form: ScoredForm, code: FindingCode) =>
  analysed(form).findings.filter((finding) => finding.code === code);
const codesOf = ({ findings }: ReturnType<typeof analysed>) => findings.map(({ code }) => code);

describe('the analysis of continuous totals', () => {
  it('finds doubles beside numbers of any size', () => {
    const form = formOf(
      [anyNumber({ minValue: -1e300, maxValue: 5e-324 }), { options: [1e-320, 3] }],
      [[3, 3, 'three']],
    );
    const [gap, above] = found(form, 'total-without-range');
    expect(scoreOf(form, gap?.answers ?? []).range).toBeNull();
    expect(scoreOf(form, above?.answers ?? []).range).toBeNull();
    expect(analysed(form).totals).toMatchObject({ min: -1e300, max: 3 });
  });

  it('has intervals instead of values', () => {
    const { totals } = analysed(
      formOf([anyNumber({ minValue: 36, maxValue: 42.5 }, { required: false }), { options: [0, 1] }]),
    );
    expect(totals).toEqual({
      min: 0,
      max: 43.5,
      count: null,
      values: null,
      intervals: [
        { min: 0, max: 0 },
        { min: 1, max: 1 },
        { min: 36, max: 43.5 },
      ],
    });
  });

  it('has an open side without a bound', () => {
    const { totals } = analysed(formOf([anyNumber({ minValue: 2 }, { weight: -0.5 })]));
    expect(totals).toMatchObject({ min: null, max: -1, intervals: [{ min: null, max: -1 }] });
    expect(analysed(formOf([anyNumber({})])).totals.intervals).toEqual([{ min: null, max: null }]);
  });

  it('finds the fractions between two ranges, with an answer that leads there', () => {
    const form = formOf(
      [anyNumber({ minValue: 10, maxValue: 60 })],
      [
        [0, 18.4, 'under'],
        [18.5, 24.9, 'normal'],
        [25, 60, 'over'],
      ],
    );
    const gaps = found(form, 'total-without-range');
    expect(gaps.map(({ message }) => message)).toEqual([
      'Totals between 18.4 and 18.5 have no score range.',
      'Totals between 24.9 and 25 have no score range.',
    ]);
    expect(gaps.map(({ answers }) => answers)).toEqual([
      [{ questionId: question(1), value: 18.45 }],
      [{ questionId: question(1), value: 24.95 }],
    ]);
  });

  it('leads to the middle of what a wide gap has', () => {
    const form = formOf(
      [anyNumber({ minValue: 10, maxValue: 60 })],
      [
        [0, 18, 'under'],
        [20.5, 60, 'over'],
      ],
    );
    expect(found(form, 'total-without-range').map(({ answers }) => answers)).toEqual([
      [{ questionId: question(1), value: 19.25 }],
    ]);
  });

  // No double is between the two numbers, and their totals are not in the gap between the two ranges.
  it.each<[number, number, readonly number[]]>([
    [1.0100000000000033, 1.0100000000000036, [909.000000000003, 909.0000000000032]],
    [1.1000000000000005, 1.1000000000000008, [990.0000000000005, 990.0000000000007]],
  ])('has a gap without answers if the double nearest to it, %d or %d, leads to another gap', (low, high, totals) => {
    const form = formOf(
      [anyNumber({ minValue: low, maxValue: high }, { weight: 900 })],
      totals.map((total) => [total, total, 'single'] as const),
    );
    const values = found(form, 'total-without-range').map(({ answers }) => answers?.map(({ value }) => value) ?? null);
    expect(values).toEqual([[low], null, [high]]);
  });

  it('lists at most 1,000 intervals', () => {
    const intervalsOf = (upTo: number) =>
      analysed(
        formOf([
          anyNumber({ minValue: 0, maxValue: 0.5 }),
          { options: many(100, (n) => n) },
          wholeNumber({ minValue: 0, maxValue: upTo }, { weight: 100 }),
          { options: [0, -1_000_000] },
        ]),
      ).totals.intervals;
    expect(intervalsOf(4)).toHaveLength(1_000);
    expect(intervalsOf(5)).toBeNull();
  });

  it('takes two ranges as touching if no double is between them', () => {
    const next = 18.500000000000004;
    const touching = formOf(
      [anyNumber({ minValue: 10, maxValue: 60 })],
      [
        [0, 18.5, 'under'],
        [next, 60, 'over'],
      ],
    );
    expect(codesOf(analysed(touching))).toEqual([]);
    const apart = formOf(
      [anyNumber({ minValue: 10, maxValue: 60 })],
      [
        [0, 18.5, 'under'],
        [18.50000000000001, 60, 'over'],
      ],
    );
    expect(codesOf(analysed(apart))).toEqual(['total-without-range']);
  });

  it('finds doubles for numbers whose weights have no short reciprocal', () => {
    const form = formOf(
      [
        anyNumber({ minValue: 0, maxValue: 10 }, { weight: 3 }),
        anyNumber({ minValue: 1, maxValue: 2 }, { weight: -7 }),
      ],
      [
        [-20, 1, 'low'],
        [1.001, 40, 'high'],
      ],
    );
    const [gap] = found(form, 'total-without-range');
    const { total, range } = scoreOf(form, gap?.answers ?? []);
    expect(range).toBeNull();
    expect([total > 1, total < 1.001]).toEqual([true, true]);
  });

  it('finds the gap above the last range of a number without a bound', () => {
    const form = formOf([anyNumber({ minValue: 0 })], [[0, 100, 'all']]);
    const [gap] = found(form, 'total-without-range');
    expect(gap).toMatchObject({ min: 100, max: null, message: 'Totals above 100 have no score range.' });
    expect(scoreOf(form, gap?.answers ?? []).total).toBeGreaterThan(100);
  });
});
