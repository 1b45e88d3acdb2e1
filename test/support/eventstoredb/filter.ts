// Filters of the log by the beginning of stream names, and how often a filtered subscription gets a checkpoint.
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { thrownByHandler } from './errors.js';
import type { StoredEvent } from './records.js';

export interface Filter {
  matches(event: StoredEvent): boolean;
  /** The number of examined events between two checkpoints. */
  readonly checkpointEvery: number;
}

/** Returns the filter of a read or subscription, or undefined. */
export const filterOf = (options: ReadReq.Options): Filter | undefined => {
  const filter = options.getFilter();
  if (filter === undefined) return undefined;
  const prefixes = filter.getStreamIdentifier()?.getPrefixList() ?? [];
  if (prefixes.length === 0) throw thrownByHandler();
  return {
    matches: ({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix)),
    checkpointEvery: filter.getMax() * filter.getCheckpointintervalmultiplier(),
  };
};
