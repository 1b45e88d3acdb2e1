// The thread that hashes leaves, so that hashing never blocks the event loop. If it can, it reads the log itself.
import { parentPort } from 'node:worker_threads';
import type { LogPage, LogRange, RecordedEvent, ThreadLog, ThreadReader } from '../infrastructure/facts/facts.js';
import { leafOf } from './leaf.js';
import { leafHash } from './merkle.js';
import { toBytes } from './tiles.js';

/** What the thread is asked: to hash these events, or a page of the log that it reads with `reader`. */
export type LeafHashesRequest =
  | { readonly events: readonly RecordedEvent[] }
  | { readonly reader: ThreadReader; readonly range: LogRange; readonly limit: number };

/** What the thread replies. */
export type LeafHashesReply = HashedPage | { readonly error: string };

/** The hashes of events one after the other, and where the events are. */
export interface HashedPage extends Omit<LogPage, 'events'> {
  readonly hashes: Uint8Array;
  readonly positions: readonly string[];
}

const port = parentPort;
if (port === null) throw new Error('leaf-hashes-thread.js is a worker thread and cannot be run by itself');

port.on('message', async (request: LeafHashesRequest) => port.postMessage(await replyTo(request)));

const replyTo = async (request: LeafHashesRequest): Promise<LeafHashesReply> => {
  try {
    const isRead = 'reader' in request;
    return hashed(isRead ? await read(request) : { events: request.events, position: undefined, atEnd: true });
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
};

const hashed = ({ events, position, atEnd }: LogPage): HashedPage => ({
  hashes: toBytes(events.map((event) => leafHash(leafOf(event)))),
  positions: events.map((event) => event.position),
  position,
  atEnd,
});

const logs = new Map<string, Promise<ThreadLog>>();

const read = async ({ reader, range, limit }: Extract<LeafHashesRequest, { readonly reader: unknown }>) => {
  const log = logs.get(reader.file) ?? opened(reader);
  logs.set(reader.file, log);
  return (await log).readLog(range, limit);
};

const opened = async ({ module, file }: ThreadReader): Promise<ThreadLog> => {
  const { openLog } = (await import(module)) as { openLog: (file: string) => ThreadLog };
  return openLog(file);
};
