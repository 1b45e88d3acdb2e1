// Appends to a misbehaving EventStoreDB. Whatever happens to the response, an append is written once or refused.
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { AppendTooLarge, StoreUnavailable, StreamTruncated } from '../../../../src/infrastructure/errors.js';
import type { EventStoreDbFacts } from '../../../../src/infrastructure/facts/eventstoredb.js';
import type { Fault } from '../../../support/eventstoredb/faults.js';
import { LAST_REVISION } from '../../../support/eventstoredb/records.js';
import { eventually } from '../../../support/eventually.js';
import { collect, newEvent, newEvents, newStream, written } from '../support/harness.js';
import { failure, sharedNode } from './support/node.js';

const { server, open } = sharedNode();
const idsOf = async (facts: EventStoreDbFacts, stream: string) =>
  (await collect(facts.readStream(stream))).map(({ id }) => id);

// Failures after which the client does not know whether the append was written. errors.test.ts has all of them.
const UNCERTAIN: readonly (readonly [string, Fault])[] = [
  ['a reset connection', { kind: 'cut' }],
  ['an end without a response', { kind: 'half-close' }],
  ['UNAVAILABLE', failure(status.UNAVAILABLE, 'Connection dropped')],
  ['a commit timeout', failure(status.ABORTED, 'Operation timed out: Commit phase timeout.')],
];

describe('an append whose response is lost', () => {
  it.each(UNCERTAIN)('after its commit (%s) is found to be written', async (_, how) => {
    const facts = open();
    const [stream, events] = [newStream(), newEvents(3)];
    server.faults.inject('batch-append', how, { afterCommit: true });
    const { revision, position } = written(await facts.append(stream, 'no-stream', events));
    const read = await collect(facts.readStream(stream));
    expect(read.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    expect({ revision, position }).toEqual({ revision: read[2]?.revision, position: read[2]?.position });
  });

  it.each([...UNCERTAIN, ['not ready', { kind: 'not-ready' }] as const])(
    'before its commit (%s) is retried and written once',
    async (_, how) => {
      const facts = open();
      const [stream, events] = [newStream(), newEvents(2)];
      written(await facts.append(stream, 'no-stream', newEvents(1)));
      server.faults.inject('batch-append', how, { times: 2 });
      expect(await facts.append(stream, 0, events)).toMatchObject({ outcome: 'written', revision: 2 });
      expect(await idsOf(facts, stream)).toHaveLength(3);
    },
  );

  it.each([true, false])('because the server is silent (after its commit: %s) is settled', async (afterCommit) => {
    const facts = open({ deadlineMs: 1_500 });
    const [stream, events] = [newStream(), newEvents(2)];
    server.faults.inject('batch-append', { kind: 'silence' }, { afterCommit });
    expect(await facts.append(stream, 'no-stream', events)).toMatchObject({ outcome: 'written', revision: 1 });
    expect(await idsOf(facts, stream)).toEqual(events.map(({ id }) => id));
  });

  it('is a conflict if another append was written in its place', async () => {
    const facts = open({ deadlineMs: 1_500 });
    const stream = newStream();
    server.faults.inject('batch-append', { kind: 'silence' });
    const lost = facts.append(stream, 'no-stream', newEvents(1));
    await eventually(() => expect(server.faults.pending).toBe(0));
    await open().append(stream, 'no-stream', newEvents(1));
    expect(await lost).toEqual({ outcome: 'conflict' });
  });

  it('rejects as unavailable if the server never responds, and the same append is written later', async () => {
    const facts = open({ deadlineMs: 300 });
    const [stream, events] = [newStream(), newEvents(1)];
    server.faults.inject('batch-append', { kind: 'silence' }, { times: 99 });
    server.faults.inject('read', { kind: 'silence' }, { times: 99 });
    await expect(facts.append(stream, 'no-stream', events)).rejects.toBeInstanceOf(StoreUnavailable);
    server.faults.clear();
    expect(await open().append(stream, 'no-stream', events)).toMatchObject({ outcome: 'written', revision: 0 });
    expect(await idsOf(facts, stream)).toHaveLength(1);
  });

  it('is written once even if the server is killed meanwhile', async () => {
    const facts = open();
    const streams = Array.from({ length: 30 }, () => newStream());
    server.faults.inject('batch-append', { kind: 'silence' }, { times: 10, afterCommit: true });
    server.faults.inject('batch-append', { kind: 'silence' }, { times: 10 });
    const appends = streams.map((stream) => facts.append(stream, 'no-stream', newEvents(2)));
    await eventually(() => expect(server.faults.pending).toBe(0));
    await server.restart();
    for (const outcome of await Promise.all(appends))
      expect(outcome).toMatchObject({ outcome: 'written', revision: 1 });
    for (const stream of streams) expect(await idsOf(facts, stream)).toHaveLength(2);
  });
});

describe('a wrong expected version', () => {
  it('caused by the append itself means that the append was written', async () => {
    const facts = open();
    const stream = newStream();
    const trailers = {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': '-1',
      'actual-version': '1',
    };
    server.faults.inject('batch-append', failure(status.FAILED_PRECONDITION, 'wrong', trailers), { afterCommit: true });
    expect(await facts.append(stream, 'no-stream', newEvents(2))).toMatchObject({ outcome: 'written', revision: 1 });
  });

  it('is not reported as a conflict until the stream can be read', async () => {
    const facts = open();
    const stream = newStream();
    const events = newEvents(2);
    await facts.append(stream, 'no-stream', events);
    server.faults.inject('read', failure(status.INTERNAL, 'not now'), { times: 2 });
    expect(await facts.append(stream, 'no-stream', newEvents(1))).toEqual({ outcome: 'conflict' });
    expect(server.faults.pending).toBe(0);
  });
});

describe('20 identical concurrent appends', () => {
  it.each(['one instance', '20 instances'])('through %s are written once, with one outcome', async (how) => {
    const one = open();
    const all = Array.from({ length: 20 }, () => (how === '20 instances' ? open() : one));
    const [stream, events] = [newStream(), newEvents(2)];
    const before = server.calls.get('batch-append') ?? 0;
    const release = server.store.hold();
    const appends = all.map((facts) => facts.append(stream, 'no-stream', events));
    await eventually(() =>
      expect(server.calls.get('batch-append')).toBeGreaterThan(before + (how === '20 instances' ? 18 : 0)),
    );
    release();
    const outcomes = await Promise.all(appends);
    expect(new Set(outcomes.map((outcome) => written(outcome).position)).size).toBe(1);
    expect(await idsOf(one, stream)).toEqual(events.map(({ id }) => id));
  });
});

describe('an append that the server refuses', () => {
  it.each([
    [
      'for lack of permission',
      failure(status.PERMISSION_DENIED, 'denied', { exception: 'access-denied' }),
      StoreUnavailable,
    ],
    [
      'as too large',
      failure(status.INVALID_ARGUMENT, 'large', {
        exception: 'maximum-append-size-exceeded',
        'maximum-append-size': '9',
      }),
      AppendTooLarge,
    ],
  ])('%s is not retried', async (_, how, error) => {
    const facts = open();
    const before = server.calls.get('batch-append') ?? 0;
    server.faults.inject('batch-append', how);
    await expect(facts.append(newStream(), 'no-stream', newEvents(1))).rejects.toBeInstanceOf(error);
    expect(server.calls.get('batch-append')).toBe(before + 1);
  });

  it('because of a tombstone is rejected with a message that says so', async () => {
    const facts = open();
    const stream = newStream();
    await facts.append(stream, 'no-stream', newEvents(2));
    await server.store.tombstone(stream);
    await expect(facts.append(stream, 1, newEvents(1))).rejects.toThrow(/tombstone/);
    expect(await idsOf(facts, stream)).toEqual([]);
    expect(await collect(facts.readStream(stream, { backwards: true }))).toEqual([]);
  });
});
describe('an append to a deleted stream', () => {
  it('starts the stream again and continues its revisions', async () => {
    const facts = open();
    const stream = newStream();
    await facts.append(stream, 'no-stream', newEvents(3));
    await server.store.setMetadata(stream, { $tb: LAST_REVISION });
    expect(await idsOf(facts, stream)).toEqual([]);
    const events = newEvents(2);
    server.faults.inject('batch-append', { kind: 'half-close' }, { afterCommit: true });
    const first = await facts.append(stream, 'no-stream', events);
    expect(first).toMatchObject({ outcome: 'written', revision: 4 });
    const stored = server.store.eventsOf(stream).slice(3);
    expect(stored.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    await expect(collect(facts.readStream(stream))).rejects.toBeInstanceOf(StreamTruncated);
  });
});

describe('an append that must not reach the server', () => {
  it.each([
    ['an empty type', newStream(), { ...newEvent(), type: '' }],
    ['a type that is reserved for the server', newStream(), { ...newEvent(), type: '$metadata' }],
    ['an id that is not a UUID', newStream(), { ...newEvent(), id: 'one' }],
    ['a body that JSON cannot represent', newStream(), { ...newEvent(), data: 1n }],
    ['no body', newStream(), { ...newEvent(), data: undefined }],
    ['a stream without a name', '', newEvent()],
    ['a stream that is reserved for the server', '$$x-1', newEvent()],
  ])('because it has %s rejects', async (_, stream, event) => {
    const before = server.calls.get('batch-append') ?? 0;
    await expect(open().append(stream, 'no-stream', [event])).rejects.toThrow();
    await expect(open().append(newStream(), 'no-stream', [])).rejects.toThrow('no events');
    expect(server.calls.get('batch-append') ?? 0).toBe(before);
  });
});

describe('the EventStoreDB engine', () => {
  it('works again when the server is back after an outage', async () => {
    const facts = open({ deadlineMs: 500 });
    const stream = newStream();
    await facts.append(stream, 'no-stream', newEvents(1));
    await server.kill();
    await expect(facts.append(stream, 0, newEvents(1))).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(facts.head()).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(collect(facts.readStream(stream))).rejects.toBeInstanceOf(StoreUnavailable);
    await server.start();
    // Append the same events each time, because an attempt whose response came too late may have appended them.
    const events = newEvents(1);
    await eventually(async () => expect(await facts.append(stream, 0, events)).toMatchObject({ revision: 1 }));
  });

  it('finishes its current appends when it is closed, and leaves those of other instances alone', async () => {
    const [facts, other] = [open(), open()];
    const before = server.calls.get('batch-append') ?? 0;
    const release = server.store.hold();
    const appends = [facts, other].map((each) => each.append(newStream(), 'no-stream', newEvents(1)));
    await eventually(() => expect(server.calls.get('batch-append')).toBe(before + 2));
    const closed = facts.close();
    release();
    await closed;
    for (const outcome of await Promise.all(appends)) expect(outcome).toMatchObject({ outcome: 'written' });
    await expect(facts.append(newStream(), 'no-stream', newEvents(1))).rejects.toBeInstanceOf(StoreUnavailable);
    written(await other.append(newStream(), 'no-stream', newEvents(1)));
  });

  it('closes even if the server does not respond', async () => {
    const facts = open({ deadlineMs: 200 });
    server.faults.inject('batch-append', { kind: 'silence' }, { times: 99 });
    server.faults.inject('read', { kind: 'silence' }, { times: 99 });
    const lost = expect(facts.append(newStream(), 'no-stream', newEvents(1))).rejects.toBeInstanceOf(StoreUnavailable);
    await facts.close();
    await lost;
  });
});
