// Remembers which generation of a projection is live, so that a read need not query it every time.

/**
 * The maximum time, in milliseconds, for which a process that missed a switch reads the previous generation. The
 * process notices the switch earlier if that generation is dropped and a read finds nothing.
 */
export const REMEMBERED_MS = 1_000;

/** Remembers the live generations, as far as this process has seen. */
export class MongoLiveGenerations<Projection extends { readonly live: number }> {
  readonly #find: (projection: string) => Promise<Projection | undefined>;
  readonly #known = new Map<string, { readonly number: number; readonly queriedAt: number }>();

  constructor(find: (projection: string) => Promise<Projection | undefined>) {
    this.#find = find;
  }

  /** Returns the live generation, perhaps slightly outdated; undefined if the projection does not exist. */
  async remembered(projection: string): Promise<number | undefined> {
    const known = this.#known.get(projection);
    return known !== undefined && performance.now() - known.queriedAt < REMEMBERED_MS
      ? known.number
      : (await this.stored(projection))?.live;
  }

  /** Returns a projection as it is stored. */
  async stored(projection: string): Promise<Projection | undefined> {
    const queriedAt = this.startQuery();
    const found = await this.#find(projection);
    if (found !== undefined) queriedAt.finish(projection, found.live);
    return found;
  }

  /** Records the time of a query. Its result is not remembered if the result of a later query arrived before. */
  startQuery() {
    const queriedAt = performance.now();
    return {
      finish: (projection: string, number: number): void => {
        if (queriedAt >= (this.#known.get(projection)?.queriedAt ?? 0))
          this.#known.set(projection, { number, queriedAt });
      },
    };
  }
}
