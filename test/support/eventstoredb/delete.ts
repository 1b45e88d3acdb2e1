// The Delete and Tombstone methods, and the list of supported methods.

import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { DeleteReq, DeleteResp, TombstoneReq, TombstoneResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { handleUnaryCall, ServiceError } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { type Backend, misbehaves } from './calls.js';
import { callError, commitTimeout, streamDeleted } from './errors.js';
import { expectedIn, nameIn } from './frames.js';
import type { ExpectedVersion, WriteOutcome } from './records.js';

interface Target {
  readonly stream: string;
  readonly expected: ExpectedVersion;
}

const targetOf = (options: DeleteReq.Options | TombstoneReq.Options | undefined): Target => {
  const revision = options?.hasRevision() ? options.getRevision() : undefined;
  const expected = options === undefined ? undefined : expectedIn(options, revision);
  return { stream: nameIn(options?.getStreamIdentifier()), expected: expected ?? 'any' };
};

export const deleteHandler =
  (backend: Backend): handleUnaryCall<DeleteReq, DeleteResp> =>
  (call, callback) => {
    if (misbehaves(backend, 'delete', endingOf(callback))) return;
    const target = targetOf(call.request.getOptions());
    const respond = (outcome: WriteOutcome) => {
      const at = textOf(outcome);
      const position = new streams.DeleteResp.Position().setCommitPosition(at).setPreparePosition(at);
      callback(refusal('Delete', target, outcome), new streams.DeleteResp().setPosition(position));
    };
    backend.store.delete(target.stream, target.expected).then(respond, callback);
  };

export const tombstoneHandler =
  (backend: Backend): handleUnaryCall<TombstoneReq, TombstoneResp> =>
  (call, callback) => {
    if (misbehaves(backend, 'tombstone', endingOf(callback))) return;
    const target = targetOf(call.request.getOptions());
    const respond = (outcome: WriteOutcome) => {
      const at = textOf(outcome);
      const position = new streams.TombstoneResp.Position().setCommitPosition(at).setPreparePosition(at);
      callback(refusal('Tombstone', target, outcome), new streams.TombstoneResp().setPosition(position));
    };
    backend.store.tombstone(target.stream, target.expected).then(respond, callback);
  };

/** Returns the methods of this server, with the features of the real server. */
export const featuresHandler =
  (backend: Backend): handleUnaryCall<Empty, SupportedMethods> =>
  (_call, callback) => {
    if (misbehaves(backend, 'features', endingOf(callback))) return;
    const methods = [...Object.values(StreamsService), ...Object.values(ServerFeaturesService)].map(({ path }) => {
      const [, service = '', method = ''] = path.toLowerCase().split('/');
      return new features.SupportedMethod()
        .setServiceName(service)
        .setMethodName(method)
        .setFeaturesList(FEATURES[method] ?? []);
    });
    callback(null, new features.SupportedMethods().setEventStoreServerVersion('23.10.6').setMethodsList(methods));
  };

const FEATURES: Readonly<Record<string, string[]>> = {
  read: ['position', 'events'],
  batchappend: ['deadline_duration'],
};

const endingOf = (callback: (error: ServiceError) => void) => ({
  fail: callback,
  end: () => callback(callError(status.OK, '')),
});

const textOf = (outcome: WriteOutcome) => String(outcome.outcome === 'written' ? outcome.position : 0);

const NUMBERS = { any: -2, no_stream: -1, stream_exists: -4 } as const;

const refusal = (verb: string, { stream, expected }: Target, outcome: WriteOutcome): ServiceError | null => {
  if (outcome.outcome === 'written') return null;
  if (outcome.outcome === 'deleted') return streamDeleted(stream);
  if (outcome.outcome !== 'wrong-version') return commitTimeout();
  const wanted = typeof expected === 'number' ? expected : NUMBERS[expected];
  const versions = `Expected version: ${wanted}, Actual version: ${outcome.current}`;
  return callError(
    status.FAILED_PRECONDITION,
    `${verb} failed due to WrongExpectedVersion. Stream: ${stream}, ${versions}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': String(wanted),
      'actual-version': String(outcome.current),
    },
  );
};
