// What the tasks `append-port` and `append-raw` share: their options, their result, and the event.
import { newId } from '../lib/ids.js';

export interface AppendOptions {
  readonly directory: string;
  /** How many writers append at the same time. Each has its own stream. */
  readonly writers: number;
  /** How many events share a transaction. Only `append-raw` reads it. */
  readonly group: number;
  readonly milliseconds: number;
}

export interface AppendResult {
  readonly perSecond: number;
  /** The mean number of appends per transaction. */
  readonly group: number;
}

const id = newId();

/** The event that every writer appends: about 200 bytes of payload. */
export const event = {
  type: 'ProtocolRevised',
  data: { name: 'Falls, adults', prompt: 'Ask at every admission and after every transfer. '.repeat(3) },
  metadata: {
    at: '2025-01-01T00:00:00.000Z',
    actor: { id: 'anonymous', roles: [] },
    correlationId: id.replaceAll('-', ''),
    causationId: id,
    schemaVersion: 1,
  },
} as const;

/** Appends until the time is over, after a warm-up of a quarter of that time. Returns the rate. */
export const appendFor = async (
  { writers, milliseconds }: AppendOptions,
  appendTo: (stream: string, revision: number) => Promise<void>,
): Promise<{ readonly perSecond: number; readonly appends: number }> => {
  const streams = Array.from({ length: writers }, () => ({ name: `protocol-${newId()}`, revision: 0 }));
  const until = async (end: number) => {
    let count = 0;
    const write = async (stream: (typeof streams)[number]) => {
      while (performance.now() < end) {
        await appendTo(stream.name, stream.revision);
        stream.revision += 1;
        count += 1;
      }
    };
    await Promise.all(streams.map(write));
    return count;
  };
  await until(performance.now() + milliseconds / 4);
  const started = performance.now();
  const appends = await until(started + milliseconds);
  return { perSecond: (appends * 1_000) / (performance.now() - started), appends };
};
