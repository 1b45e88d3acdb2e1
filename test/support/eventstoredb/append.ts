// The Append method. Each append is one call, which streams the events in and gets one response.

import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { handleClientStreamingCall, ServiceError, sendUnaryData } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { type Backend, misbehaves } from './calls.js';
import { callError, commitTimeout, streamDeleted, thrownByHandler } from './errors.js';
import { expectedIn, isComplete, nameIn, proposedIn } from './frames.js';
import { type ExpectedVersion, MAX_APPEND_BYTES, type WriteOutcome } from './records.js';

type Callback = sendUnaryData<AppendResp>;

export const appendHandler =
  (backend: Backend): handleClientStreamingCall<AppendReq, AppendResp> =>
  (call, callback) => {
    const ending = endingOf(callback);
    const requests: AppendReq[] = [];
    if (misbehaves(backend, 'append', ending)) return void call.resume();
    call.on('data', (request: AppendReq) => requests.push(request));
    // If a connection breaks, 'end' comes first and the cancellation a moment later. The events received so far are not
    // a complete append: a real server writes nothing, because it fails when it continues to read.
    call.on('end', () => {
      setImmediate(() => {
        if (call.cancelled) return;
        append(backend, requests).then(
          ({ stream, expected, outcome }) =>
            misbehaves(backend, 'append', ending, true) || respond(callback, stream, expected, outcome),
          (error: ServiceError) => callback(error),
        );
      });
    });
  };

const endingOf = (callback: Callback) => ({
  fail: (error: ServiceError) => callback(error),
  // With this library, an error with code 0 ends a call successfully without a message.
  end: () => callback(callError(status.OK, '')),
});

const append = async (backend: Backend, [first, ...rest]: readonly AppendReq[]) => {
  const options = first?.getOptions();
  if (options === undefined) throw thrownByHandler();
  const stream = nameIn(options.getStreamIdentifier());
  const expected = expectedIn(options, options.hasRevision() ? options.getRevision() : undefined) ?? 'any';
  const proposed = rest.map((request) => proposedIn(request.getProposedMessage() ?? thrown()));
  const events = proposed.filter(isComplete);
  if (events.length < proposed.length) throw missingProperties();
  if (stream === '') throw thrownByHandler();
  return { stream, expected, outcome: await backend.store.append(stream, expected, events) };
};

const thrown = (): never => {
  throw thrownByHandler();
};

const missingProperties = () =>
  callError(status.INVALID_ARGUMENT, 'Required Metadata Properties type,content-type are missing', {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });

const respond = (callback: Callback, stream: string, expected: ExpectedVersion, outcome: WriteOutcome): void => {
  switch (outcome.outcome) {
    case 'written':
      callback(null, new streams.AppendResp().setSuccess(success(outcome.revision, outcome.position)));
      break;
    case 'wrong-version':
      callback(null, new streams.AppendResp().setWrongExpectedVersion(wrongVersion(expected, outcome.current)));
      break;
    case 'deleted':
      callback(streamDeleted(stream));
      break;
    case 'too-large':
      callback(tooLarge());
      break;
    case 'timeout':
      callback(commitTimeout());
      break;
  }
};

const success = (revision: number, position: number | undefined) => {
  const message = new streams.AppendResp.Success();
  if (revision < 0) message.setNoStream(new shared.Empty());
  else message.setCurrentRevision(String(revision));
  if (position === undefined) return message.setNoPosition(new shared.Empty());
  return message.setPosition(
    new streams.AppendResp.Position().setCommitPosition(String(position)).setPreparePosition(String(position)),
  );
};

const wrongVersion = (expected: ExpectedVersion, current: number) => {
  const message = new streams.AppendResp.WrongExpectedVersion();
  if (current < 0) message.setCurrentNoStream(new shared.Empty());
  else message.setCurrentRevision(String(current));
  if (typeof expected === 'number') return message.setExpectedRevision(String(expected));
  if (expected === 'no_stream') return message.setExpectedNoStream(new shared.Empty());
  if (expected === 'any') return message.setExpectedAny(new shared.Empty());
  return message.setExpectedStreamExists(new shared.Empty());
};

const tooLarge = () =>
  callError(status.INVALID_ARGUMENT, `Maximum Append Size of ${MAX_APPEND_BYTES} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(MAX_APPEND_BYTES),
  });
