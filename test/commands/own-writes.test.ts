import { describe, expect, it } from 'vitest';
import { MAX_STREAMS, OwnWrites } from '../../src/commands/own-writes.js';
import { at } from '../infrastructure/views/support/harness.js';

describe('the last writes of this process', () => {
  it('are known until every read model of their aggregate has folded them', () => {
    const folded = new Map([
      ['protocol', at(0)],
      ['user', at(0)],
    ]);
    const writes = new OwnWrites((aggregate, position) => (folded.get(aggregate) ?? '') >= position);
    writes.note('protocol-1', at(1));
    writes.note('protocol-2', at(2));
    writes.note('user-1', at(3));
    writes.note('protocol-1', at(4));
    folded.set('protocol', at(2));
    writes.note('protocol-3', at(5));
    // The first write to protocol-1 is folded, but the last one is not.
    expect(['protocol-1', 'protocol-2', 'protocol-3', 'user-1'].map((stream) => writes.of(stream))).toEqual([
      at(4),
      undefined,
      at(5),
      at(3),
    ]);
    folded.set('protocol', at(9)).set('user', at(9));
    writes.note('user-2', at(10));
    expect(['protocol-1', 'protocol-3', 'user-1', 'user-2'].map((stream) => writes.of(stream))).toEqual([
      undefined,
      undefined,
      undefined,
      at(10),
    ]);
  });

  it('keep their order when they are read', () => {
    let folded = at(0);
    const writes = new OwnWrites((_, position) => folded >= position);
    writes.note('user-1', at(1));
    writes.note('user-2', at(2));
    writes.of('user-1');
    folded = at(1);
    writes.note('user-3', at(3));
    expect([writes.of('user-1'), writes.of('user-2')]).toEqual([undefined, at(2)]);
  });

  it('are not replaced by the older write of a retried command', () => {
    const writes = new OwnWrites(() => false);
    writes.note('user-1', at(2));
    writes.note('user-1', at(1));
    expect(writes.of('user-1')).toBe(at(2));
  });

  it('are not noted if they are folded already, or no read model folds them', () => {
    const writes = new OwnWrites(() => true);
    writes.note('user-1', at(1));
    expect(writes.of('user-1')).toBeUndefined();
  });

  it('are forgotten a few at a time', () => {
    let folded = at(0);
    const writes = new OwnWrites((_, position) => folded >= position);
    const streams = Array.from({ length: 10 }, (_, index) => `user-${index}`);
    for (const [index, stream] of streams.entries()) writes.note(stream, at(index + 1));
    const known = () => streams.filter((stream) => writes.of(stream) !== undefined).length;
    folded = at(10);
    const left = [known()];
    for (const next of [11, 12, 13]) {
      writes.note('user-next', at(next));
      left.push(known());
    }
    expect(left).toEqual([10, 6, 2, 0]);
  });

  it('lose the oldest if the read models stay behind', () => {
    const writes = new OwnWrites(() => false);
    for (let count = 0; count <= MAX_STREAMS; count += 1) writes.note(`user-${count}`, at(count));
    expect([writes.of('user-0'), writes.of('user-1')]).toEqual([undefined, at(1)]);
  });
});
