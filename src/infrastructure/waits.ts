// Waits until stored instants. Clocks are set, back and ahead, so a stored instant alone never says how long a wait
// lasts. Waits that are not stored use `performance.now()`.
import { LRUCache } from 'lru-cache';

const MAX_REMEMBERED = 10_000;

/** Remembers when waits end on the monotonic clock. A wait ends no later than a response said. */
export class Waits {
  readonly #ends = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  /**
   * Returns the rest of a wait in milliseconds: at most `longest` since the first call with this `id`, which changes
   * with the stored instant. `until` and `now` are epoch milliseconds.
   */
  left(id: string, until: number, longest: number, now: number): number {
    const clock = performance.now();
    const left = Math.min(until - now, longest);
    // Retry-After has whole seconds.
    const end = this.#ends.get(id) ?? clock + Math.ceil(left / 1_000) * 1_000;
    this.#ends.set(id, end);
    return Math.min(left, end - clock);
  }
}
