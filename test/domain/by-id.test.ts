import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ById, emptyById, getById, setById } from '../../src/domain/by-id.js';
import { uuidOf } from '../support/specification.js';

const filled = (entries: readonly (readonly [string, number])[]): ById<number> =>
  entries.reduce<ById<number>>((map, [id, value]) => setById(map, id, value), emptyById);

// Ids with long common endings, and ids without any. Values may repeat.
const closeId = fc
  .tuple(fc.constantFrom('0', '8', 'f'), fc.constantFrom('0', 'a'), fc.constantFrom('0', '1', 'f'))
  .map(([first, middle, last]) => `${first}0000000-0000-7000-8${middle}00-00000000000${last}`);
const id = fc.oneof(closeId, fc.uuid());
const entries = fc.array(fc.tuple(id, fc.nat(3)), { maxLength: 60 });

describe('a map by id', () => {
  it('is empty at first', () => expect(getById(emptyById, uuidOf(1))).toBeUndefined());
  it('returns the value that was last set for an id, and undefined for other ids', () =>
    fc.assert(
      fc.property(entries, fc.array(id), (set, others) => {
        const [map, expected] = [filled(set), new Map(set)];
        for (const wanted of [...expected.keys(), ...others]) {
          expect(getById(map, wanted)).toBe(expected.get(wanted));
        }
      }),
    ));
  it('is immutable: setting a value leaves the earlier map unchanged', () =>
    fc.assert(
      fc.property(entries, entries, (set, more) => {
        const map = filled(set);
        more.reduce<ById<number>>((after, [wanted, value]) => setById(after, wanted, value), map);
        const expected = new Map(set);
        for (const [wanted] of [...set, ...more]) expect(getById(map, wanted)).toBe(expected.get(wanted));
      }),
    ));
  it('is the same map in whatever order its values were set', () =>
    fc.assert(
      fc.property(fc.uniqueArray(id, { maxLength: 60 }), (ids) => {
        const set = ids.map((each, index) => [each, index] as const);
        expect(filled(set.toReversed())).toStrictEqual(filled(set));
      }),
    ));
  it('distinguishes ids that differ only in their first digit', () => {
    const [one, two] = ['10000000-0000-7000-8000-000000000000', '20000000-0000-7000-8000-000000000000'] as const;
    const map = filled([
      [one, 1],
      [two, 2],
    ]);
    expect([getById(map, one), getById(map, two)]).toEqual([1, 2]);
    expect(getById(map, '30000000-0000-7000-8000-000000000000')).toBeUndefined();
  });
  it('can hold lists and undefined as values', () => {
    const map = setById(setById<unknown>(emptyById, uuidOf(1), [uuidOf(2)]), uuidOf(0x11), undefined);
    expect(getById(map, uuidOf(1))).toEqual([uuidOf(2)]);
    expect(getById(map, uuidOf(0x11))).toBeUndefined();
  });
  it('has a branch for each digit, and shares all but one path with the previous map', () => {
    const before = filled(Array.from({ length: 4_096 }, (_, n) => [uuidOf(n), n] as const));
    const after = setById(before, uuidOf(0), -1);
    const slots = (map: ById<number>) => Object.values(map.root ?? {});
    expect(new Set(slots(before)).size).toBe(16);
    const replaced = slots(after).filter((node, slot) => node !== slots(before)[slot]);
    expect(replaced).toHaveLength(1);
  });
});
