import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { newEvent, written } from '../infrastructure/facts/support/harness.js';
import { HOUR_MS, takenOver } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { FragileProjection } from './support/fragile.js';
import { intercepted } from './support/intercepted.js';
import { ProjectionStores } from './support/stores.js';

const LIVE = { projection: 'fragile', number: 1 };
const fragile = new FragileProjection('fragile');

const setUp = async () => {
  const stores = await ProjectionStores.of([fragile.projection]);
  const startWorker = (through?: Parameters<ProjectionStores['startWorker']>[1]) =>
    stores.startWorker([fragile.projection], through);
  const append = async (name: string) => (await fragile.append(stores.facts, name))[0];
  const waitUntilReached = (position: string | undefined) => stores.waitUntilReached('fragile', position);
  return { ...stores, stores, startWorker, append, waitUntilReached };
};

/** Returns the same store, in which one call fails once. */
const failingOnce = <S extends object>(store: S, call: keyof S) => {
  const failed: (keyof S)[] = [];
  const failing = intercepted(store, (name, _, proceed) => {
    if (name !== call || failed.length > 0) return proceed();
    failed.push(name);
    throw new StoreUnavailable('the store', 'it is down');
  });
  return { failing, failed };
};

describe('a runner of projections', () => {
  it('keeps the lease while it works and releases it when it is closed', async () => {
    const { views, append, startWorker, waitUntilReached } = await setUp();
    const position = await append('one');
    const { close } = startWorker();
    await waitUntilReached(position);
    expect(await views.acquire(LIVE, 'host/2/other', HOUR_MS)).toBeUndefined();
    await close();
    expect(await views.acquire(LIVE, 'host/2/other', HOUR_MS)).toBeDefined();
  });

  it('advances its checkpoint while it reads only events of others', async () => {
    const { append, startWorker, waitUntilReached } = await setUp();
    const position = await append('of another');
    const log = new SqliteFacts(temporaryDirectory());
    vi.spyOn(log, 'subscribe').mockImplementation(async function* (_, signal) {
      for (let page = 0; page < 8; page += 1) yield { events: [], position: position ?? '', atEnd: false };
      await once(signal, 'abort');
    });
    const { close } = startWorker({ facts: log });
    await waitUntilReached(position);
    await close();
    await log.close();
  });

  it('waits while another process has the lease, and takes the lease once it is free', async () => {
    const { views, append, startWorker, waitUntilReached } = await setUp();
    const lease = await views.acquire(LIVE, 'another host/2/other', HOUR_MS);
    const position = await append('one');
    const { progress } = startWorker();
    expect(await progress.reached('fragile', position ?? '', 100)).toBe(false);
    if (lease !== undefined) await views.release(lease);
    await waitUntilReached(position);
  });

  it('continues immediately under a lease that a killed runner of the same name has left', async () => {
    const { views, append, startWorker, waitUntilReached } = await setUp();
    await views.acquire(LIVE, 'the only worker', HOUR_MS);
    const position = await append('one');
    startWorker({ owner: 'the only worker' });
    await waitUntilReached(position);
  });

  it('writes nothing after its lease was taken, and continues when it gets the lease again', async () => {
    const { stores, views, append, startWorker, waitUntilReached } = await setUp();
    const before = await append('one');
    startWorker();
    await waitUntilReached(before);
    const [held] = await stores.generations('fragile');
    const thief = await takenOver(views, { ...LIVE, owner: held?.heldBy ?? '' });
    const after = await append('two');
    expect(await views.commit({ lease: thief, writes: [], position: before ?? '' })).toBe(true);
    expect(await stores.generations('fragile')).toMatchObject([{ position: before }]);
    await views.release(thief);
    await waitUntilReached(after);
    expect(await stores.listed('fragileNames')).toEqual([{ name: 'one' }, { name: 'two' }]);
  });

  it.each(['load', 'commit', 'checkpoints', 'acquire'] as const)('continues after %s has failed once', async (call) => {
    const { stores, facts, views, startWorker, waitUntilReached } = await setUp();
    const stream = `fragile-${randomUUID()}`;
    const former = startWorker();
    await waitUntilReached(written(await facts.append(stream, 'no-stream', [newEvent({ name: 'one' })])).position);
    await former.close();
    const { position } = written(await facts.append(stream, 0, [newEvent({ name: 'two' })]));
    const { failing, failed } = failingOnce(views, call);
    startWorker({ views: failing });
    await waitUntilReached(position);
    expect(failed).toEqual([call]);
    expect(await stores.listed('fragileNames')).toEqual([{ name: 'two' }]);
  });

  it('continues after reading the log has failed once', async () => {
    const { facts, append, startWorker, waitUntilReached } = await setUp();
    const position = await append('one');
    const { failing, failed } = failingOnce(facts, 'subscribe');
    startWorker({ facts: failing });
    await waitUntilReached(position);
    expect(failed).toEqual(['subscribe']);
  });
});
