// Finds events that have the id of an earlier event in their stream.
import { hash } from 'node:crypto';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';

type Identified = Pick<RecordedEvent, 'stream' | 'id'>;

const nameOf = ({ stream, id }: Identified): string => `${stream} ${id}`;
const fingerprintOf = (event: Identified): bigint => hash('sha256', nameOf(event), 'buffer').readBigUInt64BE();

/** The ids of all events of a log, as hashes of 8 bytes. */
export class Fingerprints {
  #all = new BigUint64Array(1_024);
  #size = 0;

  add(event: Identified): void {
    if (this.#size === this.#all.length) {
      const larger = new BigUint64Array(2 * this.#size);
      larger.set(this.#all);
      this.#all = larger;
    }
    this.#all[this.#size] = fingerprintOf(event);
    this.#size += 1;
  }

  /**
   * Returns whether an event repeats an id, as a function for a second read of the log in the same order; undefined if
   * no id is repeated. Only that read is certain, because ids may have the same hash.
   */
  repetitions(): ((event: Identified) => boolean) | undefined {
    const sorted = this.#all.subarray(0, this.#size).sort();
    const repeated = new Set(sorted.filter((hash, at) => hash === sorted[at - 1]));
    if (repeated.size === 0) return undefined;
    const seen = new Set<string>();
    return (event) => {
      if (!repeated.has(fingerprintOf(event))) return false;
      const isRepeated = seen.has(nameOf(event));
      seen.add(nameOf(event));
      return isRepeated;
    };
  }
}
