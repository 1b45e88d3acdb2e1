// Numbers texts, and keeps only hashes of them: a log has millions of streams and ids, and as strings they would take
// most of the memory of a process.
import { hash } from 'node:crypto';

// Two of a billion texts have the same hash with a probability of 3 %, two of a million with 1 : 30,000,000.
const hashOf = (text: string): bigint => hash('sha256', text, 'buffer').readBigUInt64BE() || 1n;

/** Numbers texts from 0 in the order in which they first occur. Takes 16 to 32 bytes for a text. */
export class Numbering {
  #size = 0;
  /** A hash table with linear probing; 0 is a free slot. */
  #hashes = new BigUint64Array(1_024);
  #numbers = new Uint32Array(1_024);

  get size(): number {
    return this.#size;
  }

  /** Returns the number of a text, which is `size` if the text is new. */
  numberOf(text: string): number {
    const known = hashOf(text);
    const slot = this.#slotOf(known);
    const number = this.#hashes[slot] === known ? this.#numbers[slot] : undefined;
    if (number !== undefined) return number;
    this.#hashes[slot] = known;
    this.#numbers[slot] = this.#size;
    this.#size += 1;
    if (this.#size > 0.75 * this.#hashes.length) this.#grow();
    return this.#size - 1;
  }

  /** Returns the slot of a hash, or the free slot for it. */
  #slotOf(known: bigint): number {
    const last = this.#hashes.length - 1;
    let slot = Number(known & BigInt(last));
    while (this.#hashes[slot] !== 0n && this.#hashes[slot] !== known) slot = (slot + 1) & last;
    return slot;
  }

  #grow(): void {
    const [hashes, numbers] = [this.#hashes, this.#numbers];
    this.#hashes = new BigUint64Array(2 * hashes.length);
    this.#numbers = new Uint32Array(2 * numbers.length);
    for (const [at, known] of hashes.entries()) {
      if (known === 0n) continue;
      const slot = this.#slotOf(known);
      this.#hashes[slot] = known;
      this.#numbers[slot] = numbers[at] ?? 0;
    }
  }
}
