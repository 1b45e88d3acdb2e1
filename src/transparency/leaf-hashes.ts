// Hashes leaves in a worker thread.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import type { LeafHashesReply } from './leaf-hashes-thread.js';
import type { Hash } from './merkle.js';
import { fromBytes } from './tiles.js';

/** Hashes the leaves of events, one batch at a time. The thread starts with the first batch. */
export class LeafHashes {
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** Returns the leaf hashes of stored events. Rejects if the thread ends; the next call starts another thread. */
  of(events: readonly RecordedEvent[]): Promise<readonly Hash[]> {
    const hashed = this.#last.then(() => this.#hashed(events));
    // Only the caller gets the error. The next batch just waits for its turn.
    this.#last = hashed.catch(() => undefined);
    return hashed;
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #hashed(events: readonly RecordedEvent[]): Promise<readonly Hash[]> {
    if (events.length === 0) return [];
    this.#worker ??= this.#started();
    const over = new AbortController();
    const { signal } = over;
    const exited = once(this.#worker, 'exit', { signal }).then(() => {
      throw new Error('the thread that hashes leaves has ended');
    });
    try {
      this.#worker.postMessage(events);
      const [reply] = (await Promise.race([once(this.#worker, 'message', { signal }), exited])) as [LeafHashesReply];
      if ('error' in reply) throw new Error(reply.error);
      return fromBytes(Buffer.from(reply.hashes));
    } finally {
      // Aborting rejects the promise of the exit, whose result is no longer needed.
      exited.catch(() => undefined);
      over.abort();
    }
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
