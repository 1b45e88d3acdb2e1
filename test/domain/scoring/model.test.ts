import { describe, expect, it } from 'vitest';
import { numberOrNull } from '../../../src/domain/scoring/decimal.js';
import { modelOf, reachOf, touched } from '../../../src/domain/scoring/model.js';
import { first } from '../../support/items.js';
import { anyNumber, finished, formOf, wholeNumber } from '../support/scoring.js';

type Given = Parameters<typeof formOf>[0][number];

describe('the reach of a question', () => {
  const some = (...options: number[]): Given => ({ responseType: 'MULTIPLE_SELECT', options });
  const optional = { required: false } as const;
  it.each<[Given, number | null, number | null]>([
    [{ responseType: 'TEXT' }, 0, 0],
    [{ options: [] }, 0, 0],
    [{ options: [3, -1, 2] }, -1, 3],
    [{ options: [3, -1, 2], weight: -2 }, -6, 2],
    [{ options: [3, -1, 2], weight: 0 }, 0, 0],
    [{ options: [3, 5], ...optional }, 0, 5],
    [{ options: [-3, -5], ...optional }, -5, 0],
    [{ options: [-3, 5], ...optional }, -3, 5],
    [{ options: [3, 5], weight: -1, ...optional }, -5, 0],
    // At least one option is chosen.
    [some(-1, 2, 3, -4), -5, 5],
    [some(2, 3), 2, 5],
    [some(-2, -3), -5, -2],
    [some(0, 2), 0, 2],
    [anyNumber({ minValue: 1.5, maxValue: 4 }), 1.5, 4],
    [anyNumber({ minValue: 1.5 }), 1.5, null],
    [anyNumber({ minValue: 1.5 }, { weight: -2 }), null, -3],
    [anyNumber({ maxValue: -1.5 }, optional), null, 0],
    [anyNumber({ minValue: 1.5 }, optional), 0, null],
    [wholeNumber({ minValue: 1.5, maxValue: 4.5 }), 2, 4],
  ])('%j is from %j to %j', (given, min, max) => {
    const reach = reachOf(first(formOf([given]).questions));
    expect([numberOrNull(reach.min), numberOrNull(reach.max)]).toEqual([min, max]);
  });
});

it('a model takes an addition for each question and for each of its numbers, twice', () => {
  const form = formOf([{ options: [1, 2, 3] }, wholeNumber({ minValue: 0, maxValue: 9 })]);
  expect([...modelOf(form)].map(({ added }) => added)).toEqual([4, 3, 4, 3]);
});

describe('two ranges', () => {
  const between = (low: number, high: number) =>
    touched(
      formOf(
        [],
        [
          [low - 1, low, 'low'],
          [high, high + 1, 'high'],
        ],
      ).scoreRanges,
      0,
    );

  it.each([
    ['the middle of which is rounded down', 18.5, 18.500000000000004],
    ['the middle of which is rounded up', 18.500000000000004, 18.500000000000007],
  ])('touch at neighbouring doubles %s', (_, low, high) => expect(between(low, high)).toBe(high));

  it.each([
    ['there is a double between them', 18.5, 18.500000000000007],
    ['both have the same total', 18.5, 18.5],
    ['they are in the wrong order', 18.500000000000004, 18.5],
  ])('do not touch if %s', (_, low, high) => expect(between(low, high)).toBeUndefined());

  it('that touch have no total between them in the model', () => {
    const form = formOf(
      [anyNumber({})],
      [
        [0, 18.5, 'low'],
        [18.500000000000004, 20, 'high'],
      ],
    );
    const [low, high] = finished(modelOf(form)).ranges;
    expect(low && low.max + 1n).toBe(high?.min);
  });

  it('have no successor behind the last one', () => {
    expect(touched(formOf([], [[0, 1, 'only']]).scoreRanges, 0)).toBeUndefined();
  });
});

describe('a total that stands for infinity', () => {
  it('is beyond all sums of numbers, also of those of an optional question', () => {
    const { min, max, decimalOf } = finished(
      modelOf(formOf([anyNumber({ minValue: 500 }, { required: false }), { options: [-7, 9] }])),
    );
    expect([min, max].map((total) => numberOrNull(decimalOf(total)))).toEqual([-7, null]);
    // The totals are continuous, so 509 is the unit 1,018.
    expect(numberOrNull(decimalOf(1_018n))).toBe(509);
  });
});
