import { describe, expect, it } from 'vitest';
import {
  abortable,
  DeadlinePassed,
  KeyedQueue,
  lastKnown,
  settlesWithin,
  withDeadline,
} from '../../src/infrastructure/async.js';

const never = new Promise<never>(() => {});
const failing = async () => {
  throw new Error('failed');
};

/** Returns a promise and the function that resolves it. */
const deferred = <T = void>() => {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
};

describe('a deadline', () => {
  it('rejects work that has not ended by then', () =>
    expect(withDeadline(never, 1)).rejects.toBeInstanceOf(DeadlinePassed));
  it('passes results and errors through', async () => {
    expect(await withDeadline(Promise.resolve(1), 60_000)).toBe(1);
    await expect(withDeadline(failing(), 60_000)).rejects.toThrow('failed');
  });
  it('counts a result that arrived while the process was busy', async () => {
    const { promise, resolve } = deferred<string>();
    const inTime = withDeadline(promise, 1);
    setImmediate(resolve, 'arrived');
    const until = performance.now() + 20;
    while (performance.now() < until);
    expect(await inTime).toBe('arrived');
  });
});

describe('work that may settle in time', () => {
  it('settles with a result or an error', async () => {
    expect(await settlesWithin(Promise.resolve(), 60_000)).toBe(true);
    expect(await settlesWithin(failing(), 60_000)).toBe(true);
  });
  it('does not settle in time after the deadline', async () => expect(await settlesWithin(never, 1)).toBe(false));
});

describe('the last known state', () => {
  const responding = <T>(...responses: readonly Promise<T>[]) => {
    const asked = { times: 0 };
    return { asked, ask: () => responses[Math.min(asked.times++, responses.length - 1)] as Promise<T> };
  };

  it('is the newest response, and the initial state before the first', async () => {
    const { promise, resolve } = deferred<string>();
    const state = lastKnown(responding(promise, never).ask, 'initial', { deadlineMs: 1 });
    expect(await state()).toBe('initial');
    resolve('late');
    await promise;
    expect(await state()).toBe('late');
  });

  it('waits for one response at a time, and not for a silent store', async () => {
    const { ask, asked } = responding(Promise.resolve('known'), never);
    const state = lastKnown(ask, 'initial', { deadlineMs: 1 });
    await state();
    expect(await Promise.all([state(), state(), state()])).toEqual(['known', 'known', 'known']);
    expect(asked.times).toBe(2);
  });

  it('is not asked for while it is fresh', async () => {
    const { ask, asked } = responding(Promise.resolve('known'));
    const state = lastKnown(ask, 'initial', { freshMs: 60_000 });
    expect([await state(), await state(), asked.times]).toEqual(['known', 'known', 1]);
  });

  it('rejects with an error that comes in time, and asks again', async () => {
    const state = lastKnown(responding(failing(), Promise.resolve('known')).ask, 'initial');
    await expect(state()).rejects.toThrow('failed');
    expect(await state()).toBe('known');
  });
});

describe('work that can be abandoned', () => {
  it('rejects with the reason of the signal, aborted before or meanwhile', async () => {
    const reason = new Error('nobody waits');
    await expect(abortable(never, AbortSignal.abort(reason))).rejects.toBe(reason);
    const later = new AbortController();
    const abandoned = abortable(never, later.signal);
    later.abort(reason);
    await expect(abandoned).rejects.toBe(reason);
  });
  it('settles with its own result or error otherwise', async () => {
    expect(await abortable(Promise.resolve(1), new AbortController().signal)).toBe(1);
    await expect(abortable(failing(), new AbortController().signal)).rejects.toThrow('failed');
  });
  it('may fail later without an unhandled rejection', async () => {
    const { promise, resolve } = deferred();
    const failsLater = promise.then(failing);
    await expect(abortable(failsLater, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    resolve();
    await expect(failsLater).rejects.toThrow('failed');
  });
});

describe('a keyed queue', () => {
  it('runs tasks of one key in the order of their calls, one at a time', async () => {
    const queue = new KeyedQueue();
    const steps: string[] = [];
    const first = deferred();
    const results = [
      queue.run('a', async () => {
        steps.push('first begins');
        await first.promise;
        steps.push('first ends');
        return 1;
      }),
      queue.run('a', async () => {
        steps.push('second');
        return 2;
      }),
    ];
    expect(await queue.run('b', async () => 3)).toBe(3);
    expect(steps).toEqual(['first begins']);
    first.resolve();
    expect(await Promise.all(results)).toEqual([1, 2]);
    expect(steps).toEqual(['first begins', 'first ends', 'second']);
  });

  it('passes the error of a failed task to the next task', async () => {
    const queue = new KeyedQueue();
    const failed = queue.run('a', failing);
    const second = queue.run('a', async (failure) => failure);
    const next = queue.run('a', async (failure) => failure);
    await expect(failed).rejects.toThrow('failed');
    expect(await second).toMatchObject({ message: 'failed' });
    expect(await next).toBeUndefined();
  });

  it('counts the tasks of a key that run or wait, and forgets those that ended', async () => {
    const queue = new KeyedQueue();
    const { promise, resolve } = deferred();
    const both = [queue.run('a', () => promise), queue.run('a', failing)];
    expect([queue.length('a'), queue.length('b')]).toEqual([2, 0]);
    resolve();
    await Promise.allSettled(both);
    expect(queue.length('a')).toBe(0);
  });

  it('has ended when every task of every key has ended, including failed tasks', async () => {
    const queue = new KeyedQueue();
    const { promise, resolve } = deferred();
    const ended: string[] = [];
    const tasks = [queue.run('a', failing), queue.run('b', () => promise), queue.run('b', async () => ended.push('b'))];
    const all = queue.ended().then(() => ended.push('all'));
    resolve();
    await Promise.allSettled([...tasks, all]);
    expect(ended).toEqual(['b', 'all']);
    await queue.ended();
  });
});
