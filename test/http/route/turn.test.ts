import { describe, expect, it } from 'vitest';
import { type Reads, sharedReads } from '../../../src/http/route/turn.js';

/** Returns shared reads of a store, the ids that the store was asked for, and what tells one run of pieces from another. */
const storeThatWaits = () => {
  const work: { run: object | undefined; goOn: () => undefined } = { run: {}, goOn: () => undefined };
  const asked: string[] = [];
  const get = async (collection: string, id: string) => {
    asked.push(`${collection}/${id}`);
    const revision = asked.length;
    await undefined;
    if (id === 'broken') throw new Error('the store is unavailable');
    return { id, body: '{}', revision, position: '0000000000000001' };
  };
  return { asked, work, reads: sharedReads({ get } as unknown as Reads, work) };
};

describe('reads of the views', () => {
  it('run once for all equal reads of the pieces of work that follow each other', async () => {
    const { asked, reads } = storeThatWaits();
    const first = await reads.get('users', 'a');
    const others = await Promise.all([reads.get('users', 'a'), reads.get('users', 'b')]);
    expect(asked).toEqual(['users/a', 'users/b']);
    expect([first, ...others].map((document) => document?.revision)).toEqual([1, 1, 2]);
  });

  it('run again when something else had a turn in between, even if the first has not ended', async () => {
    const { asked, work, reads } = storeThatWaits();
    const before = reads.get('users', 'a');
    work.run = {};
    const after = reads.get('users', 'a');
    expect(asked).toEqual(['users/a', 'users/a']);
    expect([(await before)?.revision, (await after)?.revision]).toEqual([1, 2]);
  });

  it('are not shared outside of pieces of work', async () => {
    const { asked, work, reads } = storeThatWaits();
    work.run = undefined;
    await Promise.all([reads.get('users', 'a'), reads.get('users', 'a')]);
    expect(asked).toHaveLength(2);
  });

  it('reject for each caller, and are tried again by the next', async () => {
    const { asked, work, reads } = storeThatWaits();
    const all = await Promise.allSettled([reads.get('users', 'broken'), reads.get('users', 'broken')]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    work.run = {};
    await expect(reads.get('users', 'broken')).rejects.toThrow('the store is unavailable');
    expect(asked).toHaveLength(2);
  });

  it('after different revisions of another document run each', async () => {
    const { asked, reads } = storeThatWaits();
    await Promise.all([undefined, 1, 1, 2].map((after) => reads.get('forms', 'a', after)));
    expect(asked).toHaveLength(3);
  });

  it('of every kind run once for equal calls, and never for a call of another kind', async () => {
    const calls: readonly (readonly [keyof Reads, ...unknown[]])[] = [
      ['get', 'users', 'a'],
      ['getAll', 'users', ['a']],
      ['list', { limit: 1 }],
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
    const reads = sharedReads(store, { run: {}, goOn: () => undefined }) as unknown as Readonly<
      Record<keyof Reads, Read>
    >;
    const results = await Promise.all([...calls, ...calls].map(([name, ...words]) => reads[name](...words)));
    expect(results).toEqual([...calls, ...calls].map(([name]) => name));
    expect(asked).toEqual(calls);
  });
});
