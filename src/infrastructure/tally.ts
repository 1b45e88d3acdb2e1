// Counts faults and keeps the first few for messages.

// Enough for an operator to see what is wrong.
const MAX_SHOWN = 5;

/** Returns the first few texts in one line. `count` is the total number if `all` contains only the first ones. */
export const firstOf = (all: readonly string[], separator = ', ', count = all.length): string =>
  [...all.slice(0, MAX_SHOWN), ...(count > MAX_SHOWN ? ['…'] : [])].join(separator);

/** Counts faults and keeps the first few, so that its size is bounded. */
export class Tally {
  #count = 0;
  readonly #first: string[] = [];

  get count(): number {
    return this.#count;
  }

  add(...faults: readonly string[]): void {
    this.#count += faults.length;
    this.#first.push(...faults.slice(0, MAX_SHOWN - this.#first.length));
  }

  firstOf(separator?: string): string {
    return firstOf(this.#first, separator, this.#count);
  }
}
