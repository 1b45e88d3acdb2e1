// Reads that walk through a log, a stream or a list read as much as there is, and users can make all of these long. So few
// of them run at once, a page of work at a time, in turn by caller.
import type { Facts, RecordedEvent } from '../infrastructure/facts/facts.js';
import { pace } from '../infrastructure/pace.js';
import { Turns } from '../infrastructure/turns.js';

/** How many reads work at once, how many more if overseers send them, and how long a read waits to begin. */
export const walkLimits = { atOnce: 2, ofOverseers: 1, waitMs: 5_000 } as const;

// A page of work, in milliseconds.
const PAGE_MS = 8;

/** The caller of a read. */
export interface Walker {
  /** The id of the user; without a token, the address. */
  readonly caller: string;
  /** Whether the caller is an auditor or an administrator. */
  readonly isOverseer: boolean;
  /** Rejects if the caller has read too much of the past lately. */
  readonly checkPast?: () => Promise<void>;
  /** Counts events of the past that were read for the caller. */
  readonly countPast?: (events: number) => void;
}

/** The service itself reads what a request needs to be repeated. */
export const ITSELF: Walker = { caller: 'the service', isOverseer: false };

/** Signals that a read waited too long to begin. */
export class WalksBusy extends Error {
  constructor() {
    super('too many long reads are waiting');
    this.name = 'WalksBusy';
  }
}

type Streams = Pick<Facts, 'readStream'>;
type Leave = () => void;

interface Waiting {
  readonly isOverseer: boolean;
  readonly enter: (leave: Leave) => void;
}

/** A caller whose reads wait. `served`: when one of them had a place last, as a number; 0 for never. */
interface Line {
  served: number;
  readonly reads: Set<Waiting>;
}

export class Walks {
  readonly #waitMs: number;
  #atWork = 0;
  #overseersAtWork = 0;
  #served = 0;
  #isAsked = false;
  readonly #lines = new Map<string, Line>();

  constructor(waitMs: number = walkLimits.waitMs) {
    this.#waitMs = waitMs;
  }

  /**
   * Yields pages. The work on each page has a place, but what the consumer does with it has none. Throws `WalksBusy` if
   * the first page waits too long; the others wait without a limit.
   */
  async *pages<T>(walker: Walker, pages: AsyncIterable<T>): AsyncGenerator<T> {
    const work = pages[Symbol.asyncIterator]();
    let waitMs: number | undefined = this.#waitMs;
    try {
      while (true) {
        const leave = await this.#enter(walker, waitMs);
        waitMs = undefined;
        const page = await paced(work).finally(leave);
        if (page.done === true) return;
        yield page.value;
      }
    } finally {
      await work.return?.();
    }
  }

  /** Yields events, as `pages` does. */
  async *events(walker: Walker, events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
    for await (const page of this.pages(walker, inPages(events))) yield* new Turns().over(page);
  }

  /** Returns streams whose reads are walks of a caller. */
  of(facts: Streams, walker: Walker): Streams {
    return { readStream: (stream, fromRevision) => this.events(walker, facts.readStream(stream, fromRevision)) };
  }

  #enter({ caller, isOverseer }: Walker, waitMs: number | undefined): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#leaveLine(caller, waiting);
        reject(new WalksBusy());
      };
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      const enter = (leave: Leave) => {
        clearTimeout(timer);
        resolve(leave);
      };
      const waiting = { isOverseer, enter };
      const line = this.#lines.get(caller) ?? { served: 0, reads: new Set() };
      this.#lines.set(caller, line);
      line.reads.add(waiting);
      this.#askForPlaces();
    });
  }

  #leaveLine(caller: string, waiting: Waiting): void {
    const reads = this.#lines.get(caller)?.reads;
    reads?.delete(waiting);
    if (reads?.size === 0) this.#lines.delete(caller);
  }

  // In the next turn, so that the next page of a read that has just left a place waits in line as well.
  #askForPlaces(): void {
    if (!this.#isAsked) setImmediate(this.#admit);
    this.#isAsked = true;
  }

  /** Gives the free places to the callers who have waited longest since one of their reads had a place. */
  readonly #admit = (): void => {
    this.#isAsked = false;
    const lines = [...this.#lines].sort(([, one], [, other]) => one.served - other.served);
    for (const [caller, line] of lines) {
      const [waiting] = line.reads;
      const leave = waiting && this.#placeFor(waiting);
      if (waiting === undefined || leave === undefined) continue;
      this.#served += 1;
      line.served = this.#served;
      this.#leaveLine(caller, waiting);
      waiting.enter(leave);
    }
    if (this.#atWork < walkLimits.atOnce && this.#lines.size > 0) this.#askForPlaces();
  };

  /** Takes a place. Returns what gives it back; undefined if there is none. */
  #placeFor({ isOverseer }: Waiting): Leave | undefined {
    if (this.#atWork < walkLimits.atOnce) {
      this.#atWork += 1;
      return () => {
        this.#atWork -= 1;
        this.#askForPlaces();
      };
    }
    if (!isOverseer || this.#overseersAtWork === walkLimits.ofOverseers) return undefined;
    this.#overseersAtWork += 1;
    return () => {
      this.#overseersAtWork -= 1;
      this.#askForPlaces();
    };
  }
}

const paced = async <T>(work: AsyncIterator<T>): Promise<IteratorResult<T>> => {
  await pace.goOn();
  return work.next();
};

async function* inPages(events: AsyncIterable<RecordedEvent>): AsyncGenerator<readonly RecordedEvent[]> {
  let page: RecordedEvent[] = [];
  let began = performance.now();
  for await (const event of events) {
    page.push(event);
    if (performance.now() - began < PAGE_MS) continue;
    yield page;
    page = [];
    began = performance.now();
  }
  if (page.length > 0) yield page;
}
