// When work may begin, with an event loop and a clock that the test controls, and with those of Node.js.
import { describe, expect, it } from 'vitest';
import { Overloaded, Pace, WorkKind } from '../../src/infrastructure/pace.js';
import { expectTurns } from '../support/event-loop.js';

/** Returns a pace, and what begins. Each piece takes the milliseconds of its name. */
const paced = () => {
  const loop = { at: 0, turns: [] as (() => void)[], ticks: [] as (() => void)[] };
  const pace = new Pace({
    now: () => loop.at,
    nextTurn: (callback) => loop.turns.push(callback),
    afterPromises: (callback) => loop.ticks.push(callback),
  });
  const begun: string[] = [];
  const kinds = new Map<string, WorkKind>();
  const kindOf = (name: string) => {
    const kind = kinds.get(name) ?? new WorkKind();
    kinds.set(name, kind);
    return kind;
  };
  const busy = (name: string) => () => {
    begun.push(name);
    loop.at += Number.parseFloat(name);
  };
  const refused = (error: unknown) => {
    begun.push(error instanceof Overloaded ? 'refused' : 'failed');
  };
  /** Lets new work wait to begin. */
  const begin = (name: string, count = 1) => {
    const works = Array.from({ length: count }, () => ({ kind: kindOf(name), tookMs: 0 }));
    for (const work of works) void pace.begin(work)?.then(busy(name), refused);
    return works;
  };
  /** Runs a turn of the event loop. Returns what began in it. */
  const turn = async () => {
    begun.length = 0;
    for (const callback of loop.turns.splice(0)) callback();
    for (let idle = 0; idle < 10; idle += 1) {
      await Promise.resolve();
      if (loop.ticks.length > 0) idle = 0;
      loop.ticks.shift()?.();
    }
    return [...begun];
  };
  const goOn = (name: string) => void pace.goOn()?.then(busy(name));
  return { pace, loop, begin, goOn, turn, kindOf };
};

describe('a turn of the event loop', () => {
  it('gathers what arrives before its end, and lets it begin in order', async () => {
    const { begin, turn } = paced();
    begin('1');
    begin('2');
    expect(await turn()).toEqual(['1', '2']);
    expect(await turn()).toEqual([]);
  });

  it.each([
    ['new work', 'begin'],
    ['work that has begun', 'goOn'],
  ] as const)('lets no further %s go on after 20 ms', async (_, way) => {
    const given = paced();
    for (const name of ['5', '19', '1', '30', '2']) given[way](name);
    expect(await given.turn()).toEqual(['5', '19']);
    expect(await given.turn()).toEqual(['1', '30']);
    expect(await given.turn()).toEqual(['2']);
  });

  it('lets work that has begun go on at once, but not after 20 ms', async () => {
    const { pace, loop, begin, turn } = paced();
    const seen: (Promise<void> | undefined)[] = [];
    const [work] = begin('19');
    begin('2');
    const inPieces = () => seen.push(pace.goOn(work));
    void pace.goOn()?.then(inPieces);
    await turn();
    expect(seen).toEqual([]);
    await turn();
    expect(seen).toEqual([undefined]);
    void pace.goOn()?.then(() => {
      loop.at += 20;
      inPieces();
    });
    await turn();
    expect(seen[1]).toBeInstanceOf(Promise);
  });

  it('has one run for the pieces that follow each other, and none outside of them', async () => {
    const { pace, begin, goOn, turn } = paced();
    const runs: (object | undefined)[] = [pace.run];
    const note = () => runs.push(pace.run);
    for (const _ of [1, 2]) void pace.goOn()?.then(note);
    begin('25');
    void pace.goOn()?.then(note);
    await turn();
    await turn();
    goOn('1');
    expect(runs[0]).toBeUndefined();
    expect(runs[1]).toBeDefined();
    expect([runs[2] === runs[1], runs[3] === runs[1], pace.run]).toEqual([true, false, undefined]);
  });
});

describe('work', () => {
  it('goes on together with other work if all of it fits into the turn by the longest piece of its kind', async () => {
    const { pace, loop, begin, turn, kindOf } = paced();
    for (let times = 0; times < 200; times += 1) kindOf('1').took(0.1);
    const together: number[] = [];
    const note = () => together.push(loop.at);
    for (const work of Array.from({ length: 3 }, () => ({ kind: kindOf('1'), tookMs: 0 }))) {
      void pace.begin(work)?.then(note);
    }
    begin('7', 2);
    await turn();
    expect(together).toEqual([0, 0, 0]);
    expect(loop.at).toBe(14);
  });

  it('is noted in its kind when it has ended, with the piece in which it ends', async () => {
    const { pace, loop, turn, kindOf } = paced();
    const kind = kindOf('own');
    const work = { kind, tookMs: 0 };
    void pace.begin(work)?.then(() => {
      loop.at += 10;
      pace.end(work);
      loop.at += 5;
    });
    await turn();
    expect([work.tookMs, kind.meanMs]).toEqual([15, 3]);
    const later = { kind, tookMs: 0 };
    void pace.begin(later)?.then(() => {
      loop.at += 5;
    });
    await turn();
    expect(kind.meanMs).toBe(3);
    pace.end(later);
    expect(kind.meanMs).toBeCloseTo(3.4);
  });

  it('is measured, and its kind has a moving mean', async () => {
    const { begin, turn, kindOf } = paced();
    const [one, other] = [...begin('4'), ...begin('6')];
    await turn();
    expect([one?.tookMs, other?.tookMs]).toEqual([4, 6]);
    const kind = kindOf('4');
    for (let times = 0; times < 30; times += 1) kind.took(10);
    expect(kind.meanMs).toBeCloseTo(10, 1);
    kind.took(0);
    expect(kind.meanMs).toBeCloseTo(8, 1);
  });

  it('is refused in its turn if the work before it will take more than a second', async () => {
    const { begin, turn, kindOf } = paced();
    kindOf('20').meanMs = 20;
    begin('20', 64);
    begin('1');
    for (const _ of [1, 2]) expect(await turn()).toEqual(['20']);
    begin('2');
    for (let times = 0; times < 62; times += 1) expect(await turn()).toEqual(['20']);
    expect(await turn()).toEqual(['refused', '2']);
  });

  it('of up to 64 pieces is not refused, however long they will take', async () => {
    const { begin, turn, kindOf } = paced();
    kindOf('40').meanMs = 1_000;
    begin('40', 64);
    for (let times = 0; times < 64; times += 1) expect(await turn()).toEqual(['40']);
  });

  it('is refused if it has waited for five seconds, even if nobody expected that', async () => {
    const { begin, goOn, turn } = paced();
    begin('4900');
    begin('200');
    begin('1');
    goOn('2');
    expect(await turn()).toEqual(['4900']);
    expect(await turn()).toEqual(['200']);
    expect(await turn()).toEqual(['refused', '2']);
  });
});

it('many pieces that arrive together leave the event loop to others', async () => {
  const pace = new Pace();
  const piece = async () => {
    await pace.begin({ kind: new WorkKind(), tookMs: 0 });
    for (let half = 0; half < 2; half += 1) {
      for (const end = performance.now() + 4; performance.now() < end; );
      await Promise.resolve();
      await pace.goOn();
    }
  };
  await expectTurns(() => Promise.all(Array.from({ length: 60 }, piece)));
});
