// The messages of BatchAppend. It reports a failed append with a google.rpc.Status in a successful response.

import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Message } from 'google-protobuf';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import { identifierOf, uuidOf } from './frames.js';
import { type ExpectedVersion, MAX_APPEND_BYTES, type WriteOutcome } from './records.js';

/** The append to which a response belongs. */
export interface AppendContext {
  readonly correlationId: string;
  readonly stream: string;
  readonly expected: ExpectedVersion;
}

export const timeoutResponse = (about: AppendContext): BatchAppendResp =>
  failed(about, 4, 'Timeout', packed('event_store.client.Timeout', new shared.Timeout()));

export const badRequestResponse = (about: AppendContext, message: string): BatchAppendResp =>
  failed(about, 3, 'BadRequest', packed('event_store.client.BadRequest', new shared.BadRequest().setMessage(message)));

export const deniedResponse = (about: AppendContext): BatchAppendResp =>
  failed(about, 7, 'Access Denied', packed('event_store.client.AccessDenied', new shared.AccessDenied()));

/** Returns the response of a server that is not ready: the code 0 and only a message. */
export const notReadyResponse = (about: AppendContext): BatchAppendResp =>
  failed(about, 0, 'Server Is Not Ready', packed('google.protobuf.Empty', new empty.Empty()));

export const responseOf = (about: AppendContext, outcome: WriteOutcome): BatchAppendResp => {
  switch (outcome.outcome) {
    case 'written':
      return base(about).setSuccess(success(outcome.revision, outcome.position));
    case 'wrong-version':
      return failed(
        about,
        6,
        'WrongExpectedVersion',
        packed('event_store.client.WrongExpectedVersion', wrongVersion(about.expected, outcome.current)),
      );
    case 'deleted': {
      const details = new shared.StreamDeleted().setStreamIdentifier(identifierOf(about.stream));
      return failed(about, 5, 'StreamDeleted', packed('event_store.client.StreamDeleted', details));
    }
    case 'too-large': {
      const details = new shared.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_BYTES);
      const type = 'event_store.client.MaximumAppendSizeExceeded';
      return failed(about, 3, 'MaximumAppendSizeExceeded', packed(type, details));
    }
    case 'timeout':
      return timeoutResponse(about);
  }
};

const base = ({ correlationId, stream }: AppendContext) =>
  new streams.BatchAppendResp().setCorrelationId(uuidOf(correlationId)).setStreamIdentifier(identifierOf(stream));

const failed = (about: AppendContext, code: number, message: string, details: InstanceType<typeof any.Any>) =>
  base(about).setError(new statuses.Status().setCode(code).setMessage(message).setDetails(details));

const packed = (type: string, message: Message) => {
  const details = new any.Any();
  details.pack(message.serializeBinary(), type);
  return details;
};

const success = (revision: number, position: number) => {
  const message = new streams.BatchAppendResp.Success();
  message.setCurrentRevision(String(revision));
  return message.setPosition(
    new shared.AllStreamPosition().setCommitPosition(String(position)).setPreparePosition(String(position)),
  );
};

const wrongVersion = (expected: ExpectedVersion, current: number) => {
  const message = new shared.WrongExpectedVersion();
  if (current < 0) message.setCurrentNoStream(new empty.Empty());
  else message.setCurrentStreamRevision(String(current));
  if (expected === 'no_stream') return message.setExpectedNoStream(new empty.Empty());
  return message.setExpectedStreamPosition(String(expected));
};
