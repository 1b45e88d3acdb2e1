// The rules by which a process refuses requests, with an event loop and a clock that the test controls.
import { describe, expect, it } from 'vitest';
import { Load } from '../../../src/http/server/overload.js';

const BOUNDS = { maxRequests: 1_000, minRequests: 10, waitS: 0.5 };

/** Returns a load whose event loop is as busy as the test wants. */
const loadOf = () => {
  const loop = { at: 0, active: 0 };
  const endings: (() => void)[] = [];
  const endTurn = () => {
    for (const end of endings.splice(0)) end();
  };
  const utilization = (since = { idle: 0, active: 0, utilization: 0 }) => {
    const active = loop.active - since.active;
    const idle = loop.at - loop.active - since.idle;
    return { active, idle, utilization: active / Math.max(1, active + idle) };
  };
  const load = new Load(BOUNDS, { now: () => loop.at, atEndOfTurn: (end) => endings.push(end), utilization });
  const begin = (count: number) => {
    for (let n = 0; n < count; n += 1) load.begin();
  };
  /** Begins and ends `count` requests of `ms` milliseconds each in this turn of the event loop. */
  const answer = (count: number, ms: number) => {
    for (let n = 0; n < count; n += 1) {
      load.isFull();
      load.begin();
      load.end();
      loop.at += ms;
      loop.active += ms;
    }
  };
  /** Advances the clock. Meanwhile `ended` requests end. */
  const pass = (ms: number, { busy, ended = 0 }: { busy: boolean; ended?: number }) => {
    for (let n = 0; n < ended; n += 1) load.end();
    loop.at += ms;
    loop.active += busy ? ms : 0;
    endTurn();
    load.isFull();
    endTurn();
  };
  return { load, begin, answer, pass, endTurn };
};

describe('a process with an idle event loop', () => {
  it('accepts as many requests at once as it has room for, no matter how slow they are', () => {
    const { load, begin, pass } = loadOf();
    begin(999);
    pass(10_000, { busy: false });
    expect(load.isFull()).toBe(false);
    begin(1);
    expect(load.isFull()).toBe(true);
    load.end();
    expect(load.isFull()).toBe(false);
  });
});

describe('a process with a busy event loop', () => {
  it('accepts as many requests as it can answer in half a second', () => {
    const { load, begin, pass } = loadOf();
    begin(200);
    pass(1_000, { busy: true, ended: 100 });
    // 100 a second: 50 may be under way, and 100 are.
    expect(load.isFull()).toBe(true);
    pass(1_000, { busy: true, ended: 70 });
    expect(load.isFull()).toBe(false);
  });

  it('always accepts a few requests, so that a slow machine does not refuse all of them', () => {
    const { load, begin, pass } = loadOf();
    begin(9);
    pass(60_000, { busy: true });
    expect(load.isFull()).toBe(false);
    begin(1);
    expect(load.isFull()).toBe(true);
  });

  it('accepts no more than an idle process', () => {
    const { load, begin, pass } = loadOf();
    begin(10_000);
    pass(1_000, { busy: true, ended: 9_000 });
    expect(load.isFull()).toBe(true);
  });

  it('does not refuse requests because of one interval in which few ended', () => {
    const { load, begin, pass } = loadOf();
    begin(1_200);
    pass(100, { busy: true, ended: 100 });
    pass(100, { busy: true, ended: 900 });
    begin(100);
    pass(100, { busy: true });
    expect(load.isFull()).toBe(false);
  });

  it('accepts all requests again as soon as it is idle', () => {
    const { load, begin, pass } = loadOf();
    begin(100);
    pass(1_000, { busy: true, ended: 10 });
    expect(load.isFull()).toBe(true);
    pass(100, { busy: false });
    expect(load.isFull()).toBe(false);
  });
});

describe('a turn of the event loop', () => {
  it('refuses the requests that it reads late, after many others', () => {
    const { load, answer } = loadOf();
    answer(100, 5);
    expect(load.isFull()).toBe(false);
    answer(1, 5);
    expect(load.isFull()).toBe(true);
  });

  it('refuses nothing after only a few requests, no matter how slow they are', () => {
    const { load, answer } = loadOf();
    answer(9, 10_000);
    expect(load.isFull()).toBe(false);
  });

  it('does not affect the next turn', () => {
    const { load, answer, endTurn } = loadOf();
    answer(101, 5);
    expect(load.isFull()).toBe(true);
    endTurn();
    expect(load.isFull()).toBe(false);
  });
});
