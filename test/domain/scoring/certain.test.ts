// What is certain about forms whose totals are too many to decide.
import { describe, expect, it } from 'vitest';
import type { Scorable } from '../../../src/domain/scoring/answers.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import { analysed, anyNumber, formOf, many, wholeNumber } from '../support/scoring.js';

type Given = Parameters<typeof formOf>[0][number];

/** Returns the gaps of a form whose totals are undecided. Expects that their answers can be scored, and show the gaps. */
const gapsOf = (form: Scorable) => {
  const { undecided, findings, totals } = analysed(form);
  expect([undecided, totals.count, totals.values, totals.intervals]).toEqual([true, null, null, null]);
  expect(findings.find(({ severity }) => severity === 'warning')?.code).toBe('totals-undecided');
  const gaps = findings.filter(({ code }) => code === 'total-without-range');
  for (const { answers, min, max } of gaps) {
    const { total, range, complete } = scoreOf(form, answers ?? expect.fail('no answers'));
    expect([range, complete]).toEqual([null, true]);
    expect([min == null || min <= total, max == null || total <= max]).toEqual([true, true]);
  }
  return gaps.map(({ min, max }) => [min, max]);
};

const some = (options: readonly number[], more: Given = {}): Given => ({
  responseType: 'MULTIPLE_SELECT',
  options,
  ...more,
});
const powersOf = (base: number, more?: Given) =>
  some(
    many(24, (n) => base ** n),
    more,
  );
const optional = { required: false } as const;
const LOW = [0, 10, 'low'] as const;

describe('a form with totals that are too many to decide', () => {
  it.each<[string, Given]>([
    ['a whole number without bounds', wholeNumber({}, optional)],
    ['a whole number that doubles skip', wholeNumber({ minValue: 0, maxValue: 2 ** 53 + 2 }, optional)],
    ['many combinations of options', powersOf(3, optional)],
    [
      'many combinations of negative options',
      some(
        many(24, (n) => -(3 ** n)),
        optional,
      ),
    ],
  ])('has the gaps that the other questions lead to beside an optional question: %s', (_, other) => {
    const ranges = [LOW, [20, 30, 'high'] as const];
    const isFound = (total: number, ...questions: readonly Given[]) =>
      gapsOf(formOf([...questions], ranges)).some(([min, max]) => (min ?? -1e99) <= total && total <= (max ?? 1e99));
    expect(isFound(15, other, { options: [0, 15, 25] }, other)).toBe(true);
    const [four, twelve] = [
      { options: [4], ...optional },
      { options: [12], ...optional },
    ];
    expect([isFound(12, other, twelve, four), isFound(16, four, other, twelve)]).toEqual([true, true]);
  });

  it.each<[string, Given, readonly unknown[]]>([
    ['above', wholeNumber({ minValue: 0 }), [[10, null]]],
    ['above, if it need not be answered', wholeNumber({ minValue: 0 }, optional), [[10, null]]],
    ['above, with a weight', wholeNumber({ maxValue: 0 }, { weight: -0.001 }), [[10, null]]],
    ['below', wholeNumber({ maxValue: 9 }), [[null, 0]]],
    [
      'on both sides',
      wholeNumber({}, { weight: 3 }),
      [
        [null, 0],
        [10, null],
      ],
    ],
  ])('has a gap beyond the ranges if totals have no end: %s', (_, number, expected) => {
    expect(gapsOf(formOf([number, { options: [0, 1] }], [LOW]))).toEqual(expected);
  });

  it('has a gap at an end that no range contains', () => {
    const top = 3 ** 24 - 1;
    const required = powersOf(3);
    expect(gapsOf(formOf([required], [[1, top / 2 - 1, 'any']]))).toEqual([[top / 2, top / 2]]);
    expect(gapsOf(formOf([required], [[2, top / 2, 'any']]))).toEqual([[1, 1]]);
    const number = wholeNumber({ minValue: 5, maxValue: 2 ** 60 });
    expect(gapsOf(formOf([number, { options: [-2, 0], ...optional }], [[4, 2 ** 60, 'any']]))).toEqual([[3, 3]]);
  });

  it('has the gaps of the other questions beside each end and each option of a required question', () => {
    const any = (minScore: number, maxScore: number) => [minScore, maxScore, 'any'] as const;
    const form = formOf([powersOf(3), { options: [0, 0.5] }], [any(1, 1), any(2, 27), any(27.75, 3 ** 24)]);
    expect(gapsOf(form)).toEqual([
      [1.5, 1.5],
      [27.5, 27.5],
    ]);
  });

  it('has the gaps of each question of many', () => {
    const scattered = many(60, (n) => ({ options: many(10, (m) => (1 + Math.sin(n * 10 + m)) / 20), ...optional }));
    const form = formOf(
      [...scattered, { options: many(200, (n) => 20 + n), ...optional }],
      [
        [0, 99, 'low'],
        [108, 1e3, 'high'],
      ],
    );
    expect(gapsOf(form)).toEqual([[100, 107]]);
  });

  it.each([1e300, -1e300])('has exact gaps, however large what another question adds: %d', (large) => {
    const scattered = many(60, (n) => ({
      options: many(10, (m) => Math.round(1e9 * (1 + Math.sin(n * 10 + m))) / 1e9),
      ...optional,
    }));
    const gaps = gapsOf(formOf([{ options: [large] }, ...scattered], [[-2, -1, 'never']]));
    expect(gaps).toEqual([[large, large]]);
  });

  it('has no gap without ranges, and none between totals of which the others may be in a range', () => {
    expect(gapsOf(formOf([wholeNumber({})]))).toEqual([]);
    const ranges = [
      [0, 9, 'a'],
      [11, 19, 'b'],
      [21, 3 ** 25, 'c'],
    ] as const;
    expect(gapsOf(formOf([{ options: [0, 10, 20] }, powersOf(3, optional)], [...ranges]))).toEqual([
      [10, 10],
      [20, 20],
    ]);
  });

  it('has gaps of continuous totals, too', () => {
    const scattered = many(60, (n) => ({ options: many(10, (m) => 1e6 * (1 + Math.sin(n * 10 + m))), ...optional }));
    const form = formOf(
      [anyNumber({ minValue: 20, maxValue: 20.5 }), ...scattered],
      [
        [20, 20.125, 'a'],
        [20.25, 1e9, 'b'],
      ],
    );
    expect(gapsOf(form)).toEqual([[20.125, 20.25]]);
  });

  it('has all gaps if it only has too many totals to list', () => {
    const form = formOf(
      [wholeNumber({ minValue: 1, maxValue: 1_000_001 })],
      [
        [1, 5, 'a'],
        [8, 1_000_000, 'b'],
      ],
    );
    expect(gapsOf(form)).toEqual([
      [6, 7],
      [1_000_001, 1_000_001],
    ]);
  });
});
