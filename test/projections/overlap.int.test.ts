// A session folds the next batch while the store writes.
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { LogRange } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import type { Commit, Views } from '../../src/infrastructure/views/views.js';
import { newEvents, written } from '../infrastructure/facts-harness.js';
import { checkpointsOf } from '../infrastructure/views/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { FragileProjection } from './fragile.js';
import { eventsIn, expectedOf, snapshotOf, startRunner } from './replay.js';

/** Returns the same store with some members replaced. */
const withMembers = <T extends object>(store: T, members: Partial<T>): T =>
  new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(members, name) ?? Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

it('folds the next batch while the store writes one, and writes the next batch only after that', async () => {
  const directory = temporaryDirectory();
  const [facts, views, fragile] = [
    new SqliteFacts(directory),
    new SqliteViews(directory),
    new FragileProjection('fragile'),
  ];
  const { projection } = fragile;
  await views.prepare(projection);
  const stream = `fragile-${randomUUID()}`;
  for (let from = 0; from < 7_000; from += 1_000) {
    const events = newEvents(1_000, from).map((event) => ({ ...event, data: { name: `${event.data}` } }));
    written(await facts.append(stream, from === 0 ? 'no-stream' : from - 1, events));
  }

  let read = 0;
  const subscribe = async function* (range: LogRange, signal: AbortSignal) {
    for await (const page of facts.subscribe(range, signal)) {
      read += page.events.length;
      yield page;
    }
  };
  const begun: number[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const commit: Views['commit'] = async (commit: Commit) => {
    begun.push(read);
    await held;
    return views.commit(commit);
  };
  const { close } = startRunner(withMembers(facts, { subscribe }), withMembers(views, { commit }), [projection]);
  onTestFinished(async () => {
    release();
    await close();
    await views.close();
    await facts.close();
  });

  await eventually(() => expect([begun.length, read >= 2 * (begun[0] ?? Number.NaN)]).toEqual([1, true]));
  release();
  const head = await facts.head();
  await eventually(async () => expect((await checkpointsOf(views, projection.name))[0]?.position).toBe(head));
  const events = await eventsIn(facts, projection.aggregates);
  expect(await snapshotOf(views, projection)).toStrictEqual(expectedOf(projection, events));
  expect(begun.length).toBeGreaterThan(2);
});
