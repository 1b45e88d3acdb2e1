import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { VaultEntry } from '../../src/infrastructure/vault/vault.js';
import type { Handler } from '../../src/infrastructure/work/work.js';
import { startUpkeep } from '../../src/operations/upkeep.js';
import { eventually } from '../support/eventually.js';

const HOUR_MS = 3_600_000;
const { signal } = new AbortController();

/** Starts the upkeep of a process on these records of the vault. Returns the ids of its jobs, and runs one. */
const started = async (records: Map<string, VaultEntry>) => {
  const ids: string[] = [];
  let purges = 0;
  let handler: Handler | undefined;
  const nothing = async () => undefined;
  const vault = {
    get: async ({ kind, key }: VaultEntry) => records.get(`${kind} ${key}`),
    insert: async (entry: VaultEntry) => void records.set(`${entry.kind} ${entry.key}`, entry),
    purgeExpired: async () => {
      purges += 1;
      return 0;
    },
  };
  const work = {
    enqueue: async ({ id }: { readonly id: string }) => void ids.push(id),
    process: (_: unknown, run: Handler) => {
      handler = run;
      return { close: nothing };
    },
  };
  const upkeep = startUpkeep(
    { work, vault, outbox: { removeOld: nothing }, views: { abandon: nothing } } as never,
    () => undefined,
  );
  onTestFinished(() => upkeep.close());
  const run = async (id: string, by = signal) => {
    await handler?.({ queue: 'upkeep', id, data: {}, attempt: 1 }, by);
    return purges;
  };
  return { ids, run, purgeId: ids.find((id) => id.startsWith('purge-')) ?? '' };
};

describe('the upkeep', () => {
  it('of a version that compares values differently claims them at its first start', async () => {
    const { ids } = await started(new Map());
    expect(ids.filter((id) => /^reclaim-\d/.test(id))).toHaveLength(2);
    // A version that compared values otherwise may already have had the jobs with these ids today.
    expect(ids.filter((id) => /^reclaim-\d+$/.test(id))).toEqual([]);
  });

  it('does not repeat a run after a restart, and runs again in the next turn', async () => {
    const records = new Map<string, VaultEntry>();
    const first = await started(records);
    expect(await first.run(first.purgeId)).toBe(1);
    const restarted = await started(records);
    expect(restarted.ids).toContain(first.purgeId);
    expect(await restarted.run(first.purgeId)).toBe(0);
    const next = restarted.ids.filter((id) => id.startsWith('purge-')).at(-1) ?? '';
    expect([next === first.purgeId, await restarted.run(next)]).toEqual([false, 1]);
  });

  it('remembers no run that was interrupted', async () => {
    const records = new Map<string, VaultEntry>();
    const { run, purgeId } = await started(records);
    await expect(run(purgeId, AbortSignal.abort(new Error('closing')))).rejects.toThrow('closing');
    expect(records.size).toBe(0);
    expect(await run(purgeId)).toBe(1);
  });

  it('goes on after a clock that was ahead, and forgets the runs of that clock', async () => {
    const records = new Map<string, VaultEntry>();
    const { run, purgeId } = await started(records);
    const turn = Math.floor(Date.now() / HOUR_MS);
    const ahead = purgeId.replace(String(turn), String(turn + 1_000_000));
    expect([ahead === purgeId, await run(ahead), await run(purgeId)]).toEqual([false, 1, 2]);
    for (const { expiresAt = 0 } of records.values()) expect(expiresAt - Date.now()).toBeLessThanOrEqual(2 * HOUR_MS);
  });

  it('plans a run again that the queue refused, until it is closed', async () => {
    const [ids, errors]: [string[], unknown[]] = [[], []];
    let isFull = true;
    const work = {
      enqueue: async ({ id }: { readonly id: string }) => {
        if (isFull) throw new Error('the disk is full');
        ids.push(id);
      },
      process: () => ({ close: async () => undefined }),
    };
    const stores = {
      work,
      vault: {},
      outbox: { removeOld: async () => undefined },
      views: { abandon: async () => undefined },
    };
    const upkeep = startUpkeep(stores as never, (error) => errors.push(error), 1);
    await eventually(() => expect(errors.length).toBeGreaterThan(6));
    expect(ids).toEqual([]);
    isFull = false;
    await eventually(() =>
      expect(new Set(ids.map((id) => id.split('-')[0]))).toEqual(new Set(['forget', 'reclaim', 'purge'])),
    );
    expect(ids).toHaveLength(6);
    await upkeep.close();
  });

  it.each([30_000, 600_000])(
    'asks a queue that refuses for each run once in %i ms, however long, and then plans what is due',
    async (retryMs) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'], now: 0 });
      onTestFinished(() => void vi.useRealTimers());
      const ids: string[] = [];
      const enqueue = vi.fn(
        async (_: { readonly id: string }): Promise<void> => Promise.reject(new Error('the queue is down')),
      );
      const work = { enqueue, process: () => ({ close: async () => undefined }) };
      const stores = {
        work,
        vault: {},
        outbox: { removeOld: async () => undefined },
        views: { abandon: async () => undefined },
      };
      const upkeep = startUpkeep(stores as never, () => undefined, retryMs);
      await vi.advanceTimersByTimeAsync(30 * HOUR_MS);
      expect(enqueue).toHaveBeenCalledTimes(6 * ((30 * HOUR_MS) / retryMs + 1));
      enqueue.mockImplementation(async ({ id }) => void ids.push(id));
      await vi.advanceTimersByTimeAsync(retryMs);
      expect(ids).toEqual(['forget-30.3', 'forget-31.3', 'reclaim-1.3', 'reclaim-2.3', 'purge-30.3', 'purge-31.3']);
      await vi.advanceTimersByTimeAsync(HOUR_MS);
      expect(ids.slice(6)).toEqual([
        'forget-31.3',
        'reclaim-2.3',
        'purge-31.3',
        'forget-32.3',
        'reclaim-2.3',
        'purge-32.3',
      ]);
      await upkeep.close();
      await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
      expect(ids).toHaveLength(12);
    },
  );
});
