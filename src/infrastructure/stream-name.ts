// The names of streams: `<aggregate>-<id>`. No aggregate has a dash in its name, so the first dash ends it.

/** Returns the name of an aggregate's stream. */
export const streamName = (aggregate: string, id: string): string => `${aggregate}-${id}`;

/** Returns the aggregate in the name of a stream. */
export const aggregateOf = (stream: string): string => stream.slice(0, stream.indexOf('-'));

/** Returns the aggregate's id in the name of a stream. */
export const aggregateIdOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1);
