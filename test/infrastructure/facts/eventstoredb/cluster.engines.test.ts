// Tests a cluster of EventStoreDB that loses its leader: the process survives, and no event is lost, skipped or
// repeated.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { UnavailableError } from '@eventstore/db-client';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DeadlinePassed } from '../../../../src/infrastructure/async.js';
import { StoreUnavailable } from '../../../../src/infrastructure/errors.js';
import { EventStoreClient } from '../../../../src/infrastructure/facts/eventstoredb/client.js';
import { EventStoreDbConnection } from '../../../../src/infrastructure/facts/eventstoredb/connection.js';
import { logRequest, subscriptionRequest } from '../../../../src/infrastructure/facts/eventstoredb/messages.js';
import { EventStoreDbFacts, type EventStoreDbOptions } from '../../../../src/infrastructure/facts/eventstoredb.js';
import type { Expected, NewEvent } from '../../../../src/infrastructure/facts/facts.js';
import { temporaryDirectory } from '../../../support/directory.js';
import { type ClusterOptions, EventStoreDbCluster } from '../../../support/eventstoredb/cluster.js';
import { EventStoreDbServer } from '../../../support/eventstoredb/server.js';
import { eventually } from '../../../support/eventually.js';
import { collect, dataOf, newAggregate, newEvents, newStream, Subscriber, written } from '../support/harness.js';

// Longer than any test, so that only the tested code can end a wait.
const FOREVER_MS = 600_000;

const startCluster = async (options: Partial<ClusterOptions> = {}): Promise<EventStoreDbCluster> => {
  const cluster = await EventStoreDbCluster.start({ directory: temporaryDirectory(), ...options });
  onTestFinished(() => cluster.stop());
  return cluster;
};

const open = (url: string, options: EventStoreDbOptions = {}): EventStoreDbFacts => {
  const facts = new EventStoreDbFacts(url, { pollMs: 20, ...options });
  onTestFinished(() => facts.close());
  return facts;
};

const hasLeader = (cluster: EventStoreDbCluster) => eventually(() => expect(cluster.leader).toBeDefined());
const becomesLeaderless = (cluster: EventStoreDbCluster) => eventually(() => expect(cluster.isElecting).toBe(true));

/** Writes a stream event by event until the test stops it, and sends refused events again. */
class Writer {
  readonly stream: string;
  acknowledged = 0;
  readonly #facts: EventStoreDbFacts;
  readonly #written: Promise<void>;
  #isOver = false;

  constructor(facts: EventStoreDbFacts, aggregate: string) {
    this.#facts = facts;
    this.stream = newStream(aggregate);
    this.#written = this.#write();
  }

  /** Resolves when the current event is acknowledged. */
  stop(): Promise<void> {
    this.#isOver = true;
    return this.#written;
  }

  async #write(): Promise<void> {
    let expected: Expected = 'no-stream';
    for (; !this.#isOver; this.acknowledged += 1)
      expected = await this.#retry(expected, newEvents(1, this.acknowledged));
  }

  async #retry(expected: Expected, events: readonly NewEvent[]): Promise<number> {
    return written(await eventually(() => this.#facts.append(this.stream, expected, events))).revision;
  }
}

const startWriters = (facts: EventStoreDbFacts, aggregate: string): readonly Writer[] =>
  Array.from({ length: 8 }, () => new Writer(facts, aggregate));

/** Resolves when every writer has received several more acknowledgements. */
const moreAcknowledged = (writers: readonly Writer[]): Promise<void> => {
  const counts = writers.map(({ acknowledged }) => acknowledged + 5);
  return eventually(() =>
    writers.forEach(({ acknowledged }, n) => void expect(acknowledged).toBeGreaterThan(counts[n] ?? 0)),
  );
};

/** Stops the writers. Expects the log and the subscriber to have exactly the acknowledged events, once and in order. */
const expectAll = async (
  writers: readonly Writer[],
  cluster: EventStoreDbCluster,
  subscriber: Subscriber,
): Promise<void> => {
  await Promise.all(writers.map((writer) => writer.stop()));
  const total = writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  await eventually(() => expect(subscriber.events.length).toBeGreaterThanOrEqual(total));
  await subscriber.end();
  const ids = cluster.log
    .filter(({ stream }) => writers.some((writer) => writer.stream === stream))
    .map(({ id }) => id);
  expect(subscriber.events.map(({ id }) => id)).toEqual(ids);
  for (const { stream, acknowledged } of writers) {
    const own = subscriber.events.filter((event) => event.stream === stream);
    expect(dataOf(own)).toEqual(Array.from({ length: acknowledged }, (_, n) => n));
  }
};

const uncaught: unknown[] = [];
const note = (reason: unknown) => void uncaught.push(reason);
beforeEach(() => void process.on('unhandledRejection', note));
afterEach(async () => {
  await nextTurn();
  process.off('unhandledRejection', note);
  expect(uncaught.splice(0)).toEqual([]);
});

describe('a cluster whose leader is killed repeatedly', () => {
  it.each([
    ['the client searches until there is a new leader', ''],
    ['the client gives up before there is a new leader', '&maxDiscoverAttempts=3'],
  ])('loses, skips and repeats no event if %s', async (_, parameters) => {
    const cluster = await startCluster();
    const facts = open(cluster.url + parameters);
    const aggregate = newAggregate();
    const subscriber = new Subscriber(facts, { aggregates: [aggregate], after: undefined });
    const writers = startWriters(facts, aggregate);
    for (let kill = 0; kill < 4; kill += 1) {
      await moreAcknowledged(writers);
      await cluster.killLeader();
      await hasLeader(cluster);
      await cluster.revive();
    }
    await moreAcknowledged(writers);
    await expectAll(writers, cluster, subscriber);
  });
});

describe('an election', () => {
  // The client does not catch the rejection of its own handling of this error, which would end the process.
  it('that outlasts the search does not end the process when the lost connection fails late', async () => {
    const cluster = await startCluster({ electionMs: FOREVER_MS });
    const facts = open(`${cluster.url}&maxDiscoverAttempts=20&keepAliveInterval=-1`, { deadlineMs: 20_000 });
    const subscriber = new Subscriber(facts, { aggregates: [newAggregate()], after: undefined });
    const leader = cluster.leader;
    await eventually(() => expect(leader?.subscriptions).toBe(1));
    await cluster.freezeLeader();
    await becomesLeaderless(cluster);
    await cluster.revive();
    const asked = leader?.calls.get('gossip') ?? 0;
    const call = expect(facts.head()).rejects.toBeInstanceOf(StoreUnavailable);
    await eventually(() => expect(leader?.calls.get('gossip')).toBeGreaterThan(asked));
    leader?.cut();
    await call;
    await subscriber.end();
  });

  it('is waited out by a call with a long deadline', async () => {
    const cluster = await startCluster();
    const facts = open(cluster.url, { deadlineMs: FOREVER_MS });
    const { position } = written(await facts.append(newStream(), 'no-stream', newEvents(1)));
    await cluster.killLeader();
    await becomesLeaderless(cluster);
    expect(await facts.head()).toBe(position);
  });

  it('delays no call beyond its deadline, and is not followed by the write of an append that was given up', async () => {
    const cluster = await startCluster();
    const facts = open(cluster.url, { deadlineMs: 300 });
    const [stream, later] = [newStream(), newStream()];
    await cluster.killLeader();
    await becomesLeaderless(cluster);
    const calls = [facts.append(stream, 'no-stream', newEvents(1)), facts.head(), collect(facts.readStream('a-1'))];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
    }
    await hasLeader(cluster);
    await eventually(() => facts.append(later, 'no-stream', newEvents(1)));
    expect(cluster.log.filter((event) => event.stream === stream)).toEqual([]);
  });
});

describe('a cluster whose leader is frozen', () => {
  it.each([
    ['by calls that get no response', '&keepAliveInterval=-1'],
    ['by keepalives and calls', ''],
  ])('is detected %s, and another leader accepts the writes', async (_, parameters) => {
    const cluster = await startCluster();
    const facts = open(cluster.url + parameters);
    const aggregate = newAggregate();
    const writers = startWriters(facts, aggregate);
    await moreAcknowledged(writers);
    await cluster.freezeLeader();
    await moreAcknowledged(writers);
    await cluster.revive();
    await moreAcknowledged(writers);
    await expectAll(writers, cluster, new Subscriber(facts, { aggregates: [aggregate], after: undefined }));
  });

  it('is detected if there is only a subscription', async () => {
    const cluster = await startCluster();
    const aggregate = newAggregate();
    const facts = open(cluster.url);
    const subscriber = new Subscriber(facts, { aggregates: [aggregate], after: undefined });
    const stream = newStream(aggregate);
    await open(cluster.url).append(stream, 'no-stream', newEvents(1));
    await eventually(() => expect(subscriber.events).toHaveLength(1));
    await cluster.freezeLeader();
    await hasLeader(cluster);
    await eventually(() => open(cluster.url).append(stream, 0, newEvents(1, 1)));
    await eventually(() => expect(dataOf(subscriber.events)).toEqual([0, 1]));
    await subscriber.end();
  });
});

describe('a call that gets no response', () => {
  it('makes later calls use another connection, and leaves open calls on the first connection alone', async () => {
    const server = new EventStoreDbServer({ directory: temporaryDirectory() });
    await server.start();
    onTestFinished(() => server.stop());
    const connection = new EventStoreDbConnection(server.url);
    onTestFinished(() => connection.close());
    const aggregate = newAggregate();
    const request = subscriptionRequest({ aggregates: [aggregate], after: undefined }, 1);
    const subscription = await connection.subscribe(request, FOREVER_MS);
    expect(await subscription.next()).toMatchObject({ isCaughtUp: true });
    const before = server.connections;
    server.faults.inject('read', { kind: 'silence' });
    await expect(connection.read(logRequest(undefined, 1), 2_000)).rejects.toBeInstanceOf(DeadlinePassed);
    await connection.append(newStream(aggregate), 'no-stream', newEvents(1), FOREVER_MS);
    expect(await subscription.next()).toMatchObject({ event: { data: 0 } });
    expect(server.connections).toBe(before + 1);
  });
});

describe('a connection that is given up', () => {
  // Without a turn of the event loop in between, the code that has just received the connection can still use it.
  it.each([0, 1, 2, 3, 4])('starts a call %i microtasks later', async (microtasks) => {
    const server = new EventStoreDbServer({ directory: temporaryDirectory() });
    await server.start();
    onTestFinished(() => server.stop());
    const client = new EventStoreClient(server.url);
    const node = await client.node();
    client.failed(node, new UnavailableError());
    for (let n = 0; n < microtasks; n += 1) await undefined;
    const call = node.read(new streams.ReadReq(), ...client.callArguments());
    await new Promise((resolve) => call.on('error', resolve));
  });
});

describe('a read', () => {
  // A follower may lack events up to the head of the log that the leader reports.
  it('is refused by a follower and served by the leader', async () => {
    const cluster = await startCluster();
    const connection = new EventStoreDbConnection(cluster.followerUrl);
    onTestFinished(() => connection.close());
    const request = logRequest(undefined, 1);
    await expect(connection.read(request, FOREVER_MS)).rejects.toMatchObject({ type: 'not-leader' });
    expect(await connection.read(request, FOREVER_MS)).toMatchObject({ events: [{ revision: 0 }] });
  });
});

describe('the connection string', () => {
  it('is accepted without output on the console', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    for (const url of ['esdb://a:1?tls=false', 'esdb://u:p?w@a,b/?tls=true', 'esdb+discover://a']) open(url);
    expect(warn).not.toHaveBeenCalled();
  });

  it('takes precedence over the defaults, in upper or lower case', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    open('esdb://a,b?tls=false&KEEPALIVE_INTERVAL=3000');
    expect(warn.mock.calls).toEqual([[expect.stringContaining('3000')]]);
    expect(() => open('esdb://a,b?tls=false&keepalivetimeout=-2')).toThrow('-2');
  });
});
