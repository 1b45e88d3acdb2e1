// Splits long work into turns of the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';

// Everything else in the process waits while a turn of the event loop lasts.
const TURN_MS = 8;
// How many reads of a store run at once.
const READS_AT_ONCE = 8;

// All long work of the process waits for the next turn together. Otherwise, each of several reads would take the time
// of a turn, one after another.
let waited: Promise<void> | undefined;
let began = 0;
const sharedTurn = async (): Promise<void> => {
  await nextTurn();
  waited = undefined;
  began = performance.now();
};

export class Turns {
  readonly #since = performance.now();
  readonly #longest: number;

  /** `longest`: after how many milliseconds a turn is long. */
  constructor(longest = TURN_MS) {
    this.#longest = longest;
  }

  get isLong(): boolean {
    return performance.now() - Math.max(this.#since, began) > this.#longest;
  }

  next(): Promise<void> {
    waited ??= sharedTurn();
    return waited;
  }

  /** Yields items. What their reader does with them counts as well. */
  async *over<T>(items: Iterable<T>): AsyncGenerator<T> {
    for (const item of items) {
      if (this.isLong) await this.next();
      yield item;
    }
  }
}

/** Returns what `read` returns for each item, in order. Runs a few reads at once, in turns of the event loop. */
export const readEach = <T, R>(
  items: readonly T[],
  read: (item: T) => Promise<R>,
  atOnce = READS_AT_ONCE,
): Promise<readonly R[]> => {
  const [limited, turns] = [pLimit(atOnce), new Turns()];
  const readInTurn = async (item: T) => {
    if (turns.isLong) await turns.next();
    return read(item);
  };
  return Promise.all(items.map((item) => limited(readInTurn, item)));
};
