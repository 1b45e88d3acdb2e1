import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { skipEvent, skippedLines } from '../../src/cli/skip.js';
import type { Facts, Position } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite.js';
import { decisionsId } from '../../src/projections/skipped.js';
import { checkpointsOf } from '../infrastructure/views-harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { FragileProjection } from './fragile.js';
import { eventsIn, expectedOf, snapshotOf, startRunner } from './replay.js';

const all = { where: {}, prefix: {}, order: 'oldest-first', after: undefined, limit: 200 } as const;
const REASON = 'written by hand';

describe('an event that an operator makes a projection skip', () => {
  let facts: SqliteFacts;
  let views: SqliteViews;
  let fragile: FragileProjection;
  let calm: FragileProjection;
  const closings: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    const directory = temporaryDirectory();
    facts = new SqliteFacts(directory);
    views = new SqliteViews(directory);
    fragile = new FragileProjection('fragile');
    calm = new FragileProjection('calm');
    fragile.failsOn = 'bad';
    for (const { projection } of [fragile, calm]) await views.prepare(projection);
  });
  afterEach(async () => {
    for (const close of closings.splice(0)) await close();
    await views.close();
    await facts.close();
  });

  const work = () => {
    const runner = startRunner(facts, views, [fragile.projection, calm.projection]);
    closings.push(runner.close);
    return runner;
  };
  const skip = (position: Position | undefined, reason: string | undefined = REASON) =>
    skipEvent({ facts, views }, fragile.projection, {
      ...(position !== undefined && { position }),
      ...(reason !== undefined && { reason }),
    });
  const stops = (position: Position | undefined, number = 1) =>
    eventually(async () => {
      const found = (await checkpointsOf(views, 'fragile')).find((checkpoint) => checkpoint.number === number);
      expect(found?.stopped?.position).toBe(position);
    });
  const isThrough = () =>
    eventually(async () => {
      const last = (await eventsIn(facts, ['fragile'])).at(-1)?.position ?? '';
      const [found] = await checkpointsOf(views, 'fragile');
      expect(found?.stopped).toBeUndefined();
      expect((found?.position ?? '') >= last).toBe(true);
    });
  const names = async () => {
    const { json } = await views.list({ ...all, collection: 'fragileNames' });
    return (JSON.parse(json) as readonly { readonly name: string }[]).map(({ name }) => name);
  };
  const decisions = () => eventsIn(facts, ['projection']);
  /** Expects the store to hold what a fold of the log without the skipped event gives. */
  const isFoldedWithout = async ({ projection }: FragileProjection, skipped: Position | undefined) => {
    const events = (await eventsIn(facts, [projection.name])).filter(({ position }) => position !== skipped);
    expect(await snapshotOf(views, projection)).toStrictEqual(expectedOf(projection, events));
  };

  it.each([
    { where: 'at the start', names: ['bad', 'one', 'two'] },
    { where: 'in the middle', names: ['one', 'bad', 'two'] },
    { where: 'at the end', names: ['one', 'two', 'bad'] },
    { where: 'as the only event', names: ['bad'] },
  ])('is skipped $where of a batch, and the running worker folds the events after it', async (given) => {
    const positions = await fragile.append(facts, ...given.names);
    await calm.append(facts, 'one', 'bad');
    const bad = positions[given.names.indexOf('bad')];
    work();
    await stops(bad);
    await skip(bad);
    await fragile.append(facts, 'three');
    await isThrough();
    expect(await names()).toEqual([...given.names.filter((name) => name !== 'bad'), 'three']);
    await isFoldedWithout(fragile, bad);
    await isFoldedWithout(calm, undefined);
  });

  it('is recorded once as a decision of the operator, with the reason', async () => {
    const [, bad] = await fragile.append(facts, 'one', 'bad');
    work();
    await stops(bad);
    const { stream } = await skip(bad, `${REASON} 🩺`);
    const expected = { projection: 'fragile', position: bad, stream, revision: 0, type: 'Happened' };
    expect(await decisions()).toMatchObject([
      {
        stream: `projection-${decisionsId('fragile')}`,
        type: 'ProjectionEventSkipped',
        data: { ...expected, reason: `${REASON} 🩺` },
        metadata: { actor: { id: 'operator', roles: [] }, schemaVersion: 1 },
      },
    ]);
    const [line, ...more] = await skippedLines(facts, 'fragile');
    expect(line).toContain(`${bad}, Happened in ${stream} at revision 0: ${REASON} 🩺`);
    expect(more).toEqual([]);
    expect(await skippedLines(facts, 'calm')).toEqual([]);
  });

  it('is skipped if the tool stopped between the decision and its effect, and is run again', async () => {
    const [bad] = await fragile.append(facts, 'bad', 'one');
    work();
    await stops(bad);
    const cutOff = { checkpoints: () => views.checkpoints(), setStopped: () => Promise.reject(new Error('cut off')) };
    const wanted = { position: bad ?? '', reason: REASON };
    await expect(skipEvent({ facts, views: cutOff as never }, fragile.projection, wanted)).rejects.toThrow('cut off');
    await stops(bad);
    await skip(bad, 'the same again');
    await isThrough();
    expect(await decisions()).toHaveLength(1);
    expect(await names()).toEqual(['one']);
  });

  it('is skipped again in a rebuild, in a replay and after a restart', async () => {
    const [, bad] = await fragile.append(facts, 'one', 'bad', 'two');
    const { close } = work();
    await stops(bad);
    await skip(bad);
    await isThrough();
    await close();
    closings.pop();
    work();
    const { number } = await views.startGeneration(fragile.projection);
    await eventually(async () =>
      expect(await checkpointsOf(views, 'fragile')).toMatchObject([{ number, state: 'live', stopped: undefined }]),
    );
    await isFoldedWithout(fragile, bad);
  });

  it('stays skipped even if it can be folded now', async () => {
    const [, bad] = await fragile.append(facts, 'one', 'bad', 'two');
    work();
    await stops(bad);
    await skip(bad);
    await isThrough();
    fragile.failsOn = undefined;
    const { number } = await views.startGeneration(fragile.projection);
    await eventually(async () => expect(await checkpointsOf(views, 'fragile')).toMatchObject([{ number }]));
    expect(await names()).toEqual(['one', 'two']);
  });

  it('is skipped by a session that began before the decision', async () => {
    const [bad] = await fragile.append(facts, 'bad', 'one');
    work();
    await stops(bad);
    const building = new FragileProjection('fragile', 2);
    building.failsOn = 'bad';
    await views.prepare(building.projection);
    const begun = waitingToRead(facts);
    const options = { owner: 'host/2/newer', isAlive: () => true };
    closings.push(startRunner(begun.facts, views, [building.projection], options).close);
    await begun.subscribed;
    await skip(bad);
    begun.release();
    await eventually(async () =>
      expect(await checkpointsOf(views, 'fragile')).toMatchObject([{ version: 2, state: 'live', stopped: undefined }]),
    );
    expect(await names()).toEqual(['one, version 2']);
  });

  it('is followed by the next event that cannot be folded, which needs its own decision', async () => {
    const [, bad, , worse] = await fragile.append(facts, 'one', 'bad', 'two', 'bad', 'three');
    work();
    await stops(bad);
    await skip(bad);
    await stops(worse);
    await skip(worse);
    await isThrough();
    expect(await names()).toEqual(['one', 'two', 'three']);
    expect(await skippedLines(facts, 'fragile')).toHaveLength(2);
  });

  it.each([
    { what: 'another position', of: ([, , later]: readonly Position[]) => later },
    { what: 'the position of a folded event', of: ([first]: readonly Position[]) => first },
    { what: 'no position', of: () => undefined },
  ])(
    'must be the event that stopped the projection: $what is refused, and the right position named',
    async ({ of }) => {
      const positions = await fragile.append(facts, 'one', 'bad', 'two');
      work();
      await stops(positions[1]);
      await expect(skip(of(positions))).rejects.toThrow(`stopped before ${positions[1]}`);
      await stops(positions[1]);
      expect(await decisions()).toEqual([]);
    },
  );

  it('cannot be skipped if the projection is not stopped', async () => {
    const [position] = await fragile.append(facts, 'one');
    work();
    await isThrough();
    await expect(skip(position)).rejects.toThrow('fragile is not stopped');
    expect(await decisions()).toEqual([]);
  });

  it.each([
    { what: 'no reason', reason: undefined },
    { what: 'an empty reason', reason: '' },
    { what: 'a blank reason', reason: ' \u200b ' },
    { what: 'a reason that is too long', reason: 'x'.repeat(501) },
  ])('is not skipped for $what', async ({ reason }) => {
    const [bad] = await fragile.append(facts, 'bad');
    work();
    await stops(bad);
    const wanted = { position: bad ?? '', ...(reason !== undefined && { reason }) };
    await expect(skipEvent({ facts, views }, fragile.projection, wanted)).rejects.toThrow('--reason');
    await stops(bad);
    expect(await decisions()).toEqual([]);
  });
});

describe('the decisions on a projection', () => {
  it('are in a stream whose name never changes', () => {
    expect(decisionsId('protocols')).toBe('6aa4b831-90b1-5550-91e7-8a0eb778a377');
  });
});

/** Returns the same log. Its subscriptions start (then `subscribed` resolves), but deliver nothing before `release`. */
const waitingToRead = (facts: Facts) => {
  let announce = () => {};
  let release = () => {};
  const subscribed = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const subscribe: Facts['subscribe'] = async function* (range, signal) {
    announce();
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
  return { facts: waiting, subscribed, release: () => release() };
};
