import { describe, expect, it, onTestFinished } from 'vitest';
import { everyoneLives, HOUR_MS } from '../infrastructure/views-harness.js';
import { eventually } from '../support/eventually.js';
import { Crew, SHORTLY, type Worker } from './crew.js';
import { eventsIn, expectedOf, snapshotOf } from './replay.js';
import { Touchy } from './touchy.js';

/** A crew that ends with the test. */
const crewOf = async (projections: number): Promise<Crew> => {
  const crew = await Crew.of(projections);
  onTestFinished(() => crew.close());
  return crew;
};

const areHeld = (crew: Crew, each: readonly number[], workers?: readonly Worker[]) =>
  eventually(async () => expect(await crew.held(workers)).toEqual({ each, nobodys: 0 }));

const allAreHeld = (crew: Crew, workers?: readonly Worker[]) =>
  eventually(async () => {
    const { each, nobodys } = await crew.held(workers);
    expect({ nobodys, held: each.reduce((sum, count) => sum + count, 0) }).toEqual({
      nobodys: 0,
      held: crew.touchies.length,
    });
  });

/** Every projection has folded the whole log, and holds what a fold in memory gives. */
const hasMissedNothing = async ({ facts, views, touchies }: Crew) => {
  const head = await facts.head();
  await eventually(async () => {
    for (const { position } of await views.checkpoints()) expect(position).toBe(head);
  });
  for (const { projection } of touchies) {
    const events = await eventsIn(facts, projection.aggregates);
    expect(await snapshotOf(views, projection)).toStrictEqual(expectedOf(projection, events));
  }
};

/** Appends events of all projections. */
const happen = async ({ facts, touchies }: Crew, ...names: readonly string[]) => {
  for (const touchy of touchies) await touchy.happen(facts, ...names);
};

describe('the projections of several workers', () => {
  it.each([1, 3, 12])('are all run, each by one worker, when %i workers start at once', async (workers) => {
    const crew = await crewOf(10);
    await happen(crew, 'one');
    crew.joinAll(workers);
    await allAreHeld(crew);
    await happen(crew, 'two');
    await hasMissedNothing(crew);
  });

  it('stay where they are when a worker joins', async () => {
    const crew = await crewOf(3);
    crew.join();
    await areHeld(crew, [3]);
    const joined = crew.join();
    await happen(crew, 'one');
    await hasMissedNothing(crew);
    const looked = joined.calls.get('checkpoints') ?? 0;
    await eventually(() => expect(joined.calls.get('checkpoints')).toBeGreaterThan(looked + 10));
    expect(joined.calls.get('acquire')).toBeUndefined();
    await areHeld(crew, [3, 0]);
  });

  it('go to the others when one dies, once its lease has expired', async () => {
    const crew = await crewOf(6);
    const victim = crew.join(SHORTLY);
    await areHeld(crew, [6]);
    const others = crew.joinAll(2);
    victim.kill();
    await happen(crew, 'one');
    await allAreHeld(crew, others);
    await hasMissedNothing(crew);
  });

  it('go to the others at once when one is known to be dead', async () => {
    const crew = await crewOf(6);
    const victim = crew.join();
    await areHeld(crew, [6]);
    let isDead = false;
    const isAlive = (name: string) => name !== victim.name || !isDead;
    const others = [crew.join({ isAlive }), crew.join({ isAlive })];
    victim.kill();
    isDead = true;
    await allAreHeld(crew, others);
  });

  it('go to the others when one leaves', async () => {
    const crew = await crewOf(6);
    const leaving = crew.join();
    await areHeld(crew, [6]);
    const others = crew.joinAll(2);
    await leaving.leave();
    await allAreHeld(crew, others);
    await happen(crew, 'one');
    await hasMissedNothing(crew);
  });

  it('are what a fresh fold gives if a worker is paused, loses all it had, and wakes up late', async () => {
    const crew = await crewOf(4);
    const sleeper = crew.join(SHORTLY);
    await happen(crew, 'one');
    await areHeld(crew, [4]);
    await hasMissedNothing(crew);
    const commits = sleeper.calls.get('commit') ?? 0;
    const wake = sleeper.pause();
    await happen(crew, 'two');
    // A batch of each is on its way by now, and comes to the store after those of its successor.
    await eventually(() => expect(sleeper.calls.get('commit')).toBe(commits + 4));
    const other = crew.join();
    await areHeld(crew, [4], [other]);
    await happen(crew, 'three');
    const head = await crew.facts.head();
    await eventually(async () => {
      for (const { position } of await crew.views.checkpoints()) expect(position).toBe(head);
    });
    wake();
    await happen(crew, 'four');
    await hasMissedNothing(crew);
    await areHeld(crew, [0, 4]);
  });

  it("are taken from the operator's tool when it gives its lease back", async () => {
    const crew = await crewOf(2);
    const held = { projection: 'small0', number: 1 };
    const lease = await crew.views.acquire(held, 'the tool', HOUR_MS, everyoneLives);
    crew.join();
    await eventually(async () => expect(await crew.held()).toEqual({ each: [1], nobodys: 0 }));
    if (lease !== undefined) await crew.views.release(lease);
    await areHeld(crew, [2]);
  });

  it('go only to workers whose code can fold them', async () => {
    const crew = await crewOf(3);
    const newer = new Touchy('small0', 2);
    await happen(crew, 'one');
    const old = crew.join();
    await areHeld(crew, [3]);
    await crew.views.prepare(newer.projection);
    const [, ...same] = crew.touchies;
    const next = crew.join({}, [newer, ...same]);
    await eventually(async () => {
      const [first] = await crew.views.checkpoints();
      expect(first).toMatchObject({ projection: 'small0', version: 2, state: 'live', heldBy: next.name });
    });
    await areHeld(crew, [2, 1]);
    await next.leave();
    await eventually(async () => expect(await crew.held()).toEqual({ each: [2, 0], nobodys: 1 }));
    const again = crew.join({}, [newer, ...same]);
    await old.leave();
    await areHeld(crew, [3], [again]);
  });
});
