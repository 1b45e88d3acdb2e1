// Wakes the subscriptions of a process when it knows of new events.
import { Rings } from '../rings.js';
import { aggregateOf } from '../stream-name.js';

interface Ringing {
  /** The shortest time between two rings, so that a reader takes several events at once. Default: 0. */
  readonly pauseMs?: number;
  /** The file of the log. Appends of other threads to this file ring the bells, too. */
  readonly file?: string;
}

export class Bells {
  readonly #bells = new Map<() => void, readonly string[]>();
  readonly #appended = new Set<string>();
  readonly #pauseMs: number;
  readonly #rings: Rings<readonly string[]> | undefined;
  #rang = Number.NEGATIVE_INFINITY;

  constructor({ pauseMs = 0, file }: Ringing = {}) {
    this.#pauseMs = pauseMs;
    this.#rings = file === undefined ? undefined : new Rings(file, (appended) => this.#ring(appended));
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
    if (left > 0) setTimeout(() => this.#ringNow(), left);
    else setImmediate(() => this.#ringNow());
  }

  #ringNow(): void {
    this.#rang = performance.now();
    const appended = [...this.#appended];
    this.#appended.clear();
    if (this.#rings === undefined) this.#ring(appended);
    else this.#rings.ring(appended);
  }

  #ring(appended: readonly string[]): void {
    for (const [ring, aggregates] of this.#bells) {
      if (aggregates.some((aggregate) => appended.includes(aggregate))) ring();
    }
  }

  close(): void {
    this.#rings?.close();
  }
}
