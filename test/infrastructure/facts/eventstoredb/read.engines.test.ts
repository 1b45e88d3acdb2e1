// Reads from a misbehaving EventStoreDB, and reads events that other programs wrote there.
import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { AuditTrail } from '../../../../src/audit/trail.js';
import { StoreUnavailable } from '../../../../src/infrastructure/errors.js';
import type { EventStoreDbFacts } from '../../../../src/infrastructure/facts/eventstoredb.js';
import type { NewEvent, RecordedEvent } from '../../../../src/infrastructure/facts/facts.js';
import type { Fault } from '../../../support/eventstoredb/faults.js';
import { eventually } from '../../../support/eventually.js';
import {
  collect,
  dataOf,
  metadata,
  newAggregate,
  newEvent,
  newEvents,
  newStream,
  pagesOf,
  Subscriber,
} from '../support/harness.js';
import { failure, sharedNode } from './support/node.js';

const { server, open } = sharedNode();

const reads = (facts: EventStoreDbFacts, stream: string) => [
  () => collect(facts.readStream(stream)),
  () => collect(facts.readStream(stream, { backwards: true })),
  () => facts.head(),
  () => facts.readLog({ aggregates: ['protocol'], after: undefined }, 10),
];

describe('a read', () => {
  it.each<[string, Fault]>([
    ['silent', { kind: 'silence' }],
    ['not ready', { kind: 'not-ready' }],
    ['broken', failure(status.INTERNAL, 'broken')],
    ['throwing', failure(status.UNKNOWN, 'Exception was thrown by handler.')],
    ['denying access', failure(status.PERMISSION_DENIED, 'no', { exception: 'access-denied' })],
  ])('from a server that is %s rejects as unavailable', async (_, fault) => {
    const facts = open({ deadlineMs: fault.kind === 'silence' ? 200 : 20_000 });
    const stream = newStream();
    for (const read of reads(facts, stream)) {
      server.faults.inject('read', fault, { times: 2 });
      await expect(read()).rejects.toBeInstanceOf(StoreUnavailable);
      server.faults.clear();
    }
  });

  it('that finds a dead connection is retried', async () => {
    const facts = open();
    const stream = newStream();
    await facts.append(stream, 'no-stream', newEvents(3));
    for (const read of reads(facts, stream)) {
      server.faults.inject('read', { kind: 'cut' });
      await read();
      expect(server.faults.pending).toBe(0);
    }
  });

  it('of the log at its end is a single call', async () => {
    const facts = open();
    await facts.append(newStream(), 'no-stream', newEvents(1));
    const range = { aggregates: [newAggregate()], after: await facts.head() };
    const before = server.calls.get('read') ?? 0;
    expect(await facts.readLog(range, 10)).toEqual({ events: [], position: range.after, atEnd: true });
    expect(server.calls.get('read')).toBe(before + 1);
  });

  it('of the log may start at a position where foreign events were skipped', async () => {
    const facts = open();
    const aggregate = newAggregate();
    await facts.append(newStream(), 'no-stream', newEvents(700));
    const { events, position } = await facts.readLog({ aggregates: [newAggregate()], after: undefined }, 1);
    expect(events).toEqual([]);
    await facts.append(newStream(aggregate), 'no-stream', newEvents(2));
    expect(dataOf((await facts.readLog({ aggregates: [aggregate], after: position }, 10)).events)).toEqual([0, 1]);
  });
});

describe('large events', () => {
  const KIB = 1024;
  const largeEvents = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, n) => newEvent({ n, text: 'x'.repeat(bytes) }));
  const placesOf = (events: readonly RecordedEvent[]) => events.map(({ data }) => (data as { readonly n: number }).n);
  const fillWith = async (facts: EventStoreDbFacts, stream: string, events: readonly NewEvent[]) => {
    for (const [n, event] of events.entries()) await facts.append(stream, n === 0 ? 'no-stream' : n - 1, [event]);
  };

  it('are all read from a server that needs longer for them than the deadline of a call', async () => {
    const aggregate = newAggregate();
    const stream = newStream(aggregate);
    const events = largeEvents(40, 50 * KIB);
    await fillWith(open(), stream, events);
    const facts = open({ deadlineMs: 1_000 });
    const places = events.map((_, n) => n);
    server.eventMs = 50;
    expect(placesOf(await collect(facts.readStream(stream)))).toEqual(places);
    expect(placesOf(await collect(facts.readStream(stream, { backwards: true })))).toEqual(places.toReversed());
    const subscriber = new Subscriber(facts, { aggregates: [aggregate], after: undefined });
    await eventually(() => expect(placesOf(subscriber.events)).toEqual(places));
    await subscriber.end();
  });

  it('come in pages of a few MiB', async () => {
    const facts = open();
    const aggregate = newAggregate();
    const stream = newStream(aggregate);
    await fillWith(facts, stream, largeEvents(20, 900 * KIB));
    const before = server.calls.get('read') ?? 0;
    expect(placesOf(await collect(facts.readStream(stream)))).toHaveLength(20);
    expect((server.calls.get('read') ?? 0) - before).toBeGreaterThan(3);
    const pages = await pagesOf(facts, { aggregates: [aggregate], after: undefined }, 256);
    expect(pages.flatMap((page) => placesOf(page.events))).toEqual(Array.from({ length: 20 }, (_, n) => n));
    for (const page of pages) expect(JSON.stringify(page.events).length).toBeLessThan(6 * KIB * KIB);
  });

  it('of another writer are a conflict, although an append reads only a part of them', async () => {
    const facts = open();
    const stream = newStream();
    await fillWith(facts, stream, largeEvents(8, 900 * KIB));
    expect(await facts.append(stream, 'no-stream', newEvents(8))).toEqual({ outcome: 'conflict' });
  });
});

const raw = ({
  type = 'Happened',
  data = Buffer.from('{}'),
  metadata: given = '',
  contentType = 'application/json',
}) => ({
  id: randomUUID() as string,
  type,
  contentType,
  data,
  metadata: Buffer.from(given),
});

describe('an event that another program wrote', () => {
  it('is returned as it is, but for metadata of another form', async () => {
    const facts = open();
    const aggregate = newAggregate();
    const stream = newStream(aggregate);
    const events = [
      raw({ data: Buffer.from('{"not": json') }),
      raw({ data: Buffer.from([0, 1, 255]), contentType: 'application/octet-stream', metadata: 'not json' }),
      raw({ metadata: '[1]' }),
      raw({
        metadata: JSON.stringify({ ...metadata, at: 'yesterday', actor: { id: 7 }, schemaVersion: '2', origin: 5 }),
      }),
      raw({ metadata: JSON.stringify(metadata) }),
    ];
    await server.store.append(stream, 'no_stream', events);
    const read = await collect(facts.readStream(stream));
    expect(dataOf(read)).toEqual(['{"not": json', new Uint8Array([0, 1, 255]), {}, {}, {}]);
    expect(read.map(({ id, type, revision }) => ({ id, type, revision }))).toEqual(
      events.map(({ id, type }, revision) => ({ id, type, revision })),
    );
    const unknown = (index: number) => ({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      actor: { id: 'unknown', roles: [] },
      correlationId: events[index]?.id.replaceAll('-', ''),
      causationId: events[index]?.id,
      schemaVersion: 1,
    });
    expect(read.map((event) => event.metadata)).toEqual([unknown(0), unknown(1), unknown(2), unknown(3), metadata]);

    const subscriber = new Subscriber(facts, { aggregates: [aggregate], after: undefined });
    await eventually(() => expect(subscriber.events).toEqual(read));
    await subscriber.end();
  });

  it('is not in the audit trail, in either order, if its stream has no dash', async () => {
    const facts = open();
    const aggregate = newAggregate();
    const stream = newStream(aggregate);
    await facts.append(stream, 'no-stream', newEvents(1));
    await server.store.append(`${aggregate}s`, 'no_stream', [raw({})]);
    for (const isBackwards of [false, true]) {
      const order = { from: undefined, isBackwards };
      const { events } = await new AuditTrail(facts).page({ category: aggregate }, order, {
        events: 10,
        logPages: 200,
      });
      expect(events.map((event) => event.stream)).toEqual([stream]);
    }
  });
});
