// Stream names: `<aggregate>-<id>`. Names of aggregates have no dash, so the first dash is the separator.

export const streamName = (aggregate: string, id: string): string => `${aggregate}-${id}`;

/** Returns the name of the aggregate in a stream name. It is empty for a stream of another program without a dash. */
export const aggregateOf = (stream: string): string => stream.slice(0, Math.max(stream.indexOf('-'), 0));

export const aggregateIdOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1);
