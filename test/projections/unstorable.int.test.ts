// A store that rejects a commit: for a lasting reason, which stops the projection, or for a while, which does not.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { skipEvent } from '../../src/cli/skip.js';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite.js';
import type { Batch, Checkpoint, Views } from '../../src/infrastructure/views/views.js';
import { newEvent, written } from '../infrastructure/facts-harness.js';
import { checkpointsOf } from '../infrastructure/views-harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { eventsIn, expectedOf, snapshotOf, startRunner } from './replay.js';
import { Touchy } from './touchy.js';

describe('a projection whose commit the store rejects', () => {
  let facts: SqliteFacts;
  let views: SqliteViews;
  let touchy: Touchy;
  let calm: Touchy;
  /** What the store rejects a batch with; undefined for nothing. */
  let rejection: (batch: Batch) => Error | undefined;
  let commits: number;
  const closings: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    const directory = temporaryDirectory();
    facts = new SqliteFacts(directory);
    views = new SqliteViews(directory);
    [touchy, calm] = [new Touchy('touchy'), new Touchy('calm')];
    rejection = tooLarge('bad');
    commits = 0;
    for (const { projection } of [touchy, calm]) await views.prepare(projection);
  });
  afterEach(async () => {
    for (const close of closings.splice(0)) await close();
    await views.close();
    await facts.close();
  });

  const tooLarge = (name: string) => (batch: Batch) =>
    batch.writes.some(({ body }) => body.includes(name)) ? new RangeError('it is too large') : undefined;

  const rejecting = (): Views =>
    new Proxy(views, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (name !== 'commit') return typeof member === 'function' ? member.bind(target) : member;
        return async (batch: Batch) => {
          commits += Number(batch.lease.projection === 'touchy');
          const error = rejection(batch);
          if (error !== undefined) throw error;
          return target.commit(batch);
        };
      },
    });

  const work = () => {
    const runner = startRunner(facts, rejecting(), [touchy.projection, calm.projection], { lookEveryMs: 20 });
    closings.push(runner.close);
    return runner;
  };
  const checkpoint = async (name = 'touchy'): Promise<Checkpoint | undefined> => (await checkpointsOf(views, name))[0];
  const stops = (position: string | undefined) =>
    eventually(async () => {
      const found = await checkpoint();
      expect(found?.stopped?.position).toBe(position);
      return found;
    });
  const reaches = (position: string | undefined, name = 'touchy') =>
    eventually(async () => expect(((await checkpoint(name))?.position ?? '') >= (position ?? '~')).toBe(true));
  const holdsAllBut = async (...left: readonly (string | undefined)[]) => {
    const events = (await eventsIn(facts, ['touchy'])).filter(({ position }) => !left.includes(position));
    expect(await snapshotOf(views, touchy.projection)).toStrictEqual(expectedOf(touchy.projection, events));
  };

  it('stops before the event at fault, says why, and has stored all that came before', async () => {
    const [, good, bad] = await touchy.happen(facts, 'one', 'two', 'bad', 'three');
    const { metrics } = work();
    const stopped = await stops(bad);
    expect(stopped).toMatchObject({ position: good, state: 'live' });
    expect(stopped?.stopped?.reason).toMatch(/^Happened in touchy-\S+ at revision 0: RangeError: it is too large$/);
    const events = (await eventsIn(facts, ['touchy'])).slice(0, 2);
    expect(await snapshotOf(views, touchy.projection)).toStrictEqual(expectedOf(touchy.projection, events));
    await eventually(async () =>
      expect(await metrics.text(new Map())).toContain('projection_stopped{projection="touchy"} 1'),
    );
  });

  it.each([0, 1, 64, 99])(
    'finds the event among a hundred that are committed together: the one at %d',
    async (index) => {
      const names = Array.from({ length: 100 }, (_, n) => (n === index ? 'bad' : `${n}`));
      const positions = await touchy.happen(facts, ...names);
      work();
      expect((await stops(positions[index]))?.position).toBe(positions[index - 1]);
    },
  );

  it.each([0, 1_000, 2_047, 2_048, 4_000, 4_999])(
    'finds the event among thousands, of which some are folded while others are committed: the one at %d',
    async (index) => {
      const names = Array.from({ length: 5_000 }, (_, n) => (n === index ? 'bad' : `${n}`));
      const appended = names.map((name) => facts.append(`touchy-${randomUUID()}`, 'no-stream', [newEvent({ name })]));
      const positions = (await Promise.all(appended)).map((outcome) => written(outcome).position);
      work();
      expect((await stops(positions[index]))?.position).toBe(positions[index - 1]);
      const before = (await eventsIn(facts, ['touchy'])).slice(0, index);
      expect(await snapshotOf(views, touchy.projection)).toStrictEqual(expectedOf(touchy.projection, before));
    },
  );

  it('is tried no more until somebody says so', async () => {
    const [bad] = await touchy.happen(facts, 'bad');
    work();
    await stops(bad);
    const tried = commits;
    for (const name of ['one', 'two', 'three']) {
      const [position] = await calm.happen(facts, name);
      await reaches(position, 'calm');
    }
    expect(commits).toBe(tried);
  });

  it('goes on by a retry once the store takes it, and has missed nothing', async () => {
    const [, bad, last] = await touchy.happen(facts, 'one', 'bad', 'two');
    work();
    const stopped = await stops(bad);
    rejection = () => undefined;
    if (stopped !== undefined) await views.setStopped(stopped, undefined);
    await reaches(last);
    await holdsAllBut();
  });

  it('goes on without the event that an operator has it leave out', async () => {
    const [, bad, last] = await touchy.happen(facts, 'one', 'bad', 'two');
    work();
    await stops(bad);
    await skipEvent({ facts, views }, touchy.projection, { position: `${bad}`, reason: 'too large' });
    await reaches(last);
    await holdsAllBut(bad);
  });

  it('stops at the next one after it', async () => {
    const [, bad, , worse] = await touchy.happen(facts, 'one', 'bad', 'two', 'bad, too');
    work();
    await stops(bad);
    await skipEvent({ facts, views }, touchy.projection, { position: `${bad}`, reason: 'too large' });
    await stops(worse);
    await holdsAllBut(bad, worse);
  });

  it('is not stopped by a store that is unavailable, but goes on when it is back', async () => {
    let away = 5;
    rejection = ({ lease }) => {
      if (lease.projection !== 'touchy' || away === 0) return undefined;
      away -= 1;
      return new StoreUnavailable('the store', 'away');
    };
    const [, , last] = await touchy.happen(facts, 'one', 'bad', 'two');
    work();
    await reaches(last);
    expect((await checkpoint())?.stopped).toBeUndefined();
    expect(away).toBe(0);
    await holdsAllBut();
  });

  it('is not stopped by a store that goes away while the event at fault is looked for', async () => {
    let calls = 0;
    rejection = (batch) => {
      if (batch.lease.projection !== 'touchy') return undefined;
      calls += 1;
      return calls === 2 ? new StoreUnavailable('the store', 'away') : tooLarge('bad')(batch);
    };
    const [, , bad] = await touchy.happen(facts, 'one', 'two', 'bad');
    work();
    await stops(bad);
    expect(calls).toBeGreaterThan(2);
  });
});
