// Who may read for long, in which order, and for how long each has a place.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Walker, Walks, WalksBusy } from '../../src/commands/walks.js';
import { eventually } from '../support/eventually.js';

const doctor = (caller: string): Walker => ({ caller, isOverseer: false });
const auditor = (caller: string): Walker => ({ caller, isOverseer: true });

/** Returns walks whose pages wait until they are released, and the pages that are at work, by the name of their walk. */
const steered = (walks = new Walks()) => {
  const held: { readonly name: string; readonly release: () => void }[] = [];
  const taken: string[] = [];
  const walk = async (name: string, walker: Walker, pages = 1) => {
    const work = async function* () {
      for (let page = 0; page < pages; page += 1) {
        await new Promise<void>((release) => held.push({ name, release }));
        yield page;
      }
    };
    for await (const _ of walks.pages(walker, work())) taken.push(name);
  };
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  };
  /** Releases the pages at work. Returns the names of their walks. */
  const step = async () => {
    await settle();
    const names = held.map(({ name }) => name);
    for (const { release } of held.splice(0)) release();
    await settle();
    return names;
  };
  return { walk, step, taken, atWork: () => held.map(({ name }) => name), settle };
};

describe('long reads', () => {
  it('work two at a time, and one more of an overseer', async () => {
    const { walk, step } = steered();
    const all = [
      walk('1', doctor('a')),
      walk('2', doctor('b')),
      walk('3', doctor('c')),
      walk('4', auditor('d')),
      walk('5', auditor('e')),
    ];
    expect(await step()).toEqual(['1', '2', '4']);
    expect(await step()).toEqual(['3', '5']);
    await Promise.all(all);
  });

  it('have their turns by caller, however many a caller has', async () => {
    const { walk, step } = steered();
    const many = Array.from({ length: 6 }, (_, n) => walk(`many ${n}`, doctor('many')));
    const few = walk('few', doctor('few'), 2);
    expect(await step()).toEqual(['many 0', 'few']);
    expect((await step()).sort()).toEqual(['few', 'many 1']);
    for (const name of ['many 2', 'many 3', 'many 4', 'many 5']) expect(await step()).toEqual([name]);
    await Promise.all([...many, few]);
  });

  it('give their place back after each page, and hold none while their reader takes it', async () => {
    const walks = new Walks();
    const { walk, step } = steered(walks);
    let pages = 0;
    const slow = walks.pages(
      doctor('slow'),
      (async function* () {
        for (; pages < 3; pages += 1) yield pages;
      })(),
    );
    await slow.next();
    await slow.next();
    const others = [walk('1', doctor('a')), walk('2', doctor('b'))];
    expect(await step()).toEqual(['1', '2']);
    await Promise.all(others);
    await slow.return(undefined);
  });

  it('are refused if they wait too long to begin, and not if they wait later', async () => {
    const { walk, step, taken, atWork } = steered(new Walks(30));
    const running = [walk('long', doctor('a'), 2), walk('held', doctor('b'))];
    await expect(walk('late', doctor('c'))).rejects.toBeInstanceOf(WalksBusy);
    await eventually(() => expect(atWork()).toEqual(['long', 'held']));
    expect(await step()).toEqual(['long', 'held']);
    const next = walk('next', doctor('c'));
    expect(await step()).toEqual(['long', 'next']);
    await Promise.all([...running, next]);
    expect(taken).toEqual(['long', 'held', 'long', 'next']);
  });

  it('of a request that has begun wait without a limit, whatever they read next', async () => {
    const walks = new Walks(30);
    const { walk, step, settle, atWork } = steered(walks);
    const request = doctor('a');
    const first = walk('first', request);
    await step();
    await first;
    const others = [walk('1', doctor('b')), walk('2', doctor('c'))];
    await settle();
    const second = walk('second', request);
    await expect(walk('late', doctor('d'))).rejects.toBeInstanceOf(WalksBusy);
    expect(atWork()).toEqual(['1', '2']);
    expect(await step()).toEqual(['1', '2']);
    expect(await step()).toEqual(['second']);
    await Promise.all([...others, second]);
  });

  it.each([
    ['fail', async () => Promise.reject(new Error('the store is unavailable'))],
    ['are left by their reader', async () => undefined],
  ])('that %s leave their place and close what they read', async (_, after) => {
    const walks = new Walks();
    let closed = 0;
    const read = async () => {
      const pages = async function* () {
        try {
          yield 1;
          await after();
          yield 2;
        } finally {
          closed += 1;
        }
      };
      for await (const page of walks.pages(doctor('a'), pages())) if (page === 2) return;
    };
    await Promise.allSettled(Array.from({ length: 5 }, read));
    expect(closed).toBe(5);
    const { walk, step } = steered(walks);
    const all = [walk('1', doctor('a')), walk('2', doctor('b'))];
    expect(await step()).toEqual(['1', '2']);
    await Promise.all(all);
  });
});
