// The rules of generations, checkpoints and leases, without an engine.
import { describe, expect, it } from 'vitest';
import {
  type ArgumentOf,
  buildingOf,
  type ChangeName,
  type Control,
  changed,
  checkpointsOf,
  collectionsOf,
} from '../../../src/infrastructure/views/control.js';
import type { ProjectionShape, StoredCollection } from '../../../src/infrastructure/views/views.js';
import { at } from './support/harness.js';

const NOW = 1_000_000;
const TTL = 10_000;

const shapeOf = (version: number): ProjectionShape<StoredCollection> => ({
  name: 'things',
  version,
  collections: [{ name: 'things', indexes: { name: 'prefix' } }],
});
const [one, two] = [shapeOf(1), shapeOf(2)];

/** A record, and the changes that a test makes to it. */
class Scenario {
  readonly control: Control | undefined;

  constructor(control?: Control) {
    this.control = control;
  }

  /** Returns the record after a change that must not be refused. */
  with<Name extends ChangeName>(name: Name, argument: ArgumentOf<Name>, now = NOW): Scenario {
    const next = changed(name, this.control, argument, now);
    if (next === undefined) throw new Error(`${name} was refused`);
    return new Scenario(next);
  }

  refuses<Name extends ChangeName>(name: Name, argument: ArgumentOf<Name>, now = NOW): boolean {
    return changed(name, this.control, argument, now) === undefined;
  }

  /** Leases a generation and advances it. */
  at(number: number, n?: number, owner = 'a'): Scenario {
    const leased = this.with('acquire', { number, owner, ttlMs: TTL });
    return n === undefined ? leased : leased.with('advance', { number, owner, position: at(n) });
  }

  checkpoints(now = NOW) {
    return this.control === undefined ? [] : checkpointsOf('things', this.control, now);
  }
}

const prepared = (shape = one) => new Scenario().with('prepare', { shape, first: 1 });
const first = { number: 1, owner: 'a' };
const second = { number: 2, owner: 'a' };

describe('the log of a read model', () => {
  const id = '018f4c3e-0000-7000-8000-000000000001';
  const of = (log: string | null | undefined, position?: number) => {
    const begun = new Scenario().with('prepare', { shape: one, first: 1, log });
    return position === undefined ? begun : begun.at(1, position);
  };
  const preparedFor = (scenario: Scenario, log: string | null | undefined) =>
    scenario.with('prepare', { shape: one, first: 1, log }).control;

  it.each([
    ['the same', of(id, 5), id, id],
    ['unknown before', of(undefined, 5), id, id],
    ['empty before', of(null, 5), id, id],
    ['empty, as before', of(null, 5), null, null],
    ['not given', of(id, 5), undefined, id],
  ])('keeps its documents if it is %s', (_, before, log, after) => {
    const control = preparedFor(before, log);
    expect(control).toMatchObject({ live: 1, log: after, generations: { 1: { position: at(5) } } });
  });

  it.each([
    ['another', of(id, 5), 'other'],
    ['empty, after events', of(id, 5), null],
    ['empty, after an earlier version', of(undefined, 5), null],
  ])('loses all generations if it is %s, and the next number is live and empty', (_, before, log) => {
    const building = before.with('start', two);
    const control = preparedFor(building, log);
    expect(control).toMatchObject({ live: 3, next: 4, log });
    expect(control?.generations).toEqual({ 3: { version: 1, collections: one.collections } });
    expect(preparedFor(new Scenario(control), log)).toBe(control);
  });

  it('stays with a rebuild, and when the rebuild becomes live', () => {
    const promoted = of(id, 5)
      .with('start', one)
      .at(2, 5)
      .with('promote', { ...second, foreign: undefined });
    expect(promoted.control).toMatchObject({ live: 2, log: id });
  });
});

describe('the first generation', () => {
  it('is live and empty, under the number that the engine names', () => {
    const record = new Scenario().with('prepare', { shape: one, first: 4 });
    expect(record.checkpoints()).toEqual([
      { projection: 'things', number: 4, version: 1, state: 'live', position: undefined, heldBy: undefined },
    ]);
    expect(record.with('start', one).checkpoints()).toMatchObject([{ number: 4 }, { number: 5, state: 'building' }]);
  });

  it('stays the only one while the code has its version or an older one', () => {
    const record = prepared(two);
    for (const shape of [two, one]) expect(record.with('prepare', { shape, first: 1 }).control).toBe(record.control);
  });
});

describe('a building generation', () => {
  it('is added when the code is newer than all generations', () => {
    expect(prepared().with('prepare', { shape: two, first: 1 }).checkpoints()).toMatchObject([
      { number: 1, version: 1, state: 'live' },
      { number: 2, version: 2, state: 'building' },
    ]);
  });

  it('is added once for a version', () => {
    const record = prepared().with('start', one);
    expect(record.with('start', one).control).toBe(record.control);
    expect(record.with('start', two).checkpoints()).toHaveLength(3);
  });

  it('is found by its version', () => {
    const { control } = prepared().with('start', one).with('start', two);
    expect([one, two, shapeOf(3)].map((shape) => control && buildingOf(control, shape))).toEqual([2, 3, undefined]);
  });

  it('is not started for a projection that was not prepared', () => {
    expect(new Scenario().refuses('start', one)).toBe(true);
  });

  it('never gets the number of a generation that was dropped', () => {
    const promoted = prepared()
      .with('start', one)
      .at(2)
      .with('promote', { ...second, foreign: undefined });
    expect(promoted.with('start', one).checkpoints()).toMatchObject([{ number: 2 }, { number: 3 }]);
  });

  it('has the collections that only it needs, and a dropped one had those that nobody needs', () => {
    const before = prepared().with('start', one).at(2);
    const after = before.with('promote', { ...second, foreign: undefined });
    expect(collectionsOf(before.control, prepared().control)).toEqual([{ ...one.collections[0], number: 2 }]);
    expect(collectionsOf(before.control, after.control)).toEqual([{ ...one.collections[0], number: 1 }]);
    expect(collectionsOf(undefined, after.control)).toEqual([]);
  });
});

describe('a lease', () => {
  const held = () => prepared().at(1);
  const other = { number: 1, owner: 'b', ttlMs: TTL };

  it('has one owner until it expires', () => {
    expect(held().refuses('acquire', other)).toBe(true);
    expect(held().refuses('acquire', other, NOW + TTL)).toBe(true);
    const taken = held().with('acquire', other, NOW + TTL + 1);
    expect(taken.checkpoints(NOW + TTL + 1)).toMatchObject([{ heldBy: 'b' }]);
  });

  it('has no owner in checkpoints once it has expired', () => {
    expect([NOW + TTL, NOW + TTL + 1].map((now) => held().checkpoints(now)[0]?.heldBy)).toEqual(['a', undefined]);
  });

  it('lasts longer after a renewal', () => {
    const renewed = held().with('renew', { ...first, ttlMs: TTL }, NOW + TTL);
    expect(renewed.refuses('acquire', other, NOW + 2 * TTL)).toBe(true);
  });

  it('is kept by an owner that renews it late, unless another owner has taken it', () => {
    const late = NOW + 5 * TTL;
    expect(held().refuses('renew', { ...first, ttlMs: TTL }, late)).toBe(false);
    expect(
      held()
        .with('acquire', other, late)
        .refuses('renew', { ...first, ttlMs: TTL }, late),
    ).toBe(true);
  });

  it('is free once it is released', () => {
    const released = held().with('release', first);
    expect(released.checkpoints()).toMatchObject([{ heldBy: undefined }]);
    expect(released.refuses('acquire', other)).toBe(false);
  });

  it('may be acquired again by its owner', () => {
    expect(held().refuses('acquire', { ...first, ttlMs: TTL })).toBe(false);
  });

  it('covers only one generation', () => {
    const record = held().with('start', one);
    expect(record.refuses('acquire', { ...other, number: 2 })).toBe(false);
    expect(record.refuses('acquire', { ...other, number: 3 })).toBe(true);
  });

  it.each(['lost', 'released', 'without its generation'])('that is %s allows no change', (how) => {
    const records = {
      lost: held().with('acquire', other, NOW + 2 * TTL),
      released: held().with('release', first),
      'without its generation': held()
        .with('start', one)
        .at(2)
        .with('promote', { ...second, foreign: undefined }),
    };
    const record = records[how as keyof typeof records];
    expect(record.refuses('renew', { ...first, ttlMs: TTL })).toBe(true);
    expect(record.refuses('release', first)).toBe(true);
    expect(record.refuses('advance', { ...first, position: at(1) })).toBe(true);
    expect(record.refuses('stop', { ...first, stopped: { position: at(1), reason: 'late' } })).toBe(true);
    expect(record.refuses('promote', { ...first, foreign: undefined })).toBe(true);
  });

  it('is lost if the store is behind the position that it acknowledged', () => {
    const record = prepared().at(1, 3);
    const behind = { ...first, reached: at(4) };
    expect(record.refuses('renew', { ...behind, ttlMs: TTL })).toBe(true);
    expect(record.refuses('advance', { ...behind, position: at(5) })).toBe(true);
    expect(record.refuses('advance', { ...behind, reached: at(3), position: at(5) })).toBe(false);
  });
});

describe('a checkpoint', () => {
  it('never goes back', () => {
    const record = prepared().at(1, 5);
    expect(record.with('advance', { ...first, position: at(4) }).control).toBe(record.control);
    expect(record.with('advance', { ...first, position: at(6) }).checkpoints()).toMatchObject([{ position: at(6) }]);
  });

  it('of one generation does not change another, nor the leases', () => {
    const record = prepared().with('start', one).at(1, 5).at(2, 2, 'b');
    expect(record.checkpoints()).toMatchObject([
      { number: 1, position: at(5), heldBy: 'a' },
      { number: 2, position: at(2), heldBy: 'b' },
    ]);
  });

  it('says what stopped the generation until an operator or the holder of the lease clears it', () => {
    const stopped = { position: at(1), reason: 'it had to' };
    const record = prepared()
      .at(1)
      .with('stop', { ...first, stopped });
    expect(record.checkpoints()).toMatchObject([{ stopped, heldBy: 'a' }]);
    for (const by of [{ number: 1 }, first]) {
      expect(record.with('stop', { ...by, stopped: undefined }).checkpoints()).toMatchObject([{ stopped: undefined }]);
    }
  });
});

describe('a promotion', () => {
  /** Returns a live generation and one that is building, at these positions. */
  const built = (live: number | undefined, building: number | undefined) =>
    prepared().with('start', one).at(1, live).at(2, building);
  const promotion = { ...second, foreign: undefined };

  it.each([
    { what: 'is behind', record: built(10, 9) },
    { what: 'has no position while the live one has one', record: built(10, undefined) },
    {
      what: 'is stopped',
      record: built(10, 10).with('stop', { ...second, stopped: { position: at(11), reason: 'it had to' } }),
    },
  ])('is refused for a generation that $what', ({ record }) => expect(record.refuses('promote', promotion)).toBe(true));

  it.each([
    { what: 'at the same position', record: built(10, 10) },
    { what: 'ahead', record: built(10, 11) },
    { what: 'at a position while the live one has none', record: built(undefined, 1) },
    { what: 'without a position, like the live one', record: built(undefined, undefined) },
  ])('replaces the live generation by one that is $what', ({ record }) => {
    const [, building] = record.checkpoints();
    expect(record.with('promote', promotion).checkpoints()).toEqual([{ ...building, state: 'live' }]);
  });

  it('does not wait for a live generation that is at a position of another log', () => {
    expect(built(10, 5).refuses('promote', { ...second, foreign: at(9) })).toBe(true);
    expect(built(10, 5).refuses('promote', { ...second, foreign: at(10) })).toBe(false);
  });

  it('keeps the generation that a newer version is building, with its checkpoint and its lease', () => {
    const promoted = built(10, 10).with('prepare', { shape: two, first: 1 }).at(3, 9, 'b').with('promote', promotion);
    expect(promoted.checkpoints()).toMatchObject([
      { number: 2, version: 1, state: 'live' },
      { number: 3, version: 2, state: 'building', position: at(9), heldBy: 'b' },
    ]);
  });

  it('drops every generation of an older version', () => {
    const record = built(10, 10).with('prepare', { shape: two, first: 1 }).at(3, 10);
    const promoted = record.with('promote', { ...promotion, number: 3 });
    expect(promoted.checkpoints()).toMatchObject([{ number: 3, version: 2, state: 'live' }]);
  });

  it('replaces a live generation of a newer version, so that an older version can be used again', () => {
    const record = prepared(two).at(1, 10).with('start', one).at(2, 10);
    expect(record.with('promote', promotion).checkpoints()).toMatchObject([{ number: 2, version: 1, state: 'live' }]);
  });
});
