// A log and the read models beside it, with workers that fold the log. The end of the test closes all of them.
import { expect, onTestFinished } from 'vitest';
import type { Facts } from '../../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../../src/infrastructure/facts/sqlite.js';
import { SqliteViews } from '../../../src/infrastructure/views/sqlite/views.js';
import type { Checkpoint, Generation, Views } from '../../../src/infrastructure/views/views.js';
import type { Projection } from '../../../src/projections/projection.js';
import type { RunnerOptions } from '../../../src/projections/runner.js';
import { checkpointsOf } from '../../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { eventsIn, expectedOf, snapshotOf, startRunner } from './replay.js';

interface Through extends RunnerOptions {
  readonly facts?: Facts;
  readonly views?: Views;
}

export class ProjectionStores {
  readonly facts: SqliteFacts;
  readonly views: Views;
  readonly #closings: (() => Promise<void>)[] = [];

  private constructor(views: Views | undefined) {
    this.facts = new SqliteFacts(temporaryDirectory());
    this.views = views ?? new SqliteViews(temporaryDirectory());
    onTestFinished(async () => {
      await Promise.all(this.#closings.map((close) => close()));
      await this.views.close();
      await this.facts.close();
    });
  }

  /** Opens an empty log and read models of these projections, by default on SQLite. */
  static async of(projections: readonly Projection[], views?: Views): Promise<ProjectionStores> {
    const stores = new ProjectionStores(views);
    for (const projection of projections) await stores.views.prepare(projection);
    return stores;
  }

  /** Starts a worker, which may see the stores through wrappers. */
  startWorker(projections: readonly Projection[], { facts, views, ...options }: Through = {}) {
    const worker = startRunner(facts ?? this.facts, views ?? this.views, projections, options);
    this.#closings.push(worker.close);
    return worker;
  }

  /** Returns the generations of a projection, lowest number first. */
  generations(name: string): Promise<readonly Checkpoint[]> {
    return checkpointsOf(this.views, name);
  }

  /** Returns the documents of a collection, the oldest first. */
  async listed(collection: string): Promise<readonly unknown[]> {
    const query = { collection, where: {}, order: 'oldest-first', after: undefined, limit: 200 } as const;
    return JSON.parse((await this.views.list(query)).json);
  }

  waitUntilReached(name: string, position: string | undefined): Promise<void> {
    return eventually(async () => expect((await this.generations(name))[0]?.position).toBe(position));
  }

  async waitUntilCaughtUp({ name }: Projection): Promise<void> {
    await this.waitUntilReached(name, await this.facts.head());
  }

  waitUntilLive({ projection, number }: Generation): Promise<void> {
    return eventually(async () => {
      expect(await this.generations(projection)).toMatchObject([{ number, state: 'live' }]);
    });
  }

  /** Waits until a projection has stopped before the event at a position. */
  waitUntilStopped(name: string, position?: string): Promise<Checkpoint> {
    return eventually(async () => {
      const found = (await this.generations(name)).find(({ stopped }) => stopped !== undefined);
      if (found === undefined) throw new Error(`${name} has not stopped`);
      expect(found.stopped?.position).toBe(position ?? found.stopped?.position);
      return found;
    });
  }

  /** Lets a stopped projection try the event again, as an operator does. */
  retry(stopped: Checkpoint): Promise<void> {
    return this.views.setStopped(stopped, undefined);
  }

  /** Expects a read model to equal a fold of its log in memory, up to a position. */
  async expectFolded(projection: Projection, { upTo = '~' } = {}): Promise<void> {
    const events = (await eventsIn(this.facts, projection.aggregates)).filter(({ position }) => position <= upTo);
    expect(await snapshotOf(this.views, projection)).toStrictEqual(expectedOf(projection, events));
  }
}
