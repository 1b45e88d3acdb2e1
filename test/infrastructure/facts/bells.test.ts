import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Bells } from '../../../src/infrastructure/facts/bells.js';
import { eventually } from '../../support/eventually.js';

describe('the bells of subscriptions', () => {
  let rings: string[];
  const ring = (name: string) => () => void rings.push(name);
  const signal = new AbortController().signal;

  beforeEach(() => {
    rings = [];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => void vi.useRealTimers());

  it('ring once for the appends of a turn, and only for their aggregates', async () => {
    const bells = new Bells();
    bells.add(['user'], ring('users'), signal);
    bells.add(['protocol', 'user'], ring('both'), signal);
    bells.add(['specialty'], ring('specialties'), signal);
    bells.appended('user-1');
    bells.appended('user-2');
    await nextTurn();
    expect(rings).toEqual(['users', 'both']);
    bells.appended('protocol-1');
    await nextTurn();
    expect(rings).toEqual(['users', 'both', 'both']);
    expect(bells.aggregates).toEqual(['user', 'protocol', 'specialty']);
  });

  it('ring at once after a pause, and then not before the next pause has ended', async () => {
    const bells = new Bells({ pauseMs: 10 });
    bells.add(['user'], ring('users'), signal);
    bells.appended('user-1');
    await nextTurn();
    expect(rings).toHaveLength(1);
    bells.appended('user-2');
    await vi.advanceTimersByTimeAsync(9);
    bells.appended('user-3');
    expect(rings).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(rings).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(10);
    bells.appended('user-4');
    await nextTurn();
    expect(rings).toHaveLength(3);
  });

  it('ring no more after an abort', async () => {
    const bells = new Bells();
    const abort = new AbortController();
    bells.add(['user'], ring('users'), abort.signal);
    bells.add(['user'], ring('late'), AbortSignal.abort());
    abort.abort();
    bells.appended('user-1');
    bells.ringAll();
    await nextTurn();
    expect([rings, bells.aggregates]).toEqual([[], []]);
  });

  it('ring all together, whatever was appended', () => {
    const bells = new Bells();
    bells.add(['user'], ring('users'), signal);
    bells.add(['protocol'], ring('protocols'), signal);
    bells.ringAll();
    expect(rings).toEqual(['users', 'protocols']);
  });

  it('ring for appends through other bells of the same file, until they are closed', async () => {
    vi.useRealTimers();
    const [appending, listening] = ['appending', 'listening'].map((name) => {
      const bells = new Bells({ file: 'bells/shared' });
      onTestFinished(() => bells.close());
      bells.add(['user'], ring(name), signal);
      return bells;
    });
    appending?.appended('user-1');
    listening?.appended('protocol-1');
    await eventually(() => expect(rings).toEqual(['appending', 'listening']));
    listening?.close();
    appending?.appended('user-2');
    await eventually(() => expect(rings).toEqual(['appending', 'listening', 'appending']));
    appending?.close();
    appending?.appended('user-3');
    await nextTurn();
    expect(rings).toHaveLength(3);
  });
});
