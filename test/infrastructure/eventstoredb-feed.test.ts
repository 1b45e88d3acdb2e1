import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { toPosition } from '../../src/infrastructure/facts/eventstoredb-events.js';
import { Feed } from '../../src/infrastructure/facts/eventstoredb-feed.js';
import { dataOf } from './facts-harness.js';

/** A subscription of the client with buffered events. */
class Buffered extends Readable {
  unsubscribed = 0;

  constructor() {
    super({ objectMode: true });
  }

  override _read(): void {}

  async unsubscribe(): Promise<void> {
    this.unsubscribed += 1;
  }

  give(...places: readonly number[]): void {
    for (const n of places) this.push({ event: event(n) });
  }
}

const place = (n: number) => ({ commit: BigInt(n), prepare: BigInt(n) });
const event = (n: number) => ({
  ...{ streamId: 'a-1', id: randomUUID(), revision: BigInt(n), type: 'Happened', data: n, created: new Date(0) },
  position: place(n),
});
const newFeed = () => {
  const source = new Buffered();
  return { source, feed: new Feed(source, () => undefined) };
};

describe('a feed', () => {
  it('reports a checkpoint only after the events that arrived before it', () => {
    const { source, feed } = newFeed();
    source.give(1, 2, 3);
    feed.checkpoint(place(9));
    const first = feed.take(2);
    expect([dataOf(first.events), first.examined, first.isAll]).toEqual([[1, 2], toPosition(place(2)), false]);
    const rest = feed.take(2);
    expect([dataOf(rest.events), rest.examined, rest.isAll]).toEqual([[3], toPosition(place(9)), true]);
    source.give(10);
    expect(feed.take(2).examined).toBe(toPosition(place(10)));
  });

  it('has caught up or is dropped only after the events that arrived before', () => {
    const { source, feed } = newFeed();
    const error = new Error('dropped');
    source.give(1, 2, 3);
    source.emit('caughtUp');
    source.emit('error', error);
    feed.take(2);
    expect([feed.isCaughtUp, feed.dropped]).toEqual([false, undefined]);
    feed.take(2);
    expect([feed.isCaughtUp, feed.dropped]).toEqual([true, error]);
  });

  it("skips the server's own events", () => {
    const { source, feed } = newFeed();
    source.push({ event: { ...event(1), type: '$>' } });
    source.push({});
    expect(feed.take(5)).toEqual({ events: [], examined: toPosition(place(1)), isAll: true });
  });

  it('ends its call once, and ignores later errors', () => {
    const { source, feed } = newFeed();
    feed.close();
    source.emit('error', new Error('too late'));
    expect([source.unsubscribed, source.destroyed]).toEqual([1, true]);
  });

  it('says which server version it needs if events have no position', () => {
    const { source, feed } = newFeed();
    source.push({ event: { ...event(1), position: undefined } });
    expect(() => feed.take(1)).toThrow(/22\.6/);
  });
});
