// Hashes leaves in a thread of their own.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import type { LeafHashesReply } from './leaf-hashes-thread.js';
import type { Hash } from './merkle.js';
import { fromBytes } from './tiles.js';

/** Hashes the leaves of events, one batch after the other. The thread starts with the first batch. */
export class LeafHashes {
  #worker: Worker | undefined;

  /** Returns the leaf hashes of events as the log stores them. Rejects if the thread ends, and starts another next time. */
  async of(events: readonly RecordedEvent[]): Promise<readonly Hash[]> {
    if (events.length === 0) return [];
    this.#worker ??= this.#started();
    const replied = Promise.race([
      once(this.#worker, 'message'),
      once(this.#worker, 'exit').then(() => Promise.reject(new Error('the thread that hashes leaves has ended'))),
    ]);
    this.#worker.postMessage(events);
    const [reply] = (await replied) as [LeafHashesReply];
    if ('error' in reply) throw new Error(reply.error);
    return fromBytes(Buffer.from(reply.hashes));
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #started(): Worker {
    const worker = new Worker(new URL('./leaf-hashes-thread.js', import.meta.url));
    // The process may exit while the thread waits for the next batch.
    worker.unref();
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}
