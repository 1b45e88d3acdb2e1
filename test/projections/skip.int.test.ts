import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { skipEvent, skippedLines } from '../../src/cli/skip.js';
import type { Facts, Position } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite.js';
import { decisionsId } from '../../src/projections/skipped.js';
import { checkpointsOf } from '../infrastructure/views-harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { eventsIn, expectedOf, snapshotOf, startRunner } from './replay.js';
import { Touchy } from './touchy.js';

const all = { where: {}, prefix: {}, order: 'oldest-first', after: undefined, limit: 200 } as const;
const REASON = 'written by hand';

describe('an event that an operator has a projection leave out', () => {
  let facts: SqliteFacts;
  let views: SqliteViews;
  let touchy: Touchy;
  let calm: Touchy;
  const closings: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    const directory = temporaryDirectory();
    facts = new SqliteFacts(directory);
    views = new SqliteViews(directory);
    touchy = new Touchy('touchy');
    calm = new Touchy('calm');
    touchy.unbearable = 'bad';
    for (const { projection } of [touchy, calm]) await views.prepare(projection);
  });
  afterEach(async () => {
    for (const close of closings.splice(0)) await close();
    await views.close();
    await facts.close();
  });

  const work = () => {
    const runner = startRunner(facts, views, [touchy.projection, calm.projection]);
    closings.push(runner.close);
    return runner;
  };
  const skip = (position: Position | undefined, reason: string | undefined = REASON) =>
    skipEvent({ facts, views }, touchy.projection, {
      ...(position !== undefined && { position }),
      ...(reason !== undefined && { reason }),
    });
  const stops = (position: Position | undefined, number = 1) =>
    eventually(async () => {
      const found = (await checkpointsOf(views, 'touchy')).find((checkpoint) => checkpoint.number === number);
      expect(found?.stopped?.position).toBe(position);
    });
  const isThrough = () =>
    eventually(async () => {
      const last = (await eventsIn(facts, ['touchy'])).at(-1)?.position ?? '';
      const [found] = await checkpointsOf(views, 'touchy');
      expect(found?.stopped).toBeUndefined();
      expect((found?.position ?? '') >= last).toBe(true);
    });
  const names = async () => {
    const { json } = await views.list({ ...all, collection: 'touchyNames' });
    return (JSON.parse(json) as readonly { readonly name: string }[]).map(({ name }) => name);
  };
  const decisions = () => eventsIn(facts, ['projection']);
  /** All that is stored is what a fold of the log without that event gives. */
  const isFoldedWithout = async ({ projection }: Touchy, left: Position | undefined) => {
    const events = (await eventsIn(facts, [projection.name])).filter(({ position }) => position !== left);
    expect(await snapshotOf(views, projection)).toStrictEqual(expectedOf(projection, events));
  };

  it.each([
    { where: 'at the start', names: ['bad', 'one', 'two'] },
    { where: 'in the middle', names: ['one', 'bad', 'two'] },
    { where: 'at the end', names: ['one', 'two', 'bad'] },
    { where: 'alone', names: ['bad'] },
  ])('is left out $where of a batch, and what comes after it is folded by the worker that runs', async (given) => {
    const positions = await touchy.happen(facts, ...given.names);
    await calm.happen(facts, 'one', 'bad');
    const bad = positions[given.names.indexOf('bad')];
    work();
    await stops(bad);
    await skip(bad);
    await touchy.happen(facts, 'three');
    await isThrough();
    expect(await names()).toEqual([...given.names.filter((name) => name !== 'bad'), 'three']);
    await isFoldedWithout(touchy, bad);
    await isFoldedWithout(calm, undefined);
  });

  it('is recorded as a decision of the operator, with the reason, once', async () => {
    const [, bad] = await touchy.happen(facts, 'one', 'bad');
    work();
    await stops(bad);
    const { stream } = await skip(bad, `${REASON} 🩺`);
    const expected = { projection: 'touchy', position: bad, stream, revision: 0, type: 'Happened' };
    expect(await decisions()).toMatchObject([
      {
        stream: `projection-${decisionsId('touchy')}`,
        type: 'ProjectionEventSkipped',
        data: { ...expected, reason: `${REASON} 🩺` },
        metadata: { actor: { id: 'operator', roles: [] }, schemaVersion: 1 },
      },
    ]);
    const [line, ...more] = await skippedLines(facts, 'touchy');
    expect(line).toContain(`${bad}, Happened in ${stream} at revision 0: ${REASON} 🩺`);
    expect(more).toEqual([]);
    expect(await skippedLines(facts, 'calm')).toEqual([]);
  });

  it('is left out even if the tool stopped between the decision and its effect, and is run again', async () => {
    const [bad] = await touchy.happen(facts, 'bad', 'one');
    work();
    await stops(bad);
    const cutOff = { checkpoints: () => views.checkpoints(), setStopped: () => Promise.reject(new Error('cut off')) };
    const wanted = { position: bad ?? '', reason: REASON };
    await expect(skipEvent({ facts, views: cutOff as never }, touchy.projection, wanted)).rejects.toThrow('cut off');
    await stops(bad);
    await skip(bad, 'the same again');
    await isThrough();
    expect(await decisions()).toHaveLength(1);
    expect(await names()).toEqual(['one']);
  });

  it('is left out again by a rebuild, by a replay, and after a restart', async () => {
    const [, bad] = await touchy.happen(facts, 'one', 'bad', 'two');
    const { close } = work();
    await stops(bad);
    await skip(bad);
    await isThrough();
    await close();
    closings.pop();
    work();
    const { number } = await views.startGeneration(touchy.projection);
    await eventually(async () =>
      expect(await checkpointsOf(views, 'touchy')).toMatchObject([{ number, state: 'live', stopped: undefined }]),
    );
    await isFoldedWithout(touchy, bad);
  });

  it('is left out also where it could be folded by now', async () => {
    const [, bad] = await touchy.happen(facts, 'one', 'bad', 'two');
    work();
    await stops(bad);
    await skip(bad);
    await isThrough();
    touchy.unbearable = undefined;
    const { number } = await views.startGeneration(touchy.projection);
    await eventually(async () => expect(await checkpointsOf(views, 'touchy')).toMatchObject([{ number }]));
    expect(await names()).toEqual(['one', 'two']);
  });

  it('is left out by a session that began before the decision', async () => {
    const [bad] = await touchy.happen(facts, 'bad', 'one');
    work();
    await stops(bad);
    const building = new Touchy('touchy', 2);
    building.unbearable = 'bad';
    await views.prepare(building.projection);
    const begun = waitingToRead(facts);
    const options = { owner: 'host/2/newer', isAlive: () => true };
    closings.push(startRunner(begun.facts, views, [building.projection], options).close);
    await begun.subscribed;
    await skip(bad);
    begun.goOn();
    await eventually(async () =>
      expect(await checkpointsOf(views, 'touchy')).toMatchObject([{ version: 2, state: 'live', stopped: undefined }]),
    );
    expect(await names()).toEqual(['one, version 2']);
  });

  it('leads to the next one that cannot be folded, which is decided on by itself', async () => {
    const [, bad, , worse] = await touchy.happen(facts, 'one', 'bad', 'two', 'bad', 'three');
    work();
    await stops(bad);
    await skip(bad);
    await stops(worse);
    await skip(worse);
    await isThrough();
    expect(await names()).toEqual(['one', 'two', 'three']);
    expect(await skippedLines(facts, 'touchy')).toHaveLength(2);
  });

  it.each([
    { what: 'another position', of: ([, , later]: readonly Position[]) => later },
    { what: 'one that was folded', of: ([first]: readonly Position[]) => first },
    { what: 'none', of: () => undefined },
  ])('is the one that stopped it: $what is refused, and the right one named', async ({ of }) => {
    const positions = await touchy.happen(facts, 'one', 'bad', 'two');
    work();
    await stops(positions[1]);
    await expect(skip(of(positions))).rejects.toThrow(`stopped before ${positions[1]}`);
    await stops(positions[1]);
    expect(await decisions()).toEqual([]);
  });

  it('is none where the projection is not stopped', async () => {
    const [position] = await touchy.happen(facts, 'one');
    work();
    await isThrough();
    await expect(skip(position)).rejects.toThrow('touchy is not stopped');
    expect(await decisions()).toEqual([]);
  });

  it.each([
    { what: 'no reason', reason: undefined },
    { what: 'an empty reason', reason: '' },
    { what: 'a blank reason', reason: ' \u200b ' },
    { what: 'a reason that is too long', reason: 'x'.repeat(501) },
  ])('is not left out for $what', async ({ reason }) => {
    const [bad] = await touchy.happen(facts, 'bad');
    work();
    await stops(bad);
    const wanted = { position: bad ?? '', ...(reason !== undefined && { reason }) };
    await expect(skipEvent({ facts, views }, touchy.projection, wanted)).rejects.toThrow('--reason');
    await stops(bad);
    expect(await decisions()).toEqual([]);
  });
});

describe('the decisions about a projection', () => {
  it('are in a stream that never changes its name', () => {
    expect(decisionsId('protocols')).toBe('6aa4b831-90b1-5550-91e7-8a0eb778a377');
  });
});

/** The same log. Its subscriptions start (then `subscribed` resolves), but deliver nothing before the test lets them. */
const waitingToRead = (facts: Facts) => {
  let tell = () => {};
  let goOn = () => {};
  const subscribed = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const subscribe: Facts['subscribe'] = async function* (range, signal) {
    tell();
    await held;
    yield* facts.subscribe(range, signal);
  };
  const waiting = new Proxy(facts, {
    get: (target, name) => {
      if (name === 'subscribe') return subscribe;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { facts: waiting, subscribed, goOn: () => goOn() };
};
