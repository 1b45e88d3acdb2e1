import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Facts, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite.js';
import type { Checkpoint } from '../../src/infrastructure/views/views.js';
import { allProjections } from '../../src/projections/all.js';
import { institutions } from '../../src/projections/institutions.js';
import { protocols } from '../../src/projections/protocols.js';
import { newEvent, written } from '../infrastructure/facts-harness.js';
import { checkpointsOf } from '../infrastructure/views-harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { Historian } from './history.js';
import { eventsIn, expectedOf, snapshotOf, startRunner } from './replay.js';
import { Touchy } from './touchy.js';

type Runner = ReturnType<typeof startRunner>;

describe('a projection that meets an event which it cannot fold', () => {
  let facts: SqliteFacts;
  let views: SqliteViews;
  let touchy: Touchy;
  let calm: Touchy;
  const runners: Runner[] = [];

  beforeEach(async () => {
    const directory = temporaryDirectory();
    facts = new SqliteFacts(directory);
    views = new SqliteViews(directory);
    touchy = new Touchy('touchy');
    calm = new Touchy('calm');
    for (const { projection } of [touchy, calm]) await views.prepare(projection);
  });
  afterEach(async () => {
    for (const runner of runners.splice(0)) await runner.close();
    await views.close();
    await facts.close();
  });

  const work = (): Runner => {
    const runner = startRunner(facts, views, [touchy.projection, calm.projection]);
    runners.push(runner);
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
    eventually(async () => expect((await checkpoint(name))?.position).toBe(position));
  const isAsExpected = async ({ projection }: Touchy) => {
    const events = await eventsIn(facts, [projection.name]);
    expect(await snapshotOf(views, projection)).toStrictEqual(expectedOf(projection, events));
  };
  const folded = async () => (await views.list({ ...all, collection: 'touchyNames' })).json;
  const all = { where: {}, prefix: {}, order: 'oldest-first', after: undefined, limit: 200 } as const;

  it('stops before it, and has folded all that came before', async () => {
    touchy.unbearable = 'bad';
    const [, good, bad] = await touchy.happen(facts, 'one', 'two', 'bad', 'three');
    work();
    expect(await stops(bad)).toMatchObject({ position: good, state: 'live' });
    expect(await folded()).toBe('[{"name":"one"},{"name":"two"}]');
  });

  it('says which event it was and what went wrong, and nothing of what the event holds', async () => {
    touchy.unbearable = 'a secret';
    const [bad] = await touchy.happen(facts, 'a secret');
    work();
    const reason = (await stops(bad))?.stopped?.reason;
    const { stream } = (await eventsIn(facts, ['touchy']))[0] ?? { stream: '' };
    expect(reason).toBe(`Happened in ${stream} at revision 0: RangeError: it cannot be borne`);
  });

  it('changes no collection by it', async () => {
    touchy.unbearable = 'bad';
    const [bad] = await touchy.happen(facts, 'bad');
    work();
    expect((await stops(bad))?.position).toBeUndefined();
    expect((await views.list({ ...all, collection: 'touchyCounts' })).json).toBe('[]');
  });

  it('skips nothing: what comes later waits', async () => {
    touchy.unbearable = 'bad';
    const [good, bad] = await touchy.happen(facts, 'one', 'bad');
    work();
    await stops(bad);
    await touchy.happen(facts, 'two', 'three');
    const [calmly] = await calm.happen(facts, 'four');
    await reaches(calmly, 'calm');
    expect(await checkpoint()).toMatchObject({ position: good, stopped: { position: bad } });
    expect(await folded()).toBe('[{"name":"one"}]');
  });

  it('does not hold up the others', async () => {
    touchy.unbearable = 'bad';
    await touchy.happen(facts, 'bad');
    await calm.happen(facts, 'bad', 'one');
    work();
    await eventually(async () => expect((await checkpoint())?.stopped).toBeDefined());
    const [last] = await calm.happen(facts, 'two');
    await reaches(last, 'calm');
    await isAsExpected(calm);
    expect((await checkpoint('calm'))?.stopped).toBeUndefined();
  });

  it('is reported by the metrics', async () => {
    touchy.unbearable = 'bad';
    const [bad] = await touchy.happen(facts, 'bad');
    const { metrics } = work();
    await stops(bad);
    await eventually(async () =>
      expect(await metrics.text(new Map())).toContain('projection_stopped{projection="touchy"} 1'),
    );
  });

  it('goes on by a retry once it can be folded, and has missed nothing', async () => {
    touchy.unbearable = 'bad';
    const [, bad] = await touchy.happen(facts, 'one', 'bad', 'two');
    const { metrics } = work();
    const found = await stops(bad);
    touchy.unbearable = undefined;
    if (found !== undefined) await views.setStopped(found, undefined);
    const [last] = await touchy.happen(facts, 'three');
    await reaches(last);
    await isAsExpected(touchy);
    expect((await checkpoint())?.stopped).toBeUndefined();
    expect(await metrics.text(new Map())).toContain('projection_stopped{projection="touchy"} 0');
  });

  it('stops at it again by a retry while it cannot be folded, and at the next one after it', async () => {
    touchy.unbearable = 'bad';
    const [, bad, , worse] = await touchy.happen(facts, 'one', 'bad', 'two', 'worse');
    work();
    for (let time = 1; time <= 2; time += 1) {
      const found = await stops(bad);
      if (found !== undefined) await views.setStopped(found, undefined);
    }
    await stops(bad);
    touchy.unbearable = 'worse';
    const found = await checkpoint();
    if (found !== undefined) await views.setStopped(found, undefined);
    await stops(worse);
    expect(await folded()).toBe('[{"name":"one"},{"name":"bad"},{"name":"two"}]');
  });

  it('stays stopped for other processes to see, which try it once and no more', async () => {
    touchy.unbearable = 'bad';
    const [good, bad] = await touchy.happen(facts, 'one', 'bad');
    await work().close();
    runners.pop();
    work();
    await stops(bad);
    const { metrics } = work();
    await eventually(async () =>
      expect(await metrics.text(new Map())).toContain('projection_stopped{projection="touchy"} 1'),
    );
    expect(await stops(bad)).toMatchObject({ position: good });
  });

  it('goes on in a process that has just started and can fold it', async () => {
    touchy.unbearable = 'bad';
    const [, bad] = await touchy.happen(facts, 'one', 'bad', 'two');
    const former = work();
    await stops(bad);
    await former.close();
    touchy.unbearable = undefined;
    const [last] = await touchy.happen(facts, 'three');
    work();
    await reaches(last);
    await isAsExpected(touchy);
  });
});

describe('the projections of the service', () => {
  it.each([
    { what: 'are null', of: () => null },
    { what: 'lack the question', of: (formId: unknown) => ({ formId, moved: [] }) },
    { what: 'hold null for the question', of: (formId: unknown) => ({ formId, question: null, moved: [] }) },
    { what: 'lack what was moved', of: (formId: unknown) => ({ formId, question: {} }) },
  ])('stop at an event whose data $what, protocols alone', async ({ of }) => {
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

/** Appends a question to the newest form of all whose data are not what they should be; gives its position. */
const spoil = async (facts: Facts, events: readonly RecordedEvent[], dataOf: (formId: unknown) => unknown) => {
  const created = events.findLast(({ type }) => type === 'ProtocolFormVersionCreated');
  const stream = created?.stream ?? '';
  const { formId } = (created?.data ?? {}) as { formId?: unknown };
  const revision = events.filter((event) => event.stream === stream).length - 1;
  const event = { ...newEvent(dataOf(formId)), type: 'ProtocolQuestionAdded' };
  return written(await facts.append(stream, revision, [event])).position;
};
