import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { itemsOf, noOverlap, ordered, rule, uniqueIds, uniquePositions, uniqueValues } from '../../src/domain/rules.js';
import { uuidOf } from '../support/specification.js';

/**
 * Returns the paths and codes that a rule refuses in a value of any shape, in the order in which the rule finds them.
 */
const refused = (check: ReturnType<typeof rule>, value: unknown) =>
  z
    .unknown()
    .superRefine(...check)
    .safeParse(value)
    .error?.issues.map((issue) =>
      [issue.path.join('/'), issue.code === 'custom' && issue.params?.['code']].join(' '),
    ) ?? [];

const shapeless = [null, undefined, 7, 'list', {}, [null, 3, 'x', [], {}], [[{ id: 1 }]]];

describe('a rule', () => {
  it('also runs if a field is invalid, so that one response names every fault', () => {
    const never = rule((_, refuse) => refuse(['here'], 'excluded', 'never'));
    const schema = z.object({ a: z.string() }).superRefine(...never);
    expect(schema.safeParse({ a: 1 }).error?.issues.map(({ path }) => path)).toEqual([['a'], ['here']]);
  });
  it.each(shapeless)('does not throw for a value of another shape: %o', (value) => {
    const lists = uniqueIds(() => [{ path: [], list: value }]);
    for (const check of [uniquePositions, noOverlap, ordered('a', 'b'), lists]) {
      expect(() => refused(check, value)).not.toThrow();
    }
  });
  it('never throws, whatever the value', () =>
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const lists = uniqueIds((list) => [{ path: [], list }]);
        for (const check of [uniquePositions, noOverlap, ordered('length', 'b'), lists]) {
          expect(() => refused(check, value)).not.toThrow();
        }
      }),
    ));
});

describe('the items of a list', () => {
  it('are its objects, each with its index', () =>
    expect(itemsOf([{ a: 1 }, null, 'x', { b: 2 }])).toEqual([
      [{ a: 1 }, 0],
      [{ b: 2 }, 3],
    ]));
  it.each([null, undefined, 'text', { 0: {} }])('are empty for %o', (value) => expect(itemsOf(value)).toEqual([]));
});

describe('unique positions', () => {
  it.each([
    [[{ position: 1 }, { position: 2 }], []],
    [
      [{ position: 2 }, { position: 2 }, { position: 2 }],
      ['1/position duplicate', '2/position duplicate'],
    ],
    [[{ position: 2 }, {}], ['1/position duplicate']],
    [[{}, { position: 1 }], ['1/position duplicate']],
    [[{ position: 0 }, {}, {}], []],
    [[null, { position: 3 }, {}], ['2/position duplicate']],
  ])('refuse in %o: %o', (list, expected) => expect(refused(uniquePositions, list)).toEqual(expected));
});

describe('unique values', () => {
  it.each([
    [['a', 'b', 1, '1'], []],
    [
      ['a', 'b', 'a', 'a'],
      ['2 duplicate', '3 duplicate'],
    ],
    ['aa', []],
    [null, []],
  ])('refuse in %o: %o', (list, expected) => expect(refused(uniqueValues, list)).toEqual(expected));
});

describe('an order of two fields', () => {
  const check = ordered('low', 'high');
  it.each([
    { low: 1, high: 1 },
    { low: -2, high: -1 },
    { low: 5 },
    { high: 5 },
    { low: '2', high: 1 },
    { low: '2', high: '1' },
    { low: null, high: 1 },
  ])('holds for %o', (value) => expect(refused(check, value)).toEqual([]));
  it('is violated if the low value is above the high value', () =>
    expect(refused(check, { low: 1.5, high: 1 })).toEqual([' inverted']));
  it('may compare other values than numbers, but only values of one type', () => {
    const ofTexts = ordered('low', 'high', Number);
    expect(refused(ofTexts, { low: '10', high: '9' })).toEqual([' inverted']);
    expect(refused(ofTexts, { low: '10', high: 9 })).toEqual([]);
  });
});

describe('the rule against overlaps', () => {
  const ranges = (...list: readonly (readonly [number, number])[]) =>
    list.map(([minScore, maxScore]) => ({ minScore, maxScore }));

  it.each([
    ['a range that begins within an earlier range', ranges([10, 20], [0, 10], [21, 30], [15, 16]), ['0', '3']],
    ['a range that begins where another ends', ranges([0, 10], [10, 20]), ['1']],
    ['an equal range', ranges([0, 5], [0, 5]), ['1']],
    ['every range within the range that reaches furthest', ranges([0, 100], [1, 2], [50, 60]), ['1', '2']],
    ['no range after a gap, a single score or a fraction', ranges([10, 10], [-5.5, -1], [0, 9.99]), []],
  ])('refuses %s', (_, list, expected) =>
    expect(refused(noOverlap, list)).toEqual(expected.map((index) => `${index} overlap`)),
  );
  it('ignores a range with a bound that is no number', () =>
    expect(
      refused(noOverlap, [
        { minScore: 0, maxScore: 10 },
        { minScore: '1', maxScore: 2 },
        { minScore: 1, maxScore: '2' },
        { minScore: null, maxScore: 2 },
        { maxScore: 5 },
      ]),
    ).toEqual([]));
  it('refuses a range exactly if two ranges share a score, and without the refused ranges none overlap', () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ max: 30, min: -5 }), fc.integer({ max: 9, min: -3 })), { maxLength: 8 }),
        (drawn) => {
          const list = ranges(...drawn.map(([min, length]) => [min, min + length] as const));
          const named = new Set(refused(noOverlap, list).map((name) => Number(name.split(' ')[0])));
          const sound = list.flatMap((range, index) => (range.minScore <= range.maxScore ? [{ ...range, index }] : []));
          const clashes = sound.flatMap((a) =>
            sound
              .filter((b) => a.index < b.index && a.minScore <= b.maxScore && b.minScore <= a.maxScore)
              .map((b) => [a, b]),
          );
          expect(named.size > 0).toBe(clashes.length > 0);
          for (const pair of clashes) expect(pair.some(({ index }) => named.has(index))).toBe(true);
        },
      ),
    ));
});

describe('unique ids', () => {
  const [one, two] = [uuidOf(1), uuidOf(2)];
  const check = uniqueIds((value) =>
    itemsOf(value).map(([{ options }, index]) => ({ path: [index, 'options'], list: options })),
  );
  it.each([
    [[{ options: [{ id: one }, { id: two }] }], []],
    [[{ options: [{ id: one }, { id: one }] }], ['0/options/1/id duplicate']],
    [[{ options: [{ id: one }] }, { options: [{ id: two }, { id: one }] }], ['1/options/1/id duplicate']],
    [[{ options: [{}, {}, { id: 5 }, { id: 5 }, null] }, {}], []],
  ])('are checked across several lists: %o', (value, expected) => expect(refused(check, value)).toEqual(expected));
});
