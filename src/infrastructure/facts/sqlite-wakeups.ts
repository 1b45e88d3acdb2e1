// Wakes the subscribers of a log on SQLite. An append of this process wakes the subscribers of its aggregate after the
// callers of the append have continued: a response is sent before a projection reads the events. A poll wakes all
// subscribers if anything was committed since the previous poll, by another process or by this process for other
// aggregates. So a subscriber also learns how far the log has grown by events that it does not read.
import { Bell } from '../bell.js';
import { aggregateOf } from '../stream-name.js';

const POLL_MS = 250;

/** The subscribers of one connection to the log. */
export class Wakeups {
  readonly #readVersion: () => unknown;
  readonly #bells = new Map<Bell, ReadonlySet<string>>();
  #lastVersion: unknown;
  #timer: NodeJS.Timeout | undefined;
  readonly #appended = new Set<string>();

  /** `readVersion` returns a value that changes with every commit of any process, and never throws. */
  constructor(readVersion: () => unknown) {
    this.#readVersion = readVersion;
  }

  /** Adds a subscriber of some aggregates. Its bell rings for every commit that it has not read when it is added. */
  add(aggregates: readonly string[]): Bell {
    const bell = new Bell();
    // The subscriber reads only after this call, so a commit that it does not find has a later version.
    if (this.#bells.size === 0) this.#start();
    this.#bells.set(bell, new Set(aggregates));
    return bell;
  }

  remove(bell: Bell): void {
    this.#bells.delete(bell);
    if (this.#bells.size === 0) clearInterval(this.#timer);
  }

  /** Records that this process has appended to a stream. */
  appended(stream: string): void {
    if (this.#appended.size === 0) setImmediate(() => this.#wake());
    this.#appended.add(aggregateOf(stream));
  }

  #wake(): void {
    for (const [bell, aggregates] of this.#bells) {
      if ([...this.#appended].some((aggregate) => aggregates.has(aggregate))) bell.ring();
    }
    this.#appended.clear();
  }

  #start(): void {
    this.#lastVersion = this.#readVersion();
    this.#timer = setInterval(() => this.#poll(), POLL_MS);
  }

  #poll(): void {
    const readVersion = this.#readVersion();
    if (readVersion === this.#lastVersion) return;
    this.#lastVersion = readVersion;
    for (const { ring } of this.#bells.keys()) ring();
  }
}
