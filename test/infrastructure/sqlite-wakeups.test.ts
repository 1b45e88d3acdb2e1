import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Bell } from '../../src/infrastructure/bell.js';
import { Wakeups } from '../../src/infrastructure/facts/sqlite-wakeups.js';

const LONG_MS = 10_000;

describe('the subscribers of a log on SQLite', () => {
  let version = 1;
  let wakeups: Wakeups;

  beforeEach(() => {
    vi.useFakeTimers();
    version = 1;
    wakeups = new Wakeups(() => version);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Returns for each bell whether it rang since it was last heard. */
  const rang = (...bells: readonly Bell[]): Promise<boolean[]> =>
    Promise.all(
      bells.map((bell) => {
        const heard = bell.wait().then(() => true);
        const silence = Promise.resolve()
          .then(() => Promise.resolve())
          .then(() => false);
        const first = Promise.race([heard, silence]);
        // Every bell is rung afterwards, so that no promise keeps waiting.
        return first.finally(() => bell.ring());
      }),
    );

  it('are woken by an append of this process only if they read its aggregate', async () => {
    const [one, other, both] = [wakeups.add(['one']), wakeups.add(['other']), wakeups.add(['one', 'other'])];
    wakeups.appended('one-1-2-3');
    vi.advanceTimersByTime(0);
    expect(await rang(one, other, both)).toEqual([true, false, true]);
  });

  it('are woken in the same turn, but after all promises that follow from the append', async () => {
    const one = wakeups.add(['one']);
    const order: string[] = [];
    void one.wait().then(() => order.push('projection'));
    wakeups.appended('one-1-2-3');
    for (let step = 0; step < 50; step += 1) await Promise.resolve();
    order.push('response');
    vi.advanceTimersByTime(0);
    await Promise.resolve().then(() => Promise.resolve());
    expect(order).toEqual(['response', 'projection']);
  });

  it('are all woken by the check after a commit', async () => {
    const [one, other] = [wakeups.add(['one']), wakeups.add(['other'])];
    version += 1;
    vi.advanceTimersByTime(LONG_MS);
    expect(await rang(one, other)).toEqual([true, true]);
  });

  it('keep waiting if nothing was committed', async () => {
    const one = wakeups.add(['one']);
    vi.advanceTimersByTime(LONG_MS);
    expect(await rang(one)).toEqual([false]);
  });

  it('miss no commit after they are added, whenever the previous check was', async () => {
    const first = wakeups.add(['one']);
    vi.advanceTimersByTime(LONG_MS);
    version += 1;
    const second = wakeups.add(['two']);
    version += 1;
    vi.advanceTimersByTime(LONG_MS);
    expect(await rang(first, second)).toEqual([true, true]);
  });

  it('miss no commit after a first subscriber is added again', async () => {
    wakeups.remove(wakeups.add(['one']));
    version += 1;
    const again = wakeups.add(['one']);
    version += 1;
    vi.advanceTimersByTime(LONG_MS);
    expect(await rang(again)).toEqual([true]);
  });

  it('leave no timer once all of them are removed', () => {
    const bells = [wakeups.add(['one']), wakeups.add(['two'])];
    expect(vi.getTimerCount()).toBe(1);
    for (const bell of bells) wakeups.remove(bell);
    expect(vi.getTimerCount()).toBe(0);
  });
});
