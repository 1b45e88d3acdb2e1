// Counts things, and keeps the first few faults, for messages.

// Enough for an operator to see what is wrong.
const MAX_SHOWN = 5;

/** Returns a count with its noun, such as "1 event" or "2 events". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Joins the first few texts into one line. `count` is the total number if `all` contains only the first ones. */
export const summaryOf = (all: readonly string[], separator = ', ', count = all.length): string =>
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

  summary(separator?: string): string {
    return summaryOf(this.#first, separator, this.#count);
  }
}
