import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Facts, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import type { Checkpoint } from '../../src/infrastructure/views/views.js';
import { allProjections } from '../../src/projections/all.js';
import { institutions } from '../../src/projections/institutions.js';
import { protocols } from '../../src/projections/protocols.js';
import { newEvent, written } from '../infrastructure/facts/support/harness.js';
import { checkpointsOf } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { FragileProjection } from './fragile.js';
import { Historian } from './history.js';
import { eventsIn, expectedOf, snapshotOf, startRunner } from './replay.js';

type Runner = ReturnType<typeof startRunner>;

describe('a projection with an event that it cannot fold', () => {
  let facts: SqliteFacts;
  let views: SqliteViews;
  let fragile: FragileProjection;
  let calm: FragileProjection;
  const runners: Runner[] = [];

  beforeEach(async () => {
    const directory = temporaryDirectory();
    facts = new SqliteFacts(directory);
    views = new SqliteViews(directory);
    fragile = new FragileProjection('fragile');
    calm = new FragileProjection('calm');
    for (const { projection } of [fragile, calm]) await views.prepare(projection);
  });
  afterEach(async () => {
    for (const runner of runners.splice(0)) await runner.close();
    await views.close();
    await facts.close();
  });

  const work = (): Runner => {
    const runner = startRunner(facts, views, [fragile.projection, calm.projection]);
    runners.push(runner);
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
    eventually(async () => expect((await checkpoint(name))?.position).toBe(position));
  const matchesLog = async ({ projection }: FragileProjection) => {
    const events = await eventsIn(facts, [projection.name]);
    expect(await snapshotOf(views, projection)).toStrictEqual(expectedOf(projection, events));
  };
  const folded = async () => (await views.list({ ...all, collection: 'fragileNames' })).json;
  const all = { where: {}, prefix: {}, order: 'oldest-first', after: undefined, limit: 200 } as const;

  it('stops before the event, and has folded all events before it', async () => {
    fragile.failsOn = 'bad';
    const [, good, bad] = await fragile.append(facts, 'one', 'two', 'bad', 'three');
    work();
    expect(await stops(bad)).toMatchObject({ position: good, state: 'live' });
    expect(await folded()).toBe('[{"name":"one"},{"name":"two"}]');
  });

  it('reports the event and the error, but nothing of the content of the event', async () => {
    fragile.failsOn = 'a secret';
    const [bad] = await fragile.append(facts, 'a secret');
    work();
    const reason = (await stops(bad))?.stopped?.reason;
    const { stream } = (await eventsIn(facts, ['fragile']))[0] ?? { stream: '' };
    expect(reason).toBe(`Happened in ${stream} at revision 0: RangeError: this name fails`);
  });

  it('stops before an event after which a document cannot be indexed', async () => {
    fragile.failsToIndex = 'bad';
    const [, good, bad] = await fragile.append(facts, 'one', 'two', 'bad', 'three');
    work();
    expect(await stops(bad)).toMatchObject({
      position: good,
      stopped: { reason: expect.stringContaining('no index') },
    });
    expect(await folded()).toBe('[{"name":"one"},{"name":"two"}]');
  });

  it('changes no collection with the event', async () => {
    fragile.failsOn = 'bad';
    const [bad] = await fragile.append(facts, 'bad');
    work();
    expect((await stops(bad))?.position).toBeUndefined();
    expect((await views.list({ ...all, collection: 'fragileCounts' })).json).toBe('[]');
  });

  it('does not skip the event: later events wait', async () => {
    fragile.failsOn = 'bad';
    const [good, bad] = await fragile.append(facts, 'one', 'bad');
    work();
    await stops(bad);
    await fragile.append(facts, 'two', 'three');
    const [last] = await calm.append(facts, 'four');
    await reaches(last, 'calm');
    expect(await checkpoint()).toMatchObject({ position: good, stopped: { position: bad } });
    expect(await folded()).toBe('[{"name":"one"}]');
  });

  it('does not block other projections', async () => {
    fragile.failsOn = 'bad';
    await fragile.append(facts, 'bad');
    await calm.append(facts, 'bad', 'one');
    work();
    await eventually(async () => expect((await checkpoint())?.stopped).toBeDefined());
    const [last] = await calm.append(facts, 'two');
    await reaches(last, 'calm');
    await matchesLog(calm);
    expect((await checkpoint('calm'))?.stopped).toBeUndefined();
  });

  it('is reported by the metrics', async () => {
    fragile.failsOn = 'bad';
    const [bad] = await fragile.append(facts, 'bad');
    const { metrics } = work();
    await stops(bad);
    await eventually(async () =>
      expect(await metrics.text(new Map())).toContain('projection_stopped{projection="fragile"} 1'),
    );
  });

  it('continues after a retry once it can fold the event, and has missed nothing', async () => {
    fragile.failsOn = 'bad';
    const [, bad] = await fragile.append(facts, 'one', 'bad', 'two');
    const { metrics } = work();
    const found = await stops(bad);
    fragile.failsOn = undefined;
    if (found !== undefined) await views.setStopped(found, undefined);
    const [last] = await fragile.append(facts, 'three');
    await reaches(last);
    await matchesLog(fragile);
    expect((await checkpoint())?.stopped).toBeUndefined();
    expect(await metrics.text(new Map())).toContain('projection_stopped{projection="fragile"} 0');
  });

  it('stops there again after a retry while it cannot fold the event, and then at the next such event', async () => {
    fragile.failsOn = 'bad';
    const [, bad, , worse] = await fragile.append(facts, 'one', 'bad', 'two', 'worse');
    work();
    for (let time = 1; time <= 2; time += 1) {
      const found = await stops(bad);
      if (found !== undefined) await views.setStopped(found, undefined);
    }
    await stops(bad);
    fragile.failsOn = 'worse';
    const found = await checkpoint();
    if (found !== undefined) await views.setStopped(found, undefined);
    await stops(worse);
    expect(await folded()).toBe('[{"name":"one"},{"name":"bad"},{"name":"two"}]');
  });

  it('stays stopped for other processes, which try the event only once', async () => {
    fragile.failsOn = 'bad';
    const [good, bad] = await fragile.append(facts, 'one', 'bad');
    await work().close();
    runners.pop();
    work();
    await stops(bad);
    const { metrics } = work();
    await eventually(async () =>
      expect(await metrics.text(new Map())).toContain('projection_stopped{projection="fragile"} 1'),
    );
    expect(await stops(bad)).toMatchObject({ position: good });
  });

  it('continues in a process that has just started and can fold the event', async () => {
    fragile.failsOn = 'bad';
    const [, bad] = await fragile.append(facts, 'one', 'bad', 'two');
    const former = work();
    await stops(bad);
    await former.close();
    fragile.failsOn = undefined;
    const [last] = await fragile.append(facts, 'three');
    work();
    await reaches(last);
    await matchesLog(fragile);
  });
});

describe('the projections of the service', () => {
  it.each([
    { what: 'are null', of: () => null },
    { what: 'lack the question', of: (formId: unknown) => ({ formId, moved: [] }) },
    { what: 'have null for the question', of: (formId: unknown) => ({ formId, question: null, moved: [] }) },
    { what: 'lack the list of moved questions', of: (formId: unknown) => ({ formId, question: {} }) },
  ])('stop only protocols at an event whose data $what', async ({ of }) => {
    const directory = temporaryDirectory();
    const facts = new SqliteFacts(directory);
    await new Historian(facts, 7).record(40);
    const events = await eventsIn(facts, ['protocol']);
    const position = await spoil(facts, events, of);
    await new Historian(facts, 8).record(10);

    const views = new SqliteViews(directory);
    for (const projection of allProjections) await views.prepare(projection);
    const { progress, close } = startRunner(facts, views, allProjections);
    const stopped = await eventually(async () => {
      const [found] = await checkpointsOf(views, protocols.name);
      expect(found?.stopped?.position).toBe(position);
      return found;
    });
    expect(stopped?.position).toBe(events.at(-1)?.position);
    expect(await snapshotOf(views, protocols)).toStrictEqual(expectedOf(protocols, events));
    expect(await progress.reached(institutions.name, (await facts.head()) ?? '', 20_000)).toBe(true);
    await close();
    await views.close();
    await facts.close();
  });
});

/** Appends a question with invalid data to the newest form, and returns its position. */
const spoil = async (facts: Facts, events: readonly RecordedEvent[], dataOf: (formId: unknown) => unknown) => {
  const created = events.findLast(({ type }) => type === 'ProtocolFormVersionCreated');
  const stream = created?.stream ?? '';
  const { formId } = (created?.data ?? {}) as { formId?: unknown };
  const revision = events.filter((event) => event.stream === stream).length - 1;
  const event = { ...newEvent(dataOf(formId)), type: 'ProtocolQuestionAdded' };
  return written(await facts.append(stream, revision, [event])).position;
};
