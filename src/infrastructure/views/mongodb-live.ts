// Which generation of a projection serves, remembered, so that a read need not ask for it every time.

/**
 * For how long a process that has not heard of a switch reads the generation before it at most, in milliseconds, or until
 * that is dropped, which a read that finds nothing notices.
 */
export const REMEMBERED_MS = 1_000;

/** The live generations, as far as this process has seen. */
export class MongoLiveness {
  readonly #find: (projection: string) => Promise<{ readonly live: number } | undefined>;
  readonly #known = new Map<string, { readonly number: number; readonly asked: number }>();

  constructor(find: (projection: string) => Promise<{ readonly live: number } | undefined>) {
    this.#find = find;
  }

  /** Returns the live generation, perhaps slightly outdated; undefined if the projection does not exist. */
  async remembered(projection: string): Promise<number | undefined> {
    const known = this.#known.get(projection);
    return known !== undefined && performance.now() - known.asked < REMEMBERED_MS ? known.number : this.now(projection);
  }

  /** The live generation as it is stored. */
  async now(projection: string): Promise<number | undefined> {
    const asked = this.asking();
    const found = await this.#find(projection);
    if (found !== undefined) asked.answered(projection, found.live);
    return found?.live;
  }

  /** Notes when a question is asked; an answer that comes after that of a later question is not remembered. */
  asking() {
    const asked = performance.now();
    return {
      answered: (projection: string, number: number): void => {
        if (asked >= (this.#known.get(projection)?.asked ?? 0)) this.#known.set(projection, { number, asked });
      },
    };
  }
}
