// Tests what the server and the process do for several readers of a log: no event is read or decoded for each of them.
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { repetitions } from '../../../support/repetitions.js';
import { dataOf, newEvents, newStream } from '../support/harness.js';
import { sharedSubscribers } from './support/subscribers.js';

const { server, outages, open, subscribe, live } = sharedSubscribers();
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

const foreignEvents = (count: number) =>
  upTo(count).map(() => ({
    id: randomUUID() as string,
    type: 'Happened',
    contentType: 'application/json',
    data: Buffer.from('{}'),
    metadata: Buffer.from('{}'),
  }));

describe('the log of EventStoreDB', () => {
  // The slowest server does not examine as many events in half of the deadline as it reports at a time.
  it.each([0, 1_200, 12_000])(
    'has the server examine the events of others once, if it needs %i ms for them',
    async (neededMs) => {
      const facts = open({ deadlineMs: 1_500, pollMs: 1_000 });
      const streams = upTo(3).map(() => newStream());
      await facts.append(newStream(), 'no-stream', newEvents(1));
      const after = await facts.head();
      const foreign = repetitions('FOREIGN_EVENTS');
      for (let n = 0; n < foreign; n += 1_000)
        await server.store.append(newStream(), 'no_stream', foreignEvents(1_000));
      for (const [n, stream] of streams.entries()) await facts.append(stream, 'no-stream', newEvents(1, n));
      Object.assign(server, { examinedPerMs: foreign / neededMs, examined: 0 });
      onTestFinished(() => {
        server.examinedPerMs = Number.POSITIVE_INFINITY;
      });
      const subscribers = streams.map((stream) => subscribe(facts, stream.split('-')[0] ?? '', after));
      for (const [n, subscriber] of subscribers.entries()) {
        await eventually(() => expect(dataOf(subscriber.events)).toEqual([n]));
        await eventually(() => expect(subscriber.pages.at(-1)?.atEnd).toBe(true));
      }
      expect(server.examined).toBeGreaterThan(3 * foreign);
      expect(server.examined).toBeLessThan(1.1 * 3 * foreign);
      expect(outages).toEqual([]);
    },
    600_000,
  );

  it('shares the events of the process from one subscription, and reads nothing for them', async () => {
    const { facts, stream, subscriber } = await live({ pollMs: 600_000 });
    const [aggregate = ''] = stream.split('-');
    const others = upTo(5).map(() => subscribe(facts, aggregate));
    await facts.append(stream, 0, newEvents(1, 1));
    for (const each of [subscriber, ...others]) await eventually(() => expect(each.events).toHaveLength(2));
    const before = [server.calls.get('subscribe'), server.calls.get('read')];
    for (let n = 2; n < 100; n += 1) await facts.append(stream, n - 1, newEvents(1, n));
    for (const each of [subscriber, ...others]) await eventually(() => expect(dataOf(each.events)).toEqual(upTo(100)));
    expect([server.calls.get('subscribe'), server.calls.get('read')]).toEqual(before);
    expect(server.subscriptions).toBe(1);
  });

  it('changes between the pages of a backlog and the memory, in any order', async () => {
    const { facts, stream, subscriber } = await live({ pollMs: 600_000 });
    const aggregates = [stream.split('-')[0] ?? ''];
    const append = async (from: number, to: number) => {
      for (let n = from; n < to; n += 50) await facts.append(stream, n - 1, newEvents(50, n));
      await eventually(() => expect(subscriber.events).toHaveLength(to));
    };
    const taken: unknown[] = [];
    const slow = facts.subscribe({ aggregates, after: undefined }, AbortSignal.timeout(600_000));
    const takeUpTo = async (count: number) => {
      while (taken.length < count) taken.push(...dataOf((await slow.next()).value?.events ?? []));
    };
    // The memory begins behind the first event. It holds some thousand events.
    await takeUpTo(1);
    await append(1, 5_001);
    await takeUpTo(600);
    await append(5_001, 5_051);
    // The rest of these pages comes from the memory.
    await takeUpTo(2_000);
    await append(5_051, 10_051);
    await takeUpTo(10_051);
    await slow.return(undefined);
    expect(taken).toEqual(upTo(10_051));
  });
});
