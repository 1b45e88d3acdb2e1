import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highestPosition } from '../../../src/domain/fields.js';
import { byPosition, lastPosition, makeRoom } from '../../../src/domain/protocol/positions.js';
import { uuidOf } from '../../support/specification.js';

const at = (...positions: readonly number[]) => positions.map((position) => ({ id: uuidOf(position), position }));
const lists = fc.uniqueArray(fc.nat(20), { maxLength: 15 }).map((positions) => at(...positions));
const noRoom = expect.objectContaining({
  code: 'fields-refused',
  details: { errors: [{ path: ['position'], code: 'too-big', message: expect.any(String) }] },
});

describe('making room', () => {
  it.each([
    ['moves nothing in an empty list', at(), 1, []],
    ['moves nothing if the position is free', at(1, 3), 2, []],
    [
      'moves the items from the position on',
      at(1, 2, 3),
      2,
      [
        [2, 3],
        [3, 4],
      ],
    ],
    [
      'stops at the first gap',
      at(1, 2, 4),
      1,
      [
        [1, 2],
        [2, 3],
      ],
    ],
    [
      'does not depend on the order of the list',
      at(4, 2, 1),
      1,
      [
        [1, 2],
        [2, 3],
      ],
    ],
    ['also works at 0', at(0), 0, [[0, 1]]],
  ])('%s', (_, items, position, moved) =>
    expect(makeRoom(items, position)).toEqual(moved.map(([from, to]) => ({ id: uuidOf(from ?? -1), position: to }))),
  );
  it('frees the position, keeps positions unique and items in order, and moves items by one', () =>
    fc.assert(
      fc.property(lists, fc.nat(22), (items, position) => {
        const moved = new Map(makeRoom(items, position).map(({ id, position: to }) => [id, to]));
        const after = items.map((item) => ({ ...item, position: moved.get(item.id) ?? item.position }));
        const places = after.map((item) => item.position);
        expect(new Set([...places, position]).size).toBe(items.length + 1);
        expect(byPosition(after).map(({ id }) => id)).toEqual(byPosition(items).map(({ id }) => id));
        for (const [index, item] of items.entries()) {
          expect([0, moved.has(item.id) ? 1 : 0]).toContain((places[index] ?? -1) - item.position);
        }
      }),
    ));
  it('moves only the items that must move', () =>
    fc.assert(
      fc.property(lists, fc.nat(20), (items, position) => {
        const moved = makeRoom(items, position);
        const taken = new Set(items.map((item) => item.position));
        expect(moved.map((item) => item.position - 1)).toEqual(moved.map((_, index) => position + index));
        expect(taken.has(position + moved.length)).toBe(false);
      }),
    ));
  it('is refused if an item would move beyond the highest position', () => {
    const full = at(highestPosition - 1, highestPosition);
    expect(() => makeRoom(full, highestPosition - 1)).toThrow(noRoom);
    expect(makeRoom(at(highestPosition - 1), highestPosition - 1)).toEqual([
      { id: uuidOf(highestPosition - 1), position: highestPosition },
    ]);
  });
});

describe('the last position', () => {
  it.each([
    [at(), 1],
    [at(0), 1],
    [at(1, 2), 3],
    [at(9, 2), 10],
  ])('of %o is %i', (items, last) => expect(lastPosition(items)).toBe(last));
  it('is refused if the highest position is taken', () => {
    expect(lastPosition(at(highestPosition - 1))).toBe(highestPosition);
    expect(() => lastPosition(at(highestPosition))).toThrow(noRoom);
  });
});

describe('a list by position', () => {
  it('is a new list in ascending order', () => {
    const items = at(3, 0, 10, 2);
    expect(byPosition(items)).toEqual(at(0, 2, 3, 10));
    expect(items).toEqual(at(3, 0, 10, 2));
  });
});
