// Subscribes to a misbehaving EventStoreDB. Whatever happens to the connection, no event is repeated or skipped.
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../../src/infrastructure/errors.js';
import type { EventStoreDbFacts } from '../../../../src/infrastructure/facts/eventstoredb.js';
import type { LogPage } from '../../../../src/infrastructure/facts/facts.js';
import { callError, notReady, stopped, thrownByHandler, tooSlow } from '../../../support/eventstoredb/errors.js';
import type { Fault } from '../../../support/eventstoredb/faults.js';
import { eventually } from '../../../support/eventually.js';
import { dataOf, newAggregate, newEvents, newStream, Subscriber, written } from '../support/harness.js';
import { failure } from './support/node.js';
import { sharedSubscribers } from './support/subscribers.js';

const { server, outages, open, subscribe, live } = sharedSubscribers();
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

/**
 * Returns the data of the first `count` events of a stream's aggregate. Waits for `onPage` before it takes each page.
 */
const take = async (
  facts: EventStoreDbFacts,
  stream: string,
  count: number,
  onPage: (page: LogPage) => unknown = () => undefined,
) => {
  const range = { aggregates: [stream.split('-')[0] ?? ''], after: undefined };
  const taken: unknown[] = [];
  for await (const page of facts.subscribe(range, AbortSignal.timeout(600_000))) {
    await onPage(page);
    taken.push(...dataOf(page.events));
    if (taken.length >= count) break;
  }
  return taken;
};

describe('a subscription', () => {
  it.each([
    ['shutting down', () => server.failSubscriptions(stopped())],
    ['not ready', () => server.failSubscriptions(notReady())],
    ['broken', () => server.failSubscriptions(callError(status.INTERNAL, 'broken'))],
    ['cancelling calls', () => server.failSubscriptions(callError(status.CANCELLED, 'Call cancelled'))],
    ['throwing an exception', () => server.failSubscriptions(thrownByHandler())],
    ['dropping slow subscribers', () => server.failSubscriptions(tooSlow())],
    ['behind a proxy that ends calls', () => server.endSubscriptions()],
    ['behind a network that resets connections', () => server.cut()],
  ])('continues at its position, and listens again, when the server is %s', async (_, drop) => {
    const { facts, stream, subscriber } = await live();
    const calls = server.calls.get('subscribe') ?? 0;
    drop();
    await eventually(() => expect(server.calls.get('subscribe') ?? 0).toBeGreaterThan(calls));
    await facts.append(stream, 0, newEvents(300, 1));
    await eventually(() => expect(subscriber.events.length).toBeGreaterThanOrEqual(301));
    await eventually(() => expect(server.subscriptions).toBe(1));
    await facts.append(stream, 300, newEvents(1, 301));
    await eventually(() => expect(subscriber.events.length).toBeGreaterThanOrEqual(302));
    await subscriber.end();
    expect(dataOf(subscriber.events)).toEqual(upTo(302));
  });

  it('is woken by the server, long before it would read by itself', async () => {
    const { facts, stream, subscriber } = await live({ pollMs: 600_000 });
    await facts.append(stream, 0, newEvents(1, 1));
    await eventually(() => expect(dataOf(subscriber.events)).toEqual([0, 1]));
    await open().append(stream, 1, newEvents(1, 2));
    await eventually(() => expect(dataOf(subscriber.events)).toEqual([0, 1, 2]));
  });

  it('resumes at its position when the server is killed repeatedly while others write', async () => {
    const { facts, stream, subscriber } = await live();
    const writing = (async () => {
      for (let n = 1; n < 200; n += 1) written(await facts.append(stream, n - 1, newEvents(1, n)));
    })();
    for (const least of [30, 80, 130]) {
      await eventually(() => expect(subscriber.events.length).toBeGreaterThan(least));
      await server.restart();
    }
    await writing;
    await eventually(() => expect(subscriber.events.length).toBeGreaterThanOrEqual(200));
    await subscriber.end();
    expect(dataOf(subscriber.events)).toEqual(upTo(200));
  });

  it('resumes at its position in the middle of a backlog', async () => {
    const facts = open();
    const aggregate = newAggregate();
    const stream = newStream(aggregate);
    for (let n = 0; n < 3_000; n += 500) await facts.append(stream, n === 0 ? 'no-stream' : n - 1, newEvents(500, n));
    const taken = await take(facts, stream, 3_000, ({ atEnd }) => atEnd || server.cut());
    expect(taken).toEqual(upTo(3_000));
  });

  it('in a burst of foreign events from many writers stays open on the server', async () => {
    const { facts, stream, subscriber } = await live({ pollMs: 600_000 });
    await facts.append(stream, 0, newEvents(1, 1));
    await eventually(() => expect(subscriber.events).toHaveLength(2));
    const calls = server.calls.get('subscribe');
    const release = server.store.hold();
    const aggregate = newAggregate();
    const writes = upTo(10).map(() => facts.append(newStream(aggregate), 'no-stream', newEvents(40)));
    await eventually(() => expect(server.store.held).toBe(400));
    release();
    await Promise.all(writes);
    await facts.append(stream, 1, newEvents(1, 2));
    await eventually(() => expect(subscriber.events).toHaveLength(3));
    expect(server.calls.get('subscribe')).toBe(calls);
  });

  it.each<[string, Fault]>([
    ['silent', { kind: 'silence' }],
    ['not ready', { kind: 'not-ready' }],
    ['broken', failure(status.INTERNAL, 'broken')],
  ])('whose reads find the server %s tries again, and reports the outage once', async (_, fault) => {
    const facts = open({ deadlineMs: fault.kind === 'silence' ? 300 : 20_000 });
    const aggregate = newAggregate();
    await open().append(newStream(aggregate), 'no-stream', newEvents(10));
    server.faults.inject('read', fault, { times: 6 });
    const subscriber = subscribe(facts, aggregate);
    await eventually(() => expect(dataOf(subscriber.events)).toEqual(upTo(10)));
    expect(server.faults.pending).toBe(0);
    expect(outages).toEqual([expect.any(StoreUnavailable)]);
  });

  it('that the server no longer wakes goes on', async () => {
    const { facts, stream, subscriber } = await live();
    server.muteSubscriptions();
    await facts.append(stream, 0, newEvents(5, 1));
    await eventually(() => expect(dataOf(subscriber.events)).toEqual(upTo(6)));
  });

  it('waits for a server that is down', async () => {
    await server.kill();
    const facts = open();
    const aggregate = newAggregate();
    const subscriber = subscribe(facts, aggregate);
    await eventually(() => expect(outages).toHaveLength(1));
    await server.start();
    await eventually(() => facts.append(newStream(aggregate), 'no-stream', newEvents(3)));
    await eventually(() => expect(dataOf(subscriber.events)).toEqual(upTo(3)));
  });
});

describe('the position of a subscription', () => {
  it('never moves past an event that was not delivered', async () => {
    const { facts, stream, subscriber } = await live();
    server.muteSubscriptions();
    const own = written(await facts.append(stream, 0, newEvents(1, 1)));
    const foreign = written(await facts.append(newStream(), 'no-stream', newEvents(3)));
    await eventually(() => expect(subscriber.pages.at(-1)?.position).toBe(foreign.position));
    expect(dataOf(subscriber.events)).toEqual([0, 1]);
    const before = subscriber.pages.filter(({ position }) => (position ?? '') < own.position);
    expect(dataOf(before.flatMap(({ events }) => events))).toEqual([0]);
  });

  it("moves past EventStoreDB's own events, also those in streams of the service", async () => {
    const { stream, subscriber, facts } = await live();
    await server.store.tombstone(stream);
    await eventually(async () => expect(subscriber.pages.at(-1)?.position).toBe(await facts.head()));
    const again = subscribe(facts, stream.split('-')[0] ?? '');
    await eventually(() => expect(dataOf(again.events)).toEqual([0]));
    expect(dataOf(subscriber.events)).toEqual([0]);
  });

  it('is marked as the end only on the page that reaches the end of the log', async () => {
    const facts = open();
    const aggregate = newAggregate();
    await facts.append(newStream(aggregate), 'no-stream', newEvents(1_000));
    const [own, behind] = [subscribe(facts, aggregate), subscribe(facts, newAggregate())];
    for (const subscriber of [own, behind]) {
      await eventually(() => expect(subscriber.pages.at(-1)?.atEnd).toBe(true));
      expect(subscriber.pages.filter(({ atEnd }) => atEnd)).toHaveLength(1);
    }
    const head = await facts.head();
    const first = subscribe(facts, aggregate, head);
    await eventually(() => expect(first.pages).toMatchObject([{ events: [], position: head, atEnd: true }]));
  });

  it.each([255, 256, 512])('is marked as the end even if the last of %i events fills a page', async (count) => {
    const facts = open();
    const aggregate = newAggregate();
    await facts.append(newStream(aggregate), 'no-stream', newEvents(count));
    const subscriber = subscribe(facts, aggregate);
    await eventually(() => expect(subscriber.pages.at(-1)?.atEnd).toBe(true));
    expect(dataOf(subscriber.events)).toEqual(upTo(count));
    await facts.append(newStream(aggregate), 'no-stream', newEvents(1, count));
    await eventually(() => expect(dataOf(subscriber.events)).toEqual(upTo(count + 1)));
  });

  it('that is not in the log ends the subscription with an error', async () => {
    const facts = open();
    const aggregate = newAggregate();
    await facts.append(newStream(aggregate), 'no-stream', newEvents(2));
    const first = (after: string) =>
      facts.subscribe({ aggregates: [aggregate], after }, AbortSignal.timeout(600_000)).next();
    await expect(first(`${'1'.padStart(16, '0')}${'1'.padStart(16, '0')}`)).rejects.toThrow(/thrown by handler/);
    await expect(first('0000000000000042')).rejects.toThrow(/not a position of EventStoreDB/);
    await expect(facts.readLog({ aggregates: [aggregate], after: 'x' }, 10)).rejects.toThrow(/not a position/);
  });
});

describe('the end of a subscription', () => {
  it('ends its call, after an abort and after a break', async () => {
    const { facts, stream, subscriber } = await live();
    await subscriber.end();
    await eventually(() => expect(server.subscriptions).toBe(0));
    expect(await take(facts, stream, 1)).toEqual([0]);
    await eventually(() => expect(server.subscriptions).toBe(0));
  });

  it.each([
    ['the server is down', () => server.kill(), () => server.start()],
    [
      'it is silent',
      async () => server.faults.inject('read', { kind: 'silence' }, { times: 99 }),
      async () => undefined,
    ],
  ])('follows an abort even while %s', async (_, begin, recover) => {
    const facts = open({ pollMs: 600_000, deadlineMs: 600_000 });
    await begin();
    const calls = server.faults.pending;
    const subscriber = new Subscriber(facts, { aggregates: [newAggregate()], after: undefined });
    await eventually(() => expect(outages.length + calls - server.faults.pending).toBeGreaterThan(0));
    await subscriber.end();
    expect(subscriber.pages).toEqual([]);
    await recover();
  });

  it('follows the close of the engine, as unavailable', async () => {
    const facts = open();
    const pages = facts.subscribe(
      { aggregates: [newAggregate()], after: await facts.head() },
      AbortSignal.timeout(600_000),
    );
    await pages.next();
    const next = expect(pages.next()).rejects.toBeInstanceOf(StoreUnavailable);
    await facts.close();
    await next;
    const again = facts.subscribe({ aggregates: [newAggregate()], after: undefined }, AbortSignal.timeout(600_000));
    await expect(again.next()).rejects.toBeInstanceOf(StoreUnavailable);
  });
});
