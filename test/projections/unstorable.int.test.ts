// A store rejects a commit. A permanent rejection stops the projection, a temporary one does not.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import type { Checkpoint, Commit, Views } from '../../src/infrastructure/views/views.js';
import { newEvent, written } from '../infrastructure/facts/support/harness.js';
import { checkpointsOf } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { FragileProjection } from './fragile.js';
import { eventsIn, expectedOf, snapshotOf, startRunner } from './replay.js';

describe('a projection whose commit the store rejects', () => {
  let facts: SqliteFacts;
  let views: SqliteViews;
  let fragile: FragileProjection;
  let calm: FragileProjection;
  /** Returns the error with which the store rejects a batch, undefined if it accepts the commit. */
  let rejection: (commit: Commit) => Error | undefined;
  let commits: number;
  const closings: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    const directory = temporaryDirectory();
    facts = new SqliteFacts(directory);
    views = new SqliteViews(directory);
    [fragile, calm] = [new FragileProjection('fragile'), new FragileProjection('calm')];
    rejection = tooLarge('bad');
    commits = 0;
    for (const { projection } of [fragile, calm]) await views.prepare(projection);
  });
  afterEach(async () => {
    for (const close of closings.splice(0)) await close();
    await views.close();
    await facts.close();
  });

  const tooLarge = (name: string) => (commit: Commit) =>
    commit.writes.some(({ body }) => body.includes(name)) ? new RangeError('it is too large') : undefined;

  const rejecting = (): Views =>
    new Proxy(views, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (name !== 'commit') return typeof member === 'function' ? member.bind(target) : member;
        return async (commit: Commit) => {
          commits += Number(commit.lease.projection === 'fragile');
          const error = rejection(commit);
          if (error !== undefined) throw error;
          return target.commit(commit);
        };
      },
    });

  const work = () => {
    const runner = startRunner(facts, rejecting(), [fragile.projection, calm.projection], { pollMs: 20 });
    closings.push(runner.close);
    return runner;
  };
  const checkpoint = async (name = 'fragile'): Promise<Checkpoint | undefined> => (await checkpointsOf(views, name))[0];
  const stops = (position: string | undefined) =>
    eventually(async () => {
      const found = await checkpoint();
      expect(found?.stopped?.position).toBe(position);
      return found;
    });
  const reaches = (position: string | undefined, name = 'fragile') =>
    eventually(async () => expect(((await checkpoint(name))?.position ?? '') >= (position ?? '~')).toBe(true));
  const holdsAll = async () => {
    const events = await eventsIn(facts, ['fragile']);
    expect(await snapshotOf(views, fragile.projection)).toStrictEqual(expectedOf(fragile.projection, events));
  };

  it('stops before the faulty event, reports the reason, and has stored all events before it', async () => {
    const [, good, bad] = await fragile.append(facts, 'one', 'two', 'bad', 'three');
    const { metrics } = work();
    const stopped = await stops(bad);
    expect(stopped).toMatchObject({ position: good, state: 'live' });
    expect(stopped?.stopped?.reason).toMatch(/^Happened in fragile-\S+ at revision 0: RangeError: it is too large$/);
    const events = (await eventsIn(facts, ['fragile'])).slice(0, 2);
    expect(await snapshotOf(views, fragile.projection)).toStrictEqual(expectedOf(fragile.projection, events));
    await eventually(async () =>
      expect(await metrics.text(new Map())).toContain('projection_stopped{projection="fragile"} 1'),
    );
  });

  it.each([0, 1, 64, 99])('finds the faulty event among a hundred in one page: at %d', async (index) => {
    const names = Array.from({ length: 100 }, (_, n) => (n === index ? 'bad' : `${n}`));
    const positions = await fragile.append(facts, ...names);
    work();
    expect((await stops(positions[index]))?.position).toBe(positions[index - 1]);
  });

  it.each([0, 255, 256, 1_000, 2_999])(
    'finds the faulty event among thousands, in any page of the log: at %d',
    async (index) => {
      const names = Array.from({ length: 3_000 }, (_, n) => (n === index ? 'bad' : `${n}`));
      const appended = names.map((name) => facts.append(`fragile-${randomUUID()}`, 'no-stream', [newEvent({ name })]));
      const positions = (await Promise.all(appended)).map((outcome) => written(outcome).position);
      work();
      expect((await stops(positions[index]))?.position).toBe(positions[index - 1]);
      const before = (await eventsIn(facts, ['fragile'])).slice(0, index);
      expect(await snapshotOf(views, fragile.projection)).toStrictEqual(expectedOf(fragile.projection, before));
    },
  );

  it('is not tried again until an operator retries it', async () => {
    const [bad] = await fragile.append(facts, 'bad');
    work();
    await stops(bad);
    const tried = commits;
    for (const name of ['one', 'two', 'three']) {
      const [position] = await calm.append(facts, name);
      await reaches(position, 'calm');
    }
    expect(commits).toBe(tried);
  });

  it('continues after a retry once the store accepts the event, and has missed nothing', async () => {
    const [, bad, last] = await fragile.append(facts, 'one', 'bad', 'two');
    work();
    const stopped = await stops(bad);
    rejection = () => undefined;
    if (stopped !== undefined) await views.setStopped(stopped, undefined);
    await reaches(last);
    await holdsAll();
  });

  it('is not stopped by an unavailable store, but continues when the store is back', async () => {
    let failures = 5;
    rejection = ({ lease }) => {
      if (lease.projection !== 'fragile' || failures === 0) return undefined;
      failures -= 1;
      return new StoreUnavailable('the store', 'it is down');
    };
    const [, , last] = await fragile.append(facts, 'one', 'bad', 'two');
    work();
    await reaches(last);
    expect((await checkpoint())?.stopped).toBeUndefined();
    expect(failures).toBe(0);
    await holdsAll();
  });

  it('is not stopped by a store that becomes unavailable during the search for the faulty event', async () => {
    let calls = 0;
    rejection = (commit) => {
      if (commit.lease.projection !== 'fragile') return undefined;
      calls += 1;
      return calls === 2 ? new StoreUnavailable('the store', 'it is down') : tooLarge('bad')(commit);
    };
    const [, , bad] = await fragile.append(facts, 'one', 'two', 'bad');
    work();
    await stops(bad);
    expect(calls).toBeGreaterThan(2);
  });
});
