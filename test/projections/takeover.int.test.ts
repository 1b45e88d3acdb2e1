import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { Crew, SHORT_LEASE, type Worker } from './support/crew.js';
import { FragileProjection } from './support/fragile.js';

const waitUntilHeld = (crew: Crew, each: readonly number[], workers?: readonly Worker[]) =>
  eventually(async () => expect(await crew.held(workers)).toEqual({ each, unheld: 0 }));

const waitUntilAllAreHeld = (crew: Crew, workers?: readonly Worker[]) =>
  eventually(async () => {
    const { each, unheld } = await crew.held(workers);
    expect({ unheld, held: each.reduce((sum, count) => sum + count, 0) }).toEqual({
      unheld: 0,
      held: crew.fragiles.length,
    });
  });

const waitUntilCaughtUp = async ({ stores: { facts, views } }: Crew) => {
  const head = await facts.head();
  await eventually(async () => {
    for (const { position } of await views.checkpoints()) expect(position).toBe(head);
  });
};

/** Expects every projection to fold the whole log and to hold what a fold in memory gives. */
const expectNothingMissed = async (crew: Crew) => {
  await waitUntilCaughtUp(crew);
  for (const { projection } of crew.fragiles) await crew.stores.expectFolded(projection);
};

describe('the projections of several workers', () => {
  it.each([1, 3, 12])('are all run, each by one worker, when %i workers start at the same time', async (workers) => {
    const crew = await Crew.of(10);
    await crew.append('one');
    crew.joinAll(workers);
    await waitUntilAllAreHeld(crew);
    await crew.append('two');
    await expectNothingMissed(crew);
  });

  it('stay with their worker when another joins', async () => {
    const crew = await Crew.of(3);
    crew.join();
    await waitUntilHeld(crew, [3]);
    const joined = crew.join();
    await crew.append('one');
    await expectNothingMissed(crew);
    const looked = joined.calls.get('checkpoints') ?? 0;
    await eventually(() => expect(joined.calls.get('checkpoints')).toBeGreaterThan(looked + 10));
    expect(joined.calls.get('acquire')).toBeUndefined();
    await waitUntilHeld(crew, [3, 0]);
  });

  it('move to the other workers when one dies, once its lease has expired', async () => {
    const crew = await Crew.of(6);
    const dying = crew.join(SHORT_LEASE);
    await waitUntilHeld(crew, [6]);
    const others = crew.joinAll(2);
    dying.kill();
    await crew.append('one');
    await waitUntilAllAreHeld(crew, others);
    await expectNothingMissed(crew);
  });

  it('move to the other workers when one leaves', async () => {
    const crew = await Crew.of(6);
    const leaving = crew.join();
    await waitUntilHeld(crew, [6]);
    const others = crew.joinAll(2);
    await leaving.leave();
    await waitUntilAllAreHeld(crew, others);
    await crew.append('one');
    await expectNothingMissed(crew);
  });

  it('equal a fresh fold if a worker is paused, loses all its leases and wakes up late', async () => {
    const crew = await Crew.of(4);
    const sleeper = crew.join(SHORT_LEASE);
    await crew.append('one');
    await waitUntilHeld(crew, [4]);
    await expectNothingMissed(crew);
    const commits = sleeper.calls.get('commit') ?? 0;
    const wake = sleeper.pause();
    await crew.append('two');
    // A batch of each projection is under way and arrives after the batches of the next owner.
    await eventually(() => expect(sleeper.calls.get('commit')).toBe(commits + 4));
    const other = crew.join();
    await waitUntilHeld(crew, [4], [other]);
    await crew.append('three');
    await waitUntilCaughtUp(crew);
    wake();
    await crew.append('four');
    await expectNothingMissed(crew);
    await waitUntilHeld(crew, [0, 4]);
  });

  it('move only to workers whose code can fold them', async () => {
    const crew = await Crew.of(3);
    const newer = new FragileProjection('small0', 2);
    await crew.append('one');
    const old = crew.join();
    await waitUntilHeld(crew, [3]);
    await crew.stores.views.prepare(newer.projection);
    const [, ...same] = crew.fragiles;
    const next = crew.join({}, [newer, ...same]);
    await eventually(async () => {
      const [first] = await crew.stores.views.checkpoints();
      expect(first).toMatchObject({ projection: 'small0', version: 2, state: 'live', heldBy: next.name });
    });
    await waitUntilHeld(crew, [2, 1]);
    await next.leave();
    await eventually(async () => expect(await crew.held()).toEqual({ each: [2, 0], unheld: 1 }));
    const again = crew.join({}, [newer, ...same]);
    await old.leave();
    await waitUntilHeld(crew, [3], [again]);
  });
});
