// Calls BatchAppend without the client, which would not send malformed chunks or wait for a second response.
import { randomUUID } from 'node:crypto';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { credentials } from '@grpc/grpc-js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';

/** A message of the call: a chunk of an append with one event. */
export interface Chunk {
  readonly correlationId: string;
  /** The stream, which must not exist. Only the first chunk names it. */
  readonly stream?: string;
  readonly type?: string;
  readonly data?: string;
  readonly isFinal?: boolean;
}

/** Sends chunks and returns `count` responses. Rejects with the error that ends the call. */
export const rawBatch = (url: string, chunks: readonly Chunk[], count: number): Promise<BatchAppendResp[]> => {
  const address = /^esdb:\/\/(?:[^@]*@)?([^/?]+)/.exec(url)?.[1] ?? '';
  const client = new StreamsClient(address, credentials.createInsecure());
  const call = client.batchAppend();
  const received = new Promise<BatchAppendResp[]>((resolve, reject) => {
    const responses: BatchAppendResp[] = [];
    call.on('error', reject);
    call.on('data', (response: BatchAppendResp) => {
      responses.push(response);
      if (responses.length === count) resolve(responses);
    });
  });
  for (const chunk of chunks) call.write(requestOf(chunk));
  return received.finally(() => {
    call.cancel();
    client.close();
  });
};

const requestOf = ({ correlationId, stream, type, data = '{}', isFinal = true }: Chunk) => {
  const message = new streams.BatchAppendReq.ProposedMessage().setId(new shared.UUID().setString(randomUUID()));
  message.setData(Buffer.from(data)).getMetadataMap().set('content-type', 'application/json');
  if (type !== undefined) message.getMetadataMap().set('type', type);
  const request = new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(correlationId))
    .setProposedMessagesList([message])
    .setIsFinal(isFinal);
  if (stream === undefined) return request;
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(identifier).setNoStream(new empty.Empty());
  return request.setOptions(options);
};
