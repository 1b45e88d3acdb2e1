// The thread that hashes leaves, so that hashing never blocks the event loop.
import { parentPort } from 'node:worker_threads';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import { leafOf } from './leaf.js';
import { leafHash } from './merkle.js';
import { toBytes } from './tiles.js';

/** The reply of the thread: the concatenated hashes, or an error message. */
export type LeafHashesReply = { readonly hashes: Uint8Array } | { readonly error: string };

const port = parentPort;
if (port === null) throw new Error('leaf-hashes-thread.js is a worker thread and cannot run on its own');

port.on('message', (events: readonly RecordedEvent[]) => port.postMessage(hashed(events)));

const hashed = (events: readonly RecordedEvent[]): LeafHashesReply => {
  try {
    return { hashes: toBytes(events.map((event) => leafHash(leafOf(event)))) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
};
