// Reads that walk through a log, a stream or a list read as much as there is, and users can make all of these long. So few
// of them run at once, a page of work at a time, in turn by caller.
import pLimit from 'p-limit';
import { KeyedQueue } from '../infrastructure/async.js';
import type { Facts, RecordedEvent } from '../infrastructure/facts/facts.js';
import { pace } from '../infrastructure/pace.js';
import { Turns } from '../infrastructure/turns.js';

/** How many reads work at once, how many more if overseers send them, and how long a read waits to begin. */
export const walkLimits = { atOnce: 2, ofOverseers: 1, waitMs: 5_000 } as const;

// A page of work, in milliseconds. The first page of a stream is shorter, because many reads need a few events only.
const PAGE_MS = 8;
const FIRST_PAGE_MS = 0.5;

/** The caller of a read. */
export interface Walker {
  /** The id of the user; without a token, the address. */
  readonly caller: string;
  /** Whether the caller is an auditor or an administrator. */
  readonly isOverseer: boolean;
  /** Whether a read has had a place. The others of the request then wait without a limit. */
  hasBegun?: boolean;
  /** Rejects if the caller has read too much of the past lately. */
  readonly checkPast?: () => Promise<void>;
  /** Counts events of the past that were read for the caller. */
  readonly countPast?: (events: number) => void;
}

/** Signals that a read waited too long to begin. */
export class WalksBusy extends Error {
  constructor() {
    super('too many long reads are waiting');
    this.name = 'WalksBusy';
  }
}

type Streams = Pick<Facts, 'readStream'>;

export class Walks {
  readonly #waitMs: number;
  readonly #places = pLimit(walkLimits.atOnce);
  readonly #placesOfOverseers = pLimit(walkLimits.ofOverseers);
  // The reads of a caller wait for each other first, so that all callers have their turns, however many reads each has.
  readonly #turns = new KeyedQueue();

  constructor(waitMs: number = walkLimits.waitMs) {
    this.#waitMs = waitMs;
  }

  /**
   * Yields pages. The work on each page has a place, but what the consumer does with it has none. Throws `WalksBusy` if
   * the first page of a request waits too long.
   */
  async *pages<T>(walker: Walker, pages: AsyncIterable<T>): AsyncGenerator<T> {
    const work = pages[Symbol.asyncIterator]();
    try {
      while (true) {
        const leave = await this.#enter(walker);
        walker.hasBegun = true;
        const page = await paced(work).finally(leave);
        if (page.done === true) return;
        yield page.value;
      }
    } finally {
      await work.return?.();
    }
  }

  /** Yields events, as `pages` does, and counts them for the caller. */
  async *events(walker: Walker, events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
    if (!walker.hasBegun) await walker.checkPast?.();
    let count = 0;
    try {
      for await (const page of this.pages(walker, inPages(events))) {
        for await (const event of new Turns().over(page)) {
          count += 1;
          yield event;
        }
      }
    } finally {
      walker.countPast?.(count);
    }
  }

  /** Returns streams whose reads are walks of a caller. */
  of(facts: Streams, walker: Walker): Streams {
    return { readStream: (stream, range) => this.events(walker, facts.readStream(stream, range)) };
  }

  /** Resolves when a read has a place, with the function that gives it back. */
  #enter({ caller, isOverseer, hasBegun }: Walker): Promise<() => void> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const giveUp = () => {
        isLate = true;
        reject(new WalksBusy());
      };
      const timer = hasBegun ? undefined : setTimeout(giveUp, this.#waitMs);
      const turn = async () => {
        clearTimeout(timer);
        if (!isLate) await new Promise<void>((leave) => resolve(leave));
      };
      void this.#turns.run(caller, () => this.#placesFor(isOverseer)(turn));
    });
  }

  #placesFor(isOverseer: boolean) {
    const isFree = this.#placesOfOverseers.activeCount < walkLimits.ofOverseers;
    return isOverseer && isFree ? this.#placesOfOverseers : this.#places;
  }
}

const paced = async <T>(work: AsyncIterator<T>): Promise<IteratorResult<T>> => {
  await pace.goOn();
  return work.next();
};

async function* inPages(events: AsyncIterable<RecordedEvent>): AsyncGenerator<readonly RecordedEvent[]> {
  let page: RecordedEvent[] = [];
  let [began, pageMs] = [performance.now(), FIRST_PAGE_MS];
  for await (const event of events) {
    page.push(event);
    if (performance.now() - began < pageMs) continue;
    yield page;
    page = [];
    [began, pageMs] = [performance.now(), PAGE_MS];
  }
  if (page.length > 0) yield page;
}
