// Converts between stored events and messages on the wire.
import { randomUUID } from 'node:crypto';
import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { AppendReq, BatchAppendReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { type ExpectedVersion, type ProposedEvent, revisionText, type StoredEvent } from './records.js';

export const identifierOf = (stream: string): StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(stream, 'utf8'));

export const nameIn = (identifier: StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');

export const uuidOf = (id: string) => new shared.UUID().setString(id);

/** Returns the frame of an event. Ids are text, as clients request them. */
export const eventFrame = (event: StoredEvent): ReadResp => {
  const position = String(event.position);
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(uuidOf(event.id))
    .setStreamIdentifier(identifierOf(event.stream))
    .setStreamRevision(revisionText(event.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setCustomMetadata(event.metadata)
    .setData(event.data);
  recorded.getMetadataMap().set('type', event.type);
  recorded.getMetadataMap().set('content-type', event.contentType);
  recorded.getMetadataMap().set('created', String(event.created * 10_000));
  return new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position),
  );
};

export const confirmationFrame = (): ReadResp =>
  new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()),
  );

export const caughtUpFrame = (): ReadResp => new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());

export const checkpointFrame = (position: number): ReadResp =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition(String(position)),
  );

export const notFoundFrame = (stream: string): ReadResp =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifierOf(stream)),
  );

/** Returns a proposed event, with its type and content type if it has them. */
export const proposedIn = (
  message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage,
): Partial<ProposedEvent> & Omit<ProposedEvent, 'type' | 'contentType'> => {
  const type = message.getMetadataMap().get('type');
  const contentType = message.getMetadataMap().get('content-type');
  return {
    id: message.getId()?.getString() ?? '',
    ...(type ? { type } : {}),
    ...(contentType ? { contentType } : {}),
    data: Buffer.from(message.getData_asU8()),
    metadata: Buffer.from(message.getCustomMetadata_asU8()),
  };
};

/** Returns whether a proposed event has a type and a content type. */
export const isComplete = (event: Partial<ProposedEvent>): event is ProposedEvent =>
  event.type !== undefined && event.contentType !== undefined;

/** The options of an expected version that all methods have. Each method names the revision differently. */
export interface VersionOptions {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
}

/**
 * Returns the expected version, or undefined if the options have none. `revision` is the revision in the options, if
 * any.
 */
export const expectedIn = (options: VersionOptions, revision: string | undefined): ExpectedVersion | undefined => {
  if (revision !== undefined) return Number(revision);
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasAny()) return 'any';
  return options.hasStreamExists() ? 'stream_exists' : undefined;
};
