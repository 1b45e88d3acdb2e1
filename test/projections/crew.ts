// Several workers on one store, in one process: each a runner under a name of its own, which can be killed or paused.
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../src/infrastructure/views/sqlite.js';
import type { Views } from '../../src/infrastructure/views/views.js';
import type { RunnerOptions } from '../../src/projections/runner.js';
import { HOUR_MS } from '../infrastructure/views-harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { startRunner } from './replay.js';
import { Touchy } from './touchy.js';

/** Short enough to wait for. */
export const SHORTLY: RunnerOptions = { leaseMs: 400 };

const WRITES: ReadonlySet<unknown> = new Set(['acquire', 'renew', 'commit', 'setStopped', 'release']);

/** A worker of the crew. */
export class Worker {
  readonly name: string;
  /** How often each call of the store was made. */
  readonly calls = new Map<string, number>();
  readonly #close: () => Promise<void>;
  #dead = false;
  #paused = Promise.resolve();
  #resume = () => {};

  constructor(name: string, crew: Crew, touchies: readonly Touchy[], options: RunnerOptions) {
    this.name = name;
    const projections = touchies.map(({ projection }) => projection);
    this.#close = startRunner(crew.facts, this.#reaching(crew.views), projections, {
      owner: name,
      isAlive: () => true,
      pollMs: 10,
      leaseMs: HOUR_MS,
      ...options,
    }).close;
  }

  /** From now on nothing of it reaches the store, as after SIGKILL. */
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

  /** Has it end in order. */
  async leave(): Promise<void> {
    this.#resume();
    await this.#close();
  }

  #reaching(views: Views): Views {
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

/** A store with many small projections, and those who work on it. */
export class Crew {
  readonly facts: SqliteFacts;
  readonly views: SqliteViews;
  readonly touchies: readonly Touchy[];
  readonly workers: Worker[] = [];

  private constructor(projections: number) {
    const directory = temporaryDirectory();
    this.facts = new SqliteFacts(directory);
    this.views = new SqliteViews(directory);
    this.touchies = Array.from({ length: projections }, (_, n) => new Touchy(`small${n}`));
  }

  static async of(projections: number): Promise<Crew> {
    const crew = new Crew(projections);
    for (const { projection } of crew.touchies) await crew.views.prepare(projection);
    return crew;
  }

  /** Starts a worker under a name of its own. */
  join(options: RunnerOptions = {}, touchies = this.touchies): Worker {
    const worker = new Worker(`host ${this.workers.length}`, this, touchies, options);
    this.workers.push(worker);
    return worker;
  }

  /** Starts several at once. */
  joinAll(count: number): Worker[] {
    return Array.from({ length: count }, () => this.join());
  }

  /** Returns how many generations each of these workers holds, and how many nobody holds. */
  async held(workers: readonly Worker[] = this.workers): Promise<{ each: number[]; nobodys: number }> {
    const checkpoints = await this.views.checkpoints();
    const each = workers.map(({ name }) => checkpoints.filter(({ heldBy }) => heldBy === name).length);
    const nobodys = checkpoints.filter(({ heldBy }) => heldBy === undefined).length;
    return { each, nobodys };
  }

  /** Ends all workers and closes the store. */
  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.leave()));
    await this.views.close();
    await this.facts.close();
  }
}
