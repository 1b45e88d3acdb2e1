// Tests the messages of the calls: the generated classes of the client decode what is encoded by hand.
import statuses from '@eventstore/db-client/generated/status_pb.js';
import streams, { type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AppendFailed,
  logMessageIn,
  logRequest,
  requestOf,
  streamRequest,
  subscriptionRequest,
  writtenIn,
} from '../../../../src/infrastructure/facts/eventstoredb/messages.js';
import type { NewEvent } from '../../../../src/infrastructure/facts/facts.js';
import {
  badRequestResponse,
  deniedResponse,
  notReadyResponse,
  responseOf,
  timeoutResponse,
} from '../../../support/eventstoredb/batch-messages.js';
import {
  caughtUpFrame,
  checkpointFrame,
  confirmationFrame,
  eventFrame,
  expectedIn,
  nameIn,
  proposedIn,
} from '../../../support/eventstoredb/frames.js';
import { metadata } from '../support/harness.js';

const decoded = (request: Buffer) => {
  const message = streams.BatchAppendReq.deserializeBinary(request);
  const options = message.getOptions();
  return {
    correlationId: message.getCorrelationId()?.getString(),
    stream: nameIn(options?.getStreamIdentifier()),
    expected: options && expectedIn(options),
    isFinal: message.getIsFinal(),
    events: proposedIn(message)?.map(({ data, metadata, ...event }) => ({
      ...event,
      data: JSON.parse(data.toString()),
      metadata: JSON.parse(metadata.toString()),
    })),
  };
};

const anEvent: fc.Arbitrary<NewEvent> = fc.record({
  id: fc.uuid(),
  type: fc.string({ minLength: 1, unit: 'grapheme' }),
  data: fc.dictionary(fc.string(), fc.string({ unit: 'grapheme', maxLength: 40_000 }), { noNullPrototype: true }),
  metadata: fc.constant(metadata),
});

describe('an append', () => {
  it('decodes to what was encoded, for any names, lengths and revisions', () =>
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.string({ minLength: 1, unit: 'grapheme', maxLength: 2_000 }),
        fc.oneof(fc.constant('no-stream' as const), fc.maxSafeNat()),
        fc.array(anEvent, { minLength: 1, maxLength: 4 }),
        (correlationId, stream, expected, events) => {
          expect(decoded(requestOf(correlationId, { stream, expected, events }))).toEqual({
            correlationId,
            stream,
            expected: expected === 'no-stream' ? 'no_stream' : expected,
            isFinal: true,
            events: events.map((event) => ({ ...event, contentType: 'application/json' })),
          });
        },
      ),
    ));
});

const decodedRead = (request: Buffer) => {
  const options = streams.ReadReq.deserializeBinary(request).getOptions();
  const [stream, all, filter] = [options?.getStream(), options?.getAll(), options?.getFilter()];
  return {
    stream: stream && nameIn(stream.getStreamIdentifier()),
    from: stream?.hasRevision() ? Number(stream.getRevision()) : undefined,
    at: [stream?.hasEnd() || all?.hasEnd() || false, all?.hasStart()],
    position: all?.getPosition()?.getCommitPosition(),
    isBackwards: options?.getReadDirection() === 1,
    count: options?.hasSubscription() ? 'live' : Number(options?.getCount()),
    prefixes: filter?.getStreamIdentifier()?.getPrefixList(),
    reportEvery: filter && [filter.getMax(), filter.getCheckpointintervalmultiplier()],
    isUnfiltered: options?.hasNoFilter(),
    asText: options?.getUuidOption()?.hasString(),
  };
};
const NOTHING = {
  ...{
    stream: undefined,
    from: undefined,
    position: undefined,
    prefixes: undefined,
    reportEvery: undefined,
    asText: true,
  },
};

describe('a read', () => {
  it('of a stream decodes to what was encoded', () => {
    const read = (from: number | undefined, backwards: boolean) =>
      decodedRead(streamRequest('naïve-1', { from, limit: 300, backwards }));
    const common = { ...NOTHING, stream: 'naïve-1', count: 300, isUnfiltered: true };
    for (const from of [0, 127, 128, 2 ** 40]) {
      expect(read(from, false)).toEqual({ ...common, from, at: [false, undefined], isBackwards: false });
    }
    expect(read(undefined, true)).toEqual({ ...common, at: [true, undefined], isBackwards: true });
  });

  it('of the log decodes to what was encoded', () => {
    const after = '000000000000012c000000000000012c';
    const filtered = { prefixes: ['a-', 'b-'], reportEvery: [1_024, 1], isUnfiltered: false };
    expect(decodedRead(logRequest(after, 7))).toEqual({
      ...{ ...NOTHING, at: [false, false], position: '300', isBackwards: true, count: 7, isUnfiltered: true },
    });
    expect(decodedRead(logRequest(undefined, 7, ['a', 'b']))).toEqual({
      ...{ ...NOTHING, ...filtered, at: [true, false], isBackwards: true, count: 7 },
    });
    expect(decodedRead(subscriptionRequest({ aggregates: ['a', 'b'], after: undefined }, 4))).toEqual({
      ...{ ...NOTHING, ...filtered, reportEvery: [1_024, 4], at: [false, true], isBackwards: false, count: 'live' },
    });
    expect(decodedRead(subscriptionRequest({ aggregates: ['a', 'b'], after }, 1))).toMatchObject({
      ...{ at: [false, false], position: '300', reportEvery: [1_024, 1] },
    });
  });
});

describe('a response', () => {
  const about = { correlationId: 'a', stream: 's-1', expected: 3 } as const;
  const failureIn = (response: BatchAppendResp): AppendFailed => {
    try {
      writtenIn(response);
    } catch (error) {
      if (error instanceof AppendFailed) return error;
      throw error;
    }
    throw new Error('nothing was thrown');
  };

  it('has the revision and the position of the append', () =>
    expect(writtenIn(responseOf(about, { outcome: 'written', revision: 4, position: 300 }))).toEqual({
      revision: 4,
      position: '000000000000012c000000000000012c',
    }));

  it('may omit the position', () => {
    const response = responseOf(about, { outcome: 'written', revision: 4, position: 300 });
    response.getSuccess()?.clearPosition();
    expect(writtenIn(response)).toEqual({ revision: 4, position: undefined });
  });

  it('reports that the stream has another revision', () =>
    expect(writtenIn(responseOf(about, { outcome: 'wrong-version', current: 9 }))).toBeUndefined());

  it.each([
    ['stream-deleted', responseOf(about, { outcome: 'deleted' })],
    ['maximum-append-size-exceeded', responseOf(about, { outcome: 'too-large' })],
    ['access-denied', deniedResponse(about)],
    ['invalid-argument', badRequestResponse(about, 'no type')],
    ['unavailable', notReadyResponse(about)],
    ['', timeoutResponse(about)],
    ['', new streams.BatchAppendResp().setError(new statuses.Status().setMessage('without details'))],
    ['', new streams.BatchAppendResp()],
  ])('reports that the append failed: %j', (type, response) => {
    const message = response.getError()?.getMessage() ?? expect.any(String);
    expect(failureIn(response)).toMatchObject({ type, message });
  });
});

describe('a message of a subscription to the log', () => {
  const id = '5f1f2c1e-6d5c-4d0e-9a55-0d7f5e0c8a01';
  const stored = {
    ...{ position: 300, stream: 'user-1', revision: 4, id, type: 'Happened', contentType: 'application/json' },
    ...{ data: Buffer.from('{}'), metadata: Buffer.from(JSON.stringify(metadata)), created: 0 },
  };
  const position = '000000000000012c000000000000012c';
  const event = { id, type: 'Happened', data: {}, metadata, stream: 'user-1', revision: 4, position };

  it.each([
    ['has an event and its position', eventFrame(stored), { event, position, isCaughtUp: false }],
    ['has a position without an event', checkpointFrame(300), { event: undefined, position, isCaughtUp: false }],
    ['reports the end', caughtUpFrame(), { event: undefined, position: undefined, isCaughtUp: true }],
    ['has neither', confirmationFrame(), { event: undefined, position: undefined, isCaughtUp: false }],
  ])('%s', (_, frame, expected) => {
    const message = Buffer.from(frame.serializeBinary());
    expect(logMessageIn(message)).toEqual({ ...expected, bytes: message.length });
  });
});
