// Wakes the subscriptions of a process when it knows of new events.
import { aggregateOf } from '../stream-name.js';

export class Bells {
  readonly #bells = new Map<() => void, readonly string[]>();
  readonly #appended = new Set<string>();

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
    if (this.#appended.size === 0) setImmediate(() => this.#ring());
    this.#appended.add(aggregateOf(stream));
  }

  ringAll(): void {
    for (const ring of this.#bells.keys()) ring();
  }

  #ring(): void {
    for (const [ring, aggregates] of this.#bells) {
      if (aggregates.some((aggregate) => this.#appended.has(aggregate))) ring();
    }
    this.#appended.clear();
  }
}
