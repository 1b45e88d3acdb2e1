import { describe, expect, it } from 'vitest';
import { endOfTurn, type Reads, sharedReads } from '../../../src/http/route/turn.js';

/** Returns shared reads of a store, and the ids that the store was asked for. Each read waits for `until`. */
const storeThatWaits = (until: Promise<void> = Promise.resolve()) => {
  const asked: string[] = [];
  const get = async (collection: string, id: string) => {
    asked.push(`${collection}/${id}`);
    const revision = asked.length;
    await until;
    if (id === 'broken') throw new Error('the store is unavailable');
    return { id, body: '{}', revision, position: '0000000000000001' };
  };
  return { asked, reads: sharedReads({ get } as unknown as Reads) };
};

describe('the end of a turn', () => {
  it('comes after the microtasks of all that wait for it have been queued, once for all of them', async () => {
    const order: string[] = [];
    const first = endOfTurn().then(() => order.push('first'));
    await Promise.resolve();
    order.push('arrived later in the turn');
    const second = endOfTurn().then(() => order.push('second'));
    await Promise.all([first, second]);
    expect(order).toEqual(['arrived later in the turn', 'first', 'second']);
  });

  it('is not awaited by more than 64 requests, so that their work counts as work of the turn', async () => {
    let isTurnOver = false;
    setImmediate(() => {
      isTurnOver = true;
    });
    await Promise.all(Array.from({ length: 64 }, endOfTurn));
    expect(isTurnOver).toBe(false);
    await endOfTurn();
    expect(isTurnOver).toBe(true);
  });
});

describe('reads of the views', () => {
  it('run once for all equal reads that are called together', async () => {
    const { asked, reads } = storeThatWaits();
    const documents = await Promise.all([reads.get('users', 'a'), reads.get('users', 'a'), reads.get('users', 'b')]);
    expect(asked).toEqual(['users/a', 'users/b']);
    expect(documents.map((document) => document?.revision)).toEqual([1, 1, 2]);
  });

  it('run again for a call that comes after the read has begun, even if that read has not ended', async () => {
    let answer: () => void = () => {};
    const { asked, reads } = storeThatWaits(
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    const before = reads.get('users', 'a');
    await Promise.resolve();
    expect(asked).toEqual(['users/a']);
    const after = reads.get('users', 'a');
    await Promise.resolve();
    answer();
    expect((await before)?.revision).toBe(1);
    expect((await after)?.revision).toBe(2);
  });

  it('reject for each caller, and are tried again by the next', async () => {
    const { asked, reads } = storeThatWaits();
    const all = await Promise.allSettled([reads.get('users', 'broken'), reads.get('users', 'broken')]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(reads.get('users', 'broken')).rejects.toThrow('the store is unavailable');
    expect(asked).toHaveLength(2);
  });

  it('of every kind run once for equal calls, and never for a call of another kind', async () => {
    const calls: readonly (readonly [keyof Reads, ...unknown[]])[] = [
      ['get', 'users', 'a'],
      ['getAll', 'users', ['a']],
      ['getPart', { id: 'a' }, { id: 'b' }],
      ['list', { limit: 1 }],
      ['count', { limit: 1 }],
    ];
    type Read = (...words: readonly unknown[]) => Promise<string>;
    const asked: unknown[] = [];
    const readOf =
      (name: string) =>
      async (...words: readonly unknown[]) => {
        asked.push([name, ...words]);
        return name;
      };
    const store = Object.fromEntries(calls.map(([name]) => [name, readOf(name)])) as unknown as Reads;
    const reads = sharedReads(store) as unknown as Readonly<Record<keyof Reads, Read>>;
    const results = await Promise.all([...calls, ...calls].map(([name, ...words]) => reads[name](...words)));
    expect(results).toEqual([...calls, ...calls].map(([name]) => name));
    expect(asked).toEqual(calls);
  });
});
