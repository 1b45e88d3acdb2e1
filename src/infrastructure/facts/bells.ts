// Wakes the subscriptions of a process when it knows of new events.
import { aggregateOf } from '../stream-name.js';

export class Bells {
  readonly #bells = new Map<() => void, readonly string[]>();
  readonly #appended = new Set<string>();
  readonly #pauseMs: number;
  #rang = Number.NEGATIVE_INFINITY;

  /** Rings at most once in `pauseMs` milliseconds, so that a reader takes several events at once if many are appended. */
  constructor(pauseMs = 0) {
    this.#pauseMs = pauseMs;
  }

  /** The aggregates of the subscriptions. */
  get aggregates(): readonly string[] {
    return [...new Set([...this.#bells.values()].flat())];
  }

  readonly add = (aggregates: readonly string[], ring: () => void, signal: AbortSignal): void => {
    if (signal.aborted) return;
    this.#bells.set(ring, aggregates);
    signal.addEventListener('abort', () => this.#bells.delete(ring));
  };

  /** Rings after the callers of the append have continued: a response is sent before a projection reads the events. */
  appended(stream: string): void {
    if (this.#appended.size === 0) this.#ringSoon();
    this.#appended.add(aggregateOf(stream));
  }

  ringAll(): void {
    for (const ring of this.#bells.keys()) ring();
  }

  #ringSoon(): void {
    const left = this.#rang + this.#pauseMs - performance.now();
    if (left > 0) setTimeout(() => this.#ring(), left);
    else setImmediate(() => this.#ring());
  }

  #ring(): void {
    this.#rang = performance.now();
    for (const [ring, aggregates] of this.#bells) {
      if (aggregates.some((aggregate) => this.#appended.has(aggregate))) ring();
    }
    this.#appended.clear();
  }
}
