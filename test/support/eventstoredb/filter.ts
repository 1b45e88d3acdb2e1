// Filters of the log, and how often a filtered subscription gets a checkpoint.
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { thrownByHandler } from './errors.js';
import type { StoredEvent } from './records.js';

export interface Filter {
  matches(event: StoredEvent): boolean;
  /** The number of examined events between two checkpoints. */
  readonly checkpointEvery: number;
}

// How many events the real server examines at a time by default.
const WINDOW = 32;

/** Returns the filter of a read or subscription, or undefined. */
export const filterOf = (options: ReadReq.Options): Filter | undefined => {
  const filter = options.getFilter();
  if (filter === undefined) return undefined;
  const expression = filter.getStreamIdentifier() ?? filter.getEventType();
  const prefixes = expression?.getPrefixList() ?? [];
  const subject = ({ stream, type }: StoredEvent) => (filter.hasStreamIdentifier() ? stream : type);
  const regex = prefixes.length === 0 ? toRegex(expression?.getRegex() ?? '') : undefined;
  return {
    matches: (event) => regex?.test(subject(event)) ?? prefixes.some((prefix) => subject(event).startsWith(prefix)),
    checkpointEvery: (filter.hasMax() ? filter.getMax() : WINDOW) * filter.getCheckpointintervalmultiplier(),
  };
};

const toRegex = (source: string): RegExp => {
  if (source === '') throw thrownByHandler();
  try {
    return new RegExp(source);
  } catch {
    throw thrownByHandler();
  }
};
