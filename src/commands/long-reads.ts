// Reads of the past: they read as much of a stream as there is, and a user can make a stream long. So few of them run at
// once, and other requests have their turns in between (infrastructure/facts/revisions.ts).
import pLimit from 'p-limit';
import { KeyedQueue } from '../infrastructure/async.js';
import type { Facts, RecordedEvent } from '../infrastructure/facts/facts.js';

/** How many streams are read at once, and how long a read waits for that, in milliseconds. */
export const longReadLimits = { atOnce: 2, waitMs: 5_000 } as const;

export class TooManyLongReads extends Error {
  constructor() {
    super(`${longReadLimits.atOnce} streams are being read, and too many reads wait for them`);
    this.name = 'TooManyLongReads';
  }
}

type Streams = Pick<Facts, 'readStream'>;

export class LongReads {
  readonly #waitMs: number;
  readonly #limit = pLimit(longReadLimits.atOnce);
  // The reads of a stream wait for each other first, so that many of them do not keep other streams waiting.
  readonly #turns = new KeyedQueue();

  constructor(waitMs: number = longReadLimits.waitMs) {
    this.#waitMs = waitMs;
  }

  /** Returns streams whose reads wait for their turn. A read rejects with `TooManyLongReads` if it waits too long. */
  of(facts: Streams): Streams {
    return { readStream: (stream, fromRevision) => this.#read(facts, stream, fromRevision) };
  }

  async *#read(facts: Streams, stream: string, fromRevision?: number): AsyncGenerator<RecordedEvent> {
    const end = await this.turnOf(stream);
    try {
      yield* facts.readStream(stream, fromRevision);
    } finally {
      end();
    }
  }

  /** Resolves when a stream may be read, with the function that ends the turn. */
  turnOf(stream: string): Promise<() => void> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(new TooManyLongReads());
      }, this.#waitMs);
      const turn = async () => {
        clearTimeout(timer);
        if (!isLate) await new Promise<void>((end) => resolve(end));
      };
      void this.#turns.run(stream, () => this.#limit(turn));
    });
  }
}
