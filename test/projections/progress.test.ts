import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Facts, LogPage } from '../../src/infrastructure/facts/facts.js';
import type { Checkpoint, Views } from '../../src/infrastructure/views/views.js';
import { allProjections } from '../../src/projections/all.js';
import { Progress } from '../../src/projections/progress.js';
import { at } from '../infrastructure/views/support/harness.js';
import { eventually } from '../support/eventually.js';

const HOUR_MS = 3_600_000;

/** Views that support only reading the checkpoints. */
const viewsWith = (...checkpoints: Partial<Checkpoint>[]) => {
  const stored = checkpoints.map((each) => ({ projection: 'one', state: 'live', ...each }));
  const views: Pick<Views, 'checkpoints'> = { checkpoints: async () => stored as Checkpoint[] };
  return { views, stored };
};

describe('progress', () => {
  it('knows immediately what this process folded itself', async () => {
    const progress = new Progress({
      checkpoints: () => Promise.reject(new Error('no checkpoints are needed')),
    });
    progress.advanced('one', at(5));
    expect(await progress.reached('one', at(5), 0)).toBe(true);
    expect(await progress.reached('one', at(4), 0)).toBe(true);
    expect(progress.known('one')).toBe(at(5));
  });

  it('never goes back', () => {
    const progress = new Progress(viewsWith().views);
    progress.advanced('one', at(5));
    progress.advanced('one', at(3));
    expect(progress.known('one')).toBe(at(5));
  });

  it('never goes back to a live generation that has folded nothing yet', async () => {
    const progress = new Progress(viewsWith({ position: undefined }).views);
    progress.advanced('one', at(5));
    expect(await progress.reached('one', at(6), 0)).toBe(false);
    expect(progress.known('one')).toBe(at(5));
  });

  it('knows each projection separately', async () => {
    const progress = new Progress(viewsWith().views);
    progress.advanced('one', at(5));
    expect(progress.known('two')).toBeUndefined();
    expect(await progress.reached('two', at(1), 0)).toBe(false);
  });

  it('knows when every read model of an aggregate has folded a position', () => {
    const progress = new Progress(viewsWith().views);
    const [first, ...others] = allProjections.filter(({ aggregates }) => aggregates.includes('user'));
    for (const { name } of others) progress.advanced(name, at(5));
    expect(progress.isFolded('user', at(5))).toBe(false);
    progress.advanced(String(first?.name), at(5));
    expect(progress.isFolded('user', at(5))).toBe(true);
    expect(progress.isFolded('user', at(6))).toBe(false);
    expect(progress.isFolded('an aggregate that no read model folds', at(6))).toBe(true);
  });

  it('wakes each waiting caller when its position is reached', async () => {
    const progress = new Progress(viewsWith().views);
    const woken: string[] = [];
    const waiting = [2, 1].map((n) => progress.reached('one', at(n), HOUR_MS).then(() => woken.push(at(n))));
    progress.advanced('one', at(1));
    await waiting[1];
    progress.advanced('two', at(9));
    expect(woken).toEqual([at(1)]);
    progress.advanced('one', at(2));
    await Promise.all(waiting);
    expect(woken).toEqual([at(1), at(2)]);
  });

  it('gives up after the given time', async () => {
    const progress = new Progress(viewsWith().views);
    expect(await progress.reached('one', at(1), 30)).toBe(false);
  });

  it('reads what other processes stored, before it gives up and while it waits', async () => {
    const { views, stored } = viewsWith({ position: at(3) });
    const progress = new Progress(views);
    expect(await progress.reached('one', at(3), 0)).toBe(true);
    const waiting = progress.reached('one', at(4), HOUR_MS);
    stored.splice(0, 1, { projection: 'one', state: 'live', position: at(4) });
    expect(await waiting).toBe(true);
  });

  it('reads the stores once for all callers that come while a read is in progress, and for all that wait', async () => {
    let reads = 0;
    let isHeld = true;
    let release = () => {};
    const checkpoints = async () => {
      reads += 1;
      if (isHeld) await new Promise<void>((resolve) => (release = resolve));
      return [];
    };
    const progress = new Progress({ checkpoints });
    const readers = () => Array.from({ length: 100 }, () => progress.reached('one', at(1), HOUR_MS));
    const waiting = readers();
    // Nothing is learned in the turn of a caller, which may share what others have read in it.
    for (let n = 0; n < 20; n += 1) await undefined;
    expect(reads).toBe(0);
    const turns = async () => {
      for (let n = 0; n < 2; n += 1) await new Promise(setImmediate);
    };
    await turns();
    waiting.push(...readers());
    await turns();
    expect(reads).toBe(1);
    isHeld = false;
    release();
    await turns();
    expect(reads).toBe(2);
    while (reads < 3) await new Promise(setImmediate);
    await new Promise(setImmediate);
    // A separate poll for each of the 200 callers would have read 200 times.
    expect(reads).toBeLessThan(100);
    progress.advanced('one', at(1));
    expect(await Promise.all(waiting)).not.toContain(false);
  });

  it('reads the stores no longer when nobody waits', async () => {
    const reading = () => {
      const checkpoints = vi.fn(async () => []);
      return { checkpoints, progress: new Progress({ checkpoints }) };
    };
    const [idle, busy] = [reading(), reading()];
    expect(await idle.progress.reached('one', at(1), 0)).toBe(false);
    const waiting = busy.progress.reached('one', at(1), HOUR_MS);
    await eventually(() => expect(busy.checkpoints.mock.calls.length).toBeGreaterThan(2));
    expect(idle.checkpoints).toHaveBeenCalledOnce();
    busy.progress.advanced('one', at(1));
    await waiting;
  });

  it('tells every waiting caller that a store is unavailable, and reads again for the next one', async () => {
    let failure: Error | undefined = new Error('the store is down');
    const checkpoints = async () => {
      if (failure !== undefined) throw failure;
      return [{ projection: 'one', state: 'live', position: at(1) } as Checkpoint];
    };
    const progress = new Progress({ checkpoints });
    const waiting = await Promise.allSettled([1, 2].map(() => progress.reached('one', at(1), HOUR_MS)));
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    failure = undefined;
    expect(await progress.reached('one', at(1), 0)).toBe(true);
  });

  it('counts only the live generation, which readers see', async () => {
    const progress = new Progress(viewsWith({ position: at(9), state: 'building' }, { position: at(3) }).views);
    expect(await progress.reached('one', at(9), 0)).toBe(false);
    expect(progress.known('one')).toBe(at(3));
  });

  describe('of a projection that a worker of this process folds', () => {
    const stopped = { position: at(4), reason: 'it cannot be folded' };
    /** Returns progress whose worker has reported, and the checkpoints in the store. */
    const reporting = () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const { stored, views } = viewsWith({ position: at(3) });
      const checkpoints = vi.fn(views.checkpoints);
      const progress = new Progress({ checkpoints });
      progress.advanced('one', at(1));
      return { progress, checkpoints, stored };
    };
    const turns = async () => {
      for (let n = 0; n < 5; n += 1) await new Promise(setImmediate);
    };

    it('reads no store if the worker reports in time', async () => {
      const { progress, checkpoints } = reporting();
      const waiting = [2, 5].map((n) => progress.reached('one', at(n), HOUR_MS));
      await turns();
      progress.advanced('one', at(5));
      expect(await Promise.all(waiting)).toEqual([true, true]);
      expect(checkpoints).not.toHaveBeenCalled();
    });

    it.each([
      [3, true],
      [4, false],
    ])('reads the stores after 20 ms, whatever the timeout: position %i', async (n, isReached) => {
      const { progress, checkpoints } = reporting();
      const waiting = progress.reached('one', at(n), 0);
      await turns();
      expect(checkpoints).not.toHaveBeenCalled();
      vi.advanceTimersByTime(20);
      expect(await waiting).toBe(isReached);
    });

    it('reads the stores at once after it has stopped, until the worker reports again', async () => {
      const { progress, checkpoints, stored } = reporting();
      stored.splice(0, 1, { ...stored[0], stopped } as Checkpoint);
      const first = progress.reached('one', at(5), HOUR_MS);
      await turns();
      vi.advanceTimersByTime(20);
      expect(await first).toBe(false);
      expect(await progress.reached('one', at(5), HOUR_MS)).toBe(false);
      expect(checkpoints).toHaveBeenCalledTimes(2);
      progress.advanced('one', at(4));
      const later = progress.reached('one', at(5), HOUR_MS);
      await turns();
      expect(checkpoints).toHaveBeenCalledTimes(2);
      progress.advanced('one', at(5));
      expect(await later).toBe(true);
    });
  });

  it('waits for no projection that is stopped before the position, and again once it is retried', async () => {
    const stopped = { position: at(4), reason: 'it cannot be folded' };
    const { views, stored } = viewsWith({ position: at(3), stopped }, { projection: 'two', position: at(1) });
    const progress = new Progress(views, { readLog: () => Promise.reject(new Error('no log is needed')) });
    const two = progress.reached('two', at(2), HOUR_MS);
    expect(await progress.reached('one', at(3), HOUR_MS)).toBe(true);
    expect(await progress.reached('one', at(4), HOUR_MS)).toBe(false);
    stored.splice(0, 2, { ...stored[0], stopped: undefined } as Checkpoint);
    const one = progress.reached('one', at(4), HOUR_MS);
    for (const name of ['one', 'two']) progress.advanced(name, at(4));
    expect([await one, await two]).toEqual([true, true]);
  });

  it('does not count a building generation that is stopped', async () => {
    const stopped = { position: at(4), reason: 'it cannot be folded' };
    const { views, stored } = viewsWith({ position: at(3) }, { position: at(3), state: 'building', stopped });
    const waiting = new Progress(views).reached('one', at(4), HOUR_MS);
    await eventually(() => stored.splice(0, 1, { projection: 'one', state: 'live', position: at(4) }));
    expect(await waiting).toBe(true);
  });

  describe('of a projection whose checkpoint is before the position', () => {
    const protocolsAt = at(3);
    /** Returns progress over a log that returns these pages one after the other. */
    const over = (...pages: Partial<LogPage>[]) => {
      const looks: Parameters<Facts['readLog']>[0][] = [];
      const readLog: Facts['readLog'] = async (range) => {
        looks.push(range);
        return { events: [], position: range.after, atEnd: true, ...pages[Math.min(looks.length, pages.length) - 1] };
      };
      const { views } = viewsWith({ projection: 'protocols', position: protocolsAt });
      return { looks, views, progress: new Progress(views, { readLog }) };
    };

    it('passes over a log without events for the projection', async () => {
      const { looks, progress } = over({ position: at(5) }, { position: at(9) });
      expect(await progress.reached('protocols', at(9), HOUR_MS)).toBe(true);
      expect(looks).toEqual([protocolsAt, at(5)].map((after) => ({ aggregates: ['protocol'], after })));
    });

    it('waits for an event of the projection', async () => {
      const event = {} as LogPage['events'][number];
      const { looks, progress } = over({ events: [event], position: at(9) });
      const waiting = progress.reached('protocols', at(9), HOUR_MS);
      while (looks.length < 2) await new Promise(setImmediate);
      expect(progress.known('protocols')).toBe(protocolsAt);
      progress.advanced('protocols', at(9));
      expect(await waiting).toBe(true);
    });

    it('stays where it is in a log without events', async () => {
      const { progress } = over({ position: undefined });
      expect(await progress.reached('protocols', at(9), 0)).toBe(false);
      expect(progress.known('protocols')).toBe(protocolsAt);
    });

    it('does not read the log if the checkpoint is far enough, or if the projection does not exist', async () => {
      const { looks, progress } = over({ position: at(9) });
      expect(await progress.reached('protocols', protocolsAt, 0)).toBe(true);
      expect(await progress.reached('unknown', at(9), 0)).toBe(false);
      expect(looks).toEqual([]);
    });

    it('waits for the checkpoint if there is no log to read', async () => {
      expect(await new Progress(over().views).reached('protocols', at(9), 0)).toBe(false);
    });
  });
});
