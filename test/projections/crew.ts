// Runs several workers on one store in one process. Each is a runner with its own name, which a test can kill or pause.
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite/views.js';
import type { Views } from '../../src/infrastructure/views/views.js';
import type { RunnerOptions } from '../../src/projections/runner.js';
import { HOUR_MS } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { FragileProjection } from './fragile.js';
import { startRunner } from './replay.js';

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

  constructor(name: string, crew: Crew, fragiles: readonly FragileProjection[], options: RunnerOptions) {
    this.name = name;
    const projections = fragiles.map(({ projection }) => projection);
    this.#close = startRunner(crew.facts, this.#storeOf(crew.views), projections, {
      owner: name,
      pollMs: 10,
      leaseMs: HOUR_MS,
      ...options,
    }).close;
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

  #storeOf(views: Views): Views {
    return new Proxy(views, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return async (...given: unknown[]) => {
          this.calls.set(String(name), (this.calls.get(String(name)) ?? 0) + 1);
          if (WRITES.has(name)) await this.#paused;
          if (this.#dead) throw new StoreUnavailable('the store', 'its process is dead');
          return member.apply(target, given);
        };
      },
    });
  }
}

/** A store with many small projections, and the workers on it. */
export class Crew {
  readonly facts: SqliteFacts;
  readonly views: SqliteViews;
  readonly fragiles: readonly FragileProjection[];
  readonly workers: Worker[] = [];

  private constructor(projections: number) {
    const directory = temporaryDirectory();
    this.facts = new SqliteFacts(directory);
    this.views = new SqliteViews(directory);
    this.fragiles = Array.from({ length: projections }, (_, n) => new FragileProjection(`small${n}`));
  }

  static async of(projections: number): Promise<Crew> {
    const crew = new Crew(projections);
    for (const { projection } of crew.fragiles) await crew.views.prepare(projection);
    return crew;
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
    const checkpoints = await this.views.checkpoints();
    const each = workers.map(({ name }) => checkpoints.filter(({ heldBy }) => heldBy === name).length);
    const unheld = checkpoints.filter(({ heldBy }) => heldBy === undefined).length;
    return { each, unheld };
  }

  /** Closes all workers and the store. */
  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.leave()));
    await this.views.close();
    await this.facts.close();
  }
}
