import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import { newEvent, written } from '../infrastructure/facts/support/harness.js';
import { checkpointsOf, HOUR_MS, takenOver } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { FragileProjection } from './fragile.js';
import { startRunner } from './replay.js';

describe('a runner of projections', () => {
  const fragile = new FragileProjection('fragile');
  const live = { projection: 'fragile', number: 1 };
  let facts: SqliteFacts;
  let views: SqliteViews;
  const closings: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    const directory = temporaryDirectory();
    facts = new SqliteFacts(directory);
    views = new SqliteViews(directory);
    await views.prepare(fragile.projection);
  });
  afterEach(async () => {
    for (const close of closings.splice(0)) await close();
    await views.close();
    await facts.close();
  });

  const work = (log: SqliteFacts = facts, store: SqliteViews = views) => {
    const runner = startRunner(log, store, [fragile.projection]);
    closings.push(runner.close);
    return runner;
  };
  const reaches = (position: string | undefined) =>
    eventually(async () => expect((await checkpointsOf(views, 'fragile'))[0]?.position).toBe(position));

  it('keeps the lease while it works and releases it when it is closed', async () => {
    const [position] = await fragile.append(facts, 'one');
    const { close } = work();
    await reaches(position);
    expect(await views.acquire(live, 'host/2/other', HOUR_MS)).toBeUndefined();
    await close();
    expect(await views.acquire(live, 'host/2/other', HOUR_MS)).toBeDefined();
  });

  it('advances its checkpoint while it reads only events of others', async () => {
    const [position = ''] = await fragile.append(facts, 'of another');
    const log = new SqliteFacts(temporaryDirectory());
    closings.push(() => log.close());
    vi.spyOn(log, 'subscribe').mockImplementation(async function* (_, signal) {
      for (let page = 0; page < 8; page += 1) yield { events: [], position, atEnd: false };
      await once(signal, 'abort');
    });
    work(log);
    await reaches(position);
  });

  it('waits while another process has the lease, and takes the lease once it is free', async () => {
    const lease = await views.acquire(live, 'another host/2/other', HOUR_MS);
    const [position] = await fragile.append(facts, 'one');
    const { progress } = work();
    expect(await progress.reached('fragile', position ?? '', 100)).toBe(false);
    if (lease !== undefined) await views.release(lease);
    await reaches(position);
  });

  it('continues immediately under a lease that a killed runner of the same name has left', async () => {
    const owner = 'the only worker';
    await views.acquire(live, owner, HOUR_MS);
    const [position] = await fragile.append(facts, 'one');
    closings.push(startRunner(facts, views, [fragile.projection], { owner }).close);
    await reaches(position);
  });

  it('writes nothing after its lease was taken, and continues when it gets the lease again', async () => {
    const [before] = await fragile.append(facts, 'one');
    work();
    await reaches(before);
    const [held] = await checkpointsOf(views, 'fragile');
    const thief = await takenOver(views, { ...live, owner: held?.heldBy ?? '' });
    const [after] = await fragile.append(facts, 'two');
    expect(await views.commit({ lease: thief, writes: [], position: before ?? '' })).toBe(true);
    expect((await checkpointsOf(views, 'fragile'))[0]?.position).toBe(before);
    await views.release(thief);
    await reaches(after);
    expect((await views.list(names)).json).toBe('[{"name":"one"},{"name":"two"}]');
  });

  it.each(['load', 'commit', 'checkpoints', 'acquire'] as const)('continues after %s has failed once', async (call) => {
    const outage = { failures: 1 };
    const stream = `fragile-${randomUUID()}`;
    const former = work();
    await reaches(written(await facts.append(stream, 'no-stream', [newEvent({ name: 'one' })])).position);
    await former.close();
    const { position } = written(await facts.append(stream, 0, [newEvent({ name: 'two' })]));
    work(facts, failing(views, call, outage));
    await reaches(position);
    expect(outage.failures).toBe(0);
    expect((await views.list(names)).json).toBe('[{"name":"two"}]');
  });

  it('continues after reading the log has failed once', async () => {
    const outage = { failures: 1 };
    const [position] = await fragile.append(facts, 'one');
    work(failing(facts, 'subscribe', outage));
    await reaches(position);
    expect(outage.failures).toBe(0);
  });
});

const names = {
  collection: 'fragileNames',
  where: {},
  prefix: {},
  order: 'oldest-first',
  after: undefined,
  limit: 10,
} as const;

/** Returns the same store, in which one call fails as often as `outage` says. */
const failing = <S extends object>(store: S, call: keyof S, outage: { failures: number }): S =>
  new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        if (name !== call || outage.failures === 0) return member.apply(target, given);
        outage.failures -= 1;
        throw new StoreUnavailable('the store', 'it is down');
      };
    },
  });
