// Splits long work into turns of the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';

// Everything else in the process waits while a turn of the event loop lasts.
const TURN_MS = 8;

export class Turns {
  #began = performance.now();

  get isLong(): boolean {
    return performance.now() - this.#began > TURN_MS;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#began = performance.now();
  }

  /** Yields items. What their reader does with them counts as well. */
  async *over<T>(items: Iterable<T>): AsyncGenerator<T> {
    for (const item of items) {
      if (this.isLong) await this.next();
      yield item;
    }
  }
}
