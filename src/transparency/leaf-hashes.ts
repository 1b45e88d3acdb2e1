// Hashes leaves in a worker thread.
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { Facts, LogPage, LogRange, Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import { startThread } from '../infrastructure/thread.js';
import type { HashedPage, LeafHashesReply, LeafHashesRequest } from './leaf-hashes-thread.js';
import type { Hash } from './merkle.js';
import { fromBytes } from './tiles.js';

/** The leaf hash of an event, and the position of the event. */
export interface Leaf {
  readonly hash: Hash;
  readonly position: Position;
}

/** A page of the log as leaves. */
export interface LeafPage extends Omit<LogPage, 'events'> {
  readonly leaves: readonly Leaf[];
}

/** Hashes the leaves of events, one batch after the other. The thread starts with the first batch. */
export class LeafHashes {
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Returns the leaf hashes of events as the log stores them. Rejects if the thread ends; the next call starts another.
   */
  async hashesOf(events: readonly RecordedEvent[]): Promise<readonly Hash[]> {
    return events.length === 0 ? [] : hashesIn(await this.#inTurn({ events }));
  }

  /** Returns at most `limit` leaves of the log. If another thread can read the log, this thread reads nothing. */
  async page(facts: Pick<Facts, 'readLog' | 'threadReader'>, range: LogRange, limit: number): Promise<LeafPage> {
    const { threadReader: reader } = facts;
    if (reader !== undefined) return leavesIn(await this.#inTurn({ reader, range, limit }));
    const { events, position, atEnd } = await facts.readLog(range, limit);
    const positions = events.map((event) => event.position);
    return { leaves: leavesAt(positions, await this.hashesOf(events)), position, atEnd };
  }

  /**
   * Ends the thread after its current request. Never terminates the thread: before Node.js 24.20, the SQLite driver
   * would end the whole process.
   */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = once(worker, 'exit');
    worker.ref();
    worker.postMessage('close');
    await ended;
  }

  #inTurn(request: LeafHashesRequest): Promise<HashedPage> {
    const replied = this.#last.then(() => this.#ask(request));
    // The caller gets the error; the next request only waits for its turn.
    this.#last = replied.catch(() => undefined);
    return replied;
  }

  async #ask(request: LeafHashesRequest): Promise<HashedPage> {
    this.#worker ??= this.#started();
    const over = new AbortController();
    const { signal } = over;
    const exited = once(this.#worker, 'exit', { signal }).then(() => {
      throw new Error('the thread that hashes leaves has ended');
    });
    try {
      this.#worker.postMessage(request);
      const [reply] = (await Promise.race([once(this.#worker, 'message', { signal }), exited])) as [LeafHashesReply];
      if ('error' in reply) throw new Error(reply.error);
      return reply;
    } finally {
      // Aborting rejects the promise of the exit, whose result is no longer needed.
      exited.catch(() => undefined);
      over.abort();
    }
  }

  #started(): Worker {
    const worker = startThread(new URL('./leaf-hashes-thread.js', import.meta.url));
    // The process may exit while the thread waits for the next batch.
    worker.unref();
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}

const hashesIn = ({ hashes }: HashedPage): readonly Hash[] => fromBytes(Buffer.from(hashes));

const leavesAt = (positions: readonly Position[], hashes: readonly Hash[]): readonly Leaf[] =>
  hashes.map((hash, at) => ({ hash, position: positions[at] ?? '' }));

const leavesIn = (page: HashedPage): LeafPage => {
  const { positions, position, atEnd } = page;
  return { leaves: leavesAt(positions, hashesIn(page)), position, atEnd };
};
