// The thread that hashes leaves, so that hashing never blocks the event loop. If it can, it reads the log itself.
import { parentPort } from 'node:worker_threads';
import type { LogPage, LogRange, RecordedEvent, ThreadLog, ThreadReader } from '../infrastructure/facts/facts.js';
import { leafOf } from './leaf.js';
import { leafHash } from './merkle.js';
import { toBytes } from './tiles.js';

/** A request to hash these events, or to read a page of the log with `reader` and hash its events. */
export type LeafHashesRequest =
  | { readonly events: readonly RecordedEvent[] }
  | { readonly reader: ThreadReader; readonly range: LogRange; readonly limit: number };

/** The reply: hashes, or an error message. */
export type LeafHashesReply = HashedPage | { readonly error: string };

/** The concatenated hashes of events, and the positions of the events. */
export interface HashedPage extends Omit<LogPage, 'events'> {
  readonly hashes: Uint8Array;
  readonly positions: readonly string[];
}

const port = parentPort;
if (port === null) throw new Error('leaf-hashes-thread.js is a worker thread and cannot run on its own');

port.on('message', async (request: LeafHashesRequest | 'close') => {
  if (request === 'close') port.close();
  else port.postMessage(await replyTo(request));
});

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
  const log = logs.get(reader.file) ?? openIn(reader);
  logs.set(reader.file, log);
  return (await log).readLog(range, limit);
};

const openIn = async ({ module, file }: ThreadReader): Promise<ThreadLog> => {
  const { openLog } = (await import(module)) as { openLog: (file: string) => ThreadLog };
  return openLog(file);
};
