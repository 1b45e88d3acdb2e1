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

const spreads = (crew: Crew, each: readonly number[], workers?: readonly Worker[]) =>
  eventually(async () => expect(await crew.held(workers)).toEqual({ each, nobodys: 0 }));

/** Every projection has folded the whole log, and holds what a fold in memory gives. */
const hasMissedNothing = async ({ facts, views, touchies }: Crew) => {
  const head = await facts.head();
  await eventually(async () => {
    for (const { position } of await views.checkpoints()) expect(position).toBe(head);
  });
  for (const { projection } of touchies) {
    const events = await eventsIn(facts, projection.aggregates);
    expect(await snapshotOf(views, projection, events)).toStrictEqual(expectedOf(projection, events));
  }
};

/** Appends events of all projections. */
const happen = async ({ facts, touchies }: Crew, ...names: readonly string[]) => {
  for (const touchy of touchies) await touchy.happen(facts, ...names);
};

describe('the projections of several workers', () => {
  it.each([
    { workers: 1, each: [10] },
    { workers: 3, each: [4, 3, 3] },
    { workers: 5, each: [2, 2, 2, 2, 2] },
    { workers: 10, each: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1] },
    { workers: 12, each: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0] },
  ])('are spread evenly over $workers that start at once', async ({ workers, each }) => {
    const crew = await crewOf(10);
    await happen(crew, 'one');
    crew.joinAll(workers);
    await spreads(crew, each);
    await happen(crew, 'two');
    await hasMissedNothing(crew);
  });

  it('go in part to one that joins, and all goes on', async () => {
    const crew = await crewOf(10);
    await happen(crew, 'one');
    crew.join();
    await spreads(crew, [10]);
    crew.join();
    await happen(crew, 'two');
    await spreads(crew, [5, 5]);
    crew.joinAll(3);
    await happen(crew, 'three');
    await spreads(crew, [2, 2, 2, 2, 2]);
    await happen(crew, 'four');
    await hasMissedNothing(crew);
  });

  it('do not move once they are spread', async () => {
    const crew = await crewOf(7);
    crew.joinAll(3);
    await spreads(crew, [3, 2, 2]);
    const holders = async () => (await crew.views.checkpoints()).map(({ heldBy }) => heldBy);
    const moves = () => crew.workers.map(({ calls }) => [calls.get('acquire'), calls.get('release')]);
    const looked = async (times: number) => {
      const before = crew.workers.map(({ calls }) => calls.get('attend') ?? 0);
      await eventually(() => {
        crew.workers.forEach(({ calls }, n) => {
          expect(calls.get('attend')).toBeGreaterThan((before[n] ?? 0) + times);
        });
      });
    };
    // What was under way when the last one was taken comes to its end first.
    await looked(2);
    const [settled, made] = [await holders(), moves()];
    await happen(crew, 'one', 'two');
    await looked(20);
    expect(await holders()).toEqual(settled);
    expect(moves()).toEqual(made);
  });

  it('go to the others when one dies, once its lease has expired', async () => {
    const crew = await crewOf(6);
    const victim = crew.join(SHORTLY);
    const others = crew.joinAll(2);
    await spreads(crew, [2, 2, 2]);
    victim.kill();
    await happen(crew, 'one');
    await spreads(crew, [3, 3], others);
    await hasMissedNothing(crew);
  });

  it('go to the others at once when one is known to be dead', async () => {
    const crew = await crewOf(6);
    const victim = crew.join();
    const isAlive = (name: string) => name !== victim.name || !isDead;
    let isDead = false;
    const others = [crew.join({ isAlive }), crew.join({ isAlive })];
    await spreads(crew, [2, 2, 2]);
    victim.kill();
    isDead = true;
    await spreads(crew, [3, 3], others);
  });

  it('go to the others when one leaves, and it is on the roll no more', async () => {
    const crew = await crewOf(6);
    const [leaving, ...others] = crew.joinAll(3);
    await spreads(crew, [2, 2, 2]);
    await leaving?.leave();
    await spreads(crew, [3, 3], others);
    await happen(crew, 'one');
    await hasMissedNothing(crew);
  });

  it('are what a fresh fold gives where a worker is paused, loses all it had, and wakes up late', async () => {
    const crew = await crewOf(4);
    const sleeper = crew.join(SHORTLY);
    await happen(crew, 'one');
    await spreads(crew, [4]);
    await hasMissedNothing(crew);
    const commits = sleeper.calls.get('commit') ?? 0;
    const wake = sleeper.pause();
    await happen(crew, 'two');
    // A batch of each is on its way by now, and comes to the store after those of its successor.
    await eventually(() => expect(sleeper.calls.get('commit')).toBe(commits + 4));
    const other = crew.join();
    await spreads(crew, [4], [other]);
    await happen(crew, 'three');
    const head = await crew.facts.head();
    await eventually(async () => {
      for (const { position } of await crew.views.checkpoints()) expect(position).toBe(head);
    });
    wake();
    await spreads(crew, [2, 2]);
    await happen(crew, 'four');
    await hasMissedNothing(crew);
  });

  it('that have stopped are not counted: the others are spread evenly', async () => {
    const crew = await crewOf(4);
    await happen(crew, 'bad');
    for (const touchy of crew.touchies.slice(0, 2)) touchy.unbearable = 'bad';
    crew.joinAll(2);
    await eventually(async () => expect(await crew.held()).toEqual({ each: [1, 1], nobodys: 2 }));
    const stopped = (await crew.views.checkpoints()).filter((checkpoint) => checkpoint.stopped !== undefined);
    expect(stopped.map(({ projection }) => projection)).toEqual(['small0', 'small1']);
    for (const touchy of crew.touchies) touchy.unbearable = undefined;
    for (const checkpoint of stopped) await crew.views.setStopped(checkpoint, undefined);
    await spreads(crew, [2, 2]);
    await hasMissedNothing(crew);
  });

  it("of which the operator's tool holds one are spread evenly without that one", async () => {
    const crew = await crewOf(5);
    const held = { projection: 'small0', number: 1 };
    const lease = await crew.views.acquire(held, 'the tool', HOUR_MS, everyoneLives);
    crew.joinAll(2);
    await spreads(crew, [2, 2]);
    if (lease !== undefined) await crew.views.release(lease);
    await spreads(crew, [3, 2]);
  });

  it('are left to nobody while workers of two versions of the code run beside each other', async () => {
    const crew = await crewOf(3);
    const newer = new Touchy('small0', 2);
    await happen(crew, 'one');
    const old = crew.join();
    await spreads(crew, [3]);
    await crew.views.prepare(newer.projection);
    const [, ...same] = crew.touchies;
    const next = crew.join({}, [newer, ...same]);
    await eventually(async () => {
      const [first] = await crew.views.checkpoints();
      expect(first).toMatchObject({ projection: 'small0', version: 2, state: 'live', heldBy: next.name });
    });
    await spreads(crew, [2, 1]);
    await old.leave();
    await spreads(crew, [3], [next]);
  });
});
