import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { Crew, SHORT_LEASE, type Worker } from './crew.js';
import { FragileProjection } from './fragile.js';
import { eventsIn, expectedOf, snapshotOf } from './replay.js';

/** Returns a crew that the end of the test closes. */
const crewOf = async (projections: number): Promise<Crew> => {
  const crew = await Crew.of(projections);
  onTestFinished(() => crew.close());
  return crew;
};

const areHeld = (crew: Crew, each: readonly number[], workers?: readonly Worker[]) =>
  eventually(async () => expect(await crew.held(workers)).toEqual({ each, unheld: 0 }));

const allAreHeld = (crew: Crew, workers?: readonly Worker[]) =>
  eventually(async () => {
    const { each, unheld } = await crew.held(workers);
    expect({ unheld, held: each.reduce((sum, count) => sum + count, 0) }).toEqual({
      unheld: 0,
      held: crew.fragiles.length,
    });
  });

/** Expects every projection to have folded the whole log and to hold what a fold in memory gives. */
const hasMissedNothing = async ({ facts, views, fragiles }: Crew) => {
  const head = await facts.head();
  await eventually(async () => {
    for (const { position } of await views.checkpoints()) expect(position).toBe(head);
  });
  for (const { projection } of fragiles) {
    const events = await eventsIn(facts, projection.aggregates);
    expect(await snapshotOf(views, projection)).toStrictEqual(expectedOf(projection, events));
  }
};

/** Appends events for all projections. */
const append = async ({ facts, fragiles }: Crew, ...names: readonly string[]) => {
  for (const fragile of fragiles) await fragile.append(facts, ...names);
};

describe('the projections of several workers', () => {
  it.each([1, 3, 12])('are all run, each by one worker, when %i workers start at the same time', async (workers) => {
    const crew = await crewOf(10);
    await append(crew, 'one');
    crew.joinAll(workers);
    await allAreHeld(crew);
    await append(crew, 'two');
    await hasMissedNothing(crew);
  });

  it('stay with their worker when another joins', async () => {
    const crew = await crewOf(3);
    crew.join();
    await areHeld(crew, [3]);
    const joined = crew.join();
    await append(crew, 'one');
    await hasMissedNothing(crew);
    const looked = joined.calls.get('checkpoints') ?? 0;
    await eventually(() => expect(joined.calls.get('checkpoints')).toBeGreaterThan(looked + 10));
    expect(joined.calls.get('acquire')).toBeUndefined();
    await areHeld(crew, [3, 0]);
  });

  it('move to the other workers when one dies, once its lease has expired', async () => {
    const crew = await crewOf(6);
    const dying = crew.join(SHORT_LEASE);
    await areHeld(crew, [6]);
    const others = crew.joinAll(2);
    dying.kill();
    await append(crew, 'one');
    await allAreHeld(crew, others);
    await hasMissedNothing(crew);
  });

  it('move to the other workers when one leaves', async () => {
    const crew = await crewOf(6);
    const leaving = crew.join();
    await areHeld(crew, [6]);
    const others = crew.joinAll(2);
    await leaving.leave();
    await allAreHeld(crew, others);
    await append(crew, 'one');
    await hasMissedNothing(crew);
  });

  it('equal a fresh fold if a worker is paused, loses all its leases and wakes up late', async () => {
    const crew = await crewOf(4);
    const sleeper = crew.join(SHORT_LEASE);
    await append(crew, 'one');
    await areHeld(crew, [4]);
    await hasMissedNothing(crew);
    const commits = sleeper.calls.get('commit') ?? 0;
    const wake = sleeper.pause();
    await append(crew, 'two');
    // A batch of each projection is under way and arrives after the batches of the next owner.
    await eventually(() => expect(sleeper.calls.get('commit')).toBe(commits + 4));
    const other = crew.join();
    await areHeld(crew, [4], [other]);
    await append(crew, 'three');
    const head = await crew.facts.head();
    await eventually(async () => {
      for (const { position } of await crew.views.checkpoints()) expect(position).toBe(head);
    });
    wake();
    await append(crew, 'four');
    await hasMissedNothing(crew);
    await areHeld(crew, [0, 4]);
  });

  it('move only to workers whose code can fold them', async () => {
    const crew = await crewOf(3);
    const newer = new FragileProjection('small0', 2);
    await append(crew, 'one');
    const old = crew.join();
    await areHeld(crew, [3]);
    await crew.views.prepare(newer.projection);
    const [, ...same] = crew.fragiles;
    const next = crew.join({}, [newer, ...same]);
    await eventually(async () => {
      const [first] = await crew.views.checkpoints();
      expect(first).toMatchObject({ projection: 'small0', version: 2, state: 'live', heldBy: next.name });
    });
    await areHeld(crew, [2, 1]);
    await next.leave();
    await eventually(async () => expect(await crew.held()).toEqual({ each: [2, 0], unheld: 1 }));
    const again = crew.join({}, [newer, ...same]);
    await old.leave();
    await areHeld(crew, [3], [again]);
  });
});
