// Counts faults of which an operator needs to see only a few.

// An operator needs no more to see what is wrong.
const NAMED = 5;

/** Returns the first few of many, in one line. `count` is how many there are if `all` has only the first of them. */
export const firstOf = (all: readonly string[], separator = ', ', count = all.length): string =>
  [...all.slice(0, NAMED), ...(count > NAMED ? ['…'] : [])].join(separator);

/** Counts faults and keeps the first few, so that it stays small however many there are. */
export class Tally {
  #count = 0;
  readonly #first: string[] = [];

  get count(): number {
    return this.#count;
  }

  add(fault: string): void {
    this.#count += 1;
    if (this.#first.length < NAMED) this.#first.push(fault);
  }

  /** Adds what another tally has counted. */
  addAll(other: Tally): void {
    this.#count += other.#count;
    this.#first.push(...other.#first.slice(0, NAMED - this.#first.length));
  }

  /** Returns the first few faults in one line. */
  firstOf(separator?: string): string {
    return firstOf(this.#first, separator, this.#count);
  }
}
