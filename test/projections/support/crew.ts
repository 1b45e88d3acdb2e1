// Runs several workers on one store in one process. Each is a runner with its own name, which a test can kill or pause.
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import type { RunnerOptions } from '../../../src/projections/runner.js';
import { HOUR_MS } from '../../infrastructure/views/support/harness.js';
import { FragileProjection } from './fragile.js';
import { intercepted } from './intercepted.js';
import { ProjectionStores } from './stores.js';

/** A lease that is short enough to wait for its end. */
export const SHORT_LEASE: RunnerOptions = { leaseMs: 400 };

const WRITES: ReadonlySet<unknown> = new Set(['acquire', 'renew', 'commit', 'setStopped', 'release']);

/** A worker of the crew. */
export class Worker {
  readonly name: string;
  /** Counts the calls of the store by name. */
  readonly calls = new Map<string, number>();
  readonly #close: () => Promise<void>;
  #dead = false;
  #paused = Promise.resolve();
  #resume = () => {};

  constructor(name: string, { stores }: Crew, fragiles: readonly FragileProjection[], options: RunnerOptions) {
    this.name = name;
    const views = intercepted(stores.views, async (call, _, proceed) => {
      this.calls.set(call, (this.calls.get(call) ?? 0) + 1);
      if (WRITES.has(call)) await this.#paused;
      if (this.#dead) throw new StoreUnavailable('the store', 'its process is dead');
      return proceed();
    });
    const projections = fragiles.map(({ projection }) => projection);
    const { close } = stores.startWorker(projections, { views, owner: name, pollMs: 10, leaseMs: HOUR_MS, ...options });
    this.#close = close;
  }

  /** Lets no later call of the worker reach the store, as after SIGKILL. */
  kill(): void {
    this.#dead = true;
    this.#resume();
  }

  /** Holds back the following writes to the store until the test releases them, so that all of them arrive late. */
  pause(): () => void {
    this.#paused = new Promise((resolve) => {
      this.#resume = resolve;
    });
    return this.#resume;
  }

  /** Closes the worker in order. */
  async leave(): Promise<void> {
    this.#resume();
    await this.#close();
  }
}

/** A store with many small projections, and the workers on it. */
export class Crew {
  readonly stores: ProjectionStores;
  readonly fragiles: readonly FragileProjection[];
  readonly workers: Worker[] = [];

  private constructor(stores: ProjectionStores, fragiles: readonly FragileProjection[]) {
    this.stores = stores;
    this.fragiles = fragiles;
  }

  static async of(projections: number): Promise<Crew> {
    const fragiles = Array.from({ length: projections }, (_, n) => new FragileProjection(`small${n}`));
    return new Crew(await ProjectionStores.of(fragiles.map(({ projection }) => projection)), fragiles);
  }

  /** Starts a worker with its own name. */
  join(options: RunnerOptions = {}, fragiles = this.fragiles): Worker {
    const worker = new Worker(`host ${this.workers.length}`, this, fragiles, options);
    this.workers.push(worker);
    return worker;
  }

  /** Starts several workers at once. */
  joinAll(count: number): Worker[] {
    return Array.from({ length: count }, () => this.join());
  }

  /** Returns how many generations each of these workers holds, and how many are not held. */
  async held(workers: readonly Worker[] = this.workers): Promise<{ each: number[]; unheld: number }> {
    const checkpoints = await this.stores.views.checkpoints();
    const each = workers.map(({ name }) => checkpoints.filter(({ heldBy }) => heldBy === name).length);
    const unheld = checkpoints.filter(({ heldBy }) => heldBy === undefined).length;
    return { each, unheld };
  }

  /** Appends events for all projections. */
  async append(...names: readonly string[]): Promise<void> {
    for (const fragile of this.fragiles) await fragile.append(this.stores.facts, ...names);
  }
}
