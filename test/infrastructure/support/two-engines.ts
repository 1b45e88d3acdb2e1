// Opens the engines that the suite of a port tests.
import { afterAll, beforeAll } from 'vitest';

interface Engine {
  close(): Promise<void>;
}

/** Creates a store, which other tests may use meanwhile. Returns a function that opens the store as a process does. */
export type NewStore<E extends Engine> = () => () => E;

/** Opens two engines on one store for all tests of the enclosing `describe`. */
export class TwoEngines<E extends Engine> {
  #engines: readonly E[] = [];

  constructor(newStore: NewStore<E>) {
    beforeAll(() => {
      const open = newStore();
      this.#engines = [open(), open()];
    });
    afterAll(async () => {
      for (const engine of this.#engines.toReversed()) await engine.close();
    });
  }

  protected get first(): E {
    return this.#at(0);
  }

  /** The second engine, which stands for another process. */
  get beside(): E {
    return this.#at(1);
  }

  #at(index: number): E {
    const engine = this.#engines[index];
    if (engine === undefined) throw new Error('the store is open only while tests run');
    return engine;
  }
}
