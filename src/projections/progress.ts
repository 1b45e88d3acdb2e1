// The progress of the live read models, for readers that wait for a position. It comes from what this process folded,
// from the checkpoints that another process stores, and from the log.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Bell } from '../infrastructure/bell.js';
import type { Facts, Position } from '../infrastructure/facts/facts.js';
import type { Views } from '../infrastructure/views/views.js';
import { allProjections } from './all.js';

// How often the log and the checkpoints of another process are read while readers wait.
const POLL_MS = 20;

interface Waiter {
  readonly projection: string;
  readonly hasReached: () => boolean;
  readonly giveUp: number;
  readonly resolve: (hasReached: boolean) => void;
  readonly reject: (error: unknown) => void;
}

export class Progress {
  readonly #views: Pick<Views, 'checkpoints'>;
  readonly #facts: Pick<Facts, 'readLog'> | undefined;
  readonly #known = new Map<string, Position>();
  // What a worker of this process has reported. Its next report comes sooner than a store responds.
  readonly #reported = new Set<string>();
  readonly #waiting = new Set<Waiter>();
  readonly #joined = new Bell();
  #isPolling = false;

  /**
   * A projection is not woken for events that it does not fold, so its checkpoint may stay before the position that a
   * reader waits for. With `facts`, the reader does not wait if the log has no event for the projection up to that
   * position.
   */
  constructor(views: Pick<Views, 'checkpoints'>, facts?: Pick<Facts, 'readLog'>) {
    this.#views = views;
    this.#facts = facts;
  }

  /** Takes the report of a worker of this process. */
  readonly advanced = (projection: string, position: Position): void => {
    this.#reported.add(projection);
    this.#advance(projection, position);
  };

  #advance(projection: string, position: Position): void {
    if (position <= (this.#known.get(projection) ?? '')) return;
    this.#known.set(projection, position);
    for (const waiter of this.#waiting) {
      if (waiter.hasReached()) this.#end(waiter).resolve(true);
    }
  }

  known(projection: string): Position | undefined {
    return this.#known.get(projection);
  }

  /** Returns whether every read model of an aggregate is known to have folded a position. */
  readonly isFolded = (aggregate: string, position: Position): boolean =>
    allProjections.every(({ name, aggregates }) => {
      return !aggregates.includes(aggregate) || (this.#known.get(name) ?? '') >= position;
    });

  /**
   * Returns whether `position` is folded within `timeoutMs`; false at once if the projection is stopped before it. Looks
   * at the stores at least once, but gives a worker of this process 20 ms to report first.
   */
  async reached(projection: string, position: Position, timeoutMs: number): Promise<boolean> {
    const hasReached = () => (this.#known.get(projection) ?? '') >= position;
    if (hasReached()) return true;
    return new Promise((resolve, reject) => {
      this.#waiting.add({ projection, hasReached, giveUp: performance.now() + timeoutMs, resolve, reject });
      if (!this.#reported.has(projection)) this.#joined.ring();
      if (!this.#isPolling) void this.#poll();
    });
  }

  /** Looks for all readers that wait: when another one joins them, and after each pause. Never rejects. */
  async #poll(): Promise<void> {
    this.#isPolling = true;
    const next = () => this.#joined.wait(POLL_MS);
    for (await next(); this.#waiting.size > 0; await next()) {
      // Not among pieces of work that share reads (`sharedReads`): an earlier read of another may be older than what is learned.
      await nextTurn();
      await this.#lookFor([...this.#waiting]);
    }
    this.#isPolling = false;
  }

  /** Reads the checkpoints, and then the log for the projections that still have not reached a position. */
  async #lookFor(waiters: readonly Waiter[]): Promise<void> {
    try {
      const stopped = await this.#readCheckpoints();
      const isBehind = ({ projection, hasReached }: Waiter) => !hasReached() && !stopped.has(projection);
      const behind = new Set(waiters.filter(isBehind).map(({ projection }) => projection));
      for (const projection of behind) await this.#passOver(projection);
      const isOver = ({ projection, giveUp }: Waiter) => stopped.has(projection) || performance.now() >= giveUp;
      for (const waiter of waiters.filter(isOver)) this.#end(waiter).resolve(false);
    } catch (error) {
      for (const waiter of waiters) this.#end(waiter).reject(error);
    }
  }

  #end(waiter: Waiter): Waiter {
    this.#waiting.delete(waiter);
    return waiter;
  }

  /** Reads the checkpoints that readers see. Returns the names of the projections that are stopped. */
  async #readCheckpoints(): Promise<ReadonlySet<string>> {
    const live = (await this.#views.checkpoints()).filter(({ state }) => state === 'live');
    for (const { projection, position } of live) if (position !== undefined) this.#advance(projection, position);
    const stopped = live.filter((each) => each.stopped !== undefined).map(({ projection }) => projection);
    for (const projection of stopped) this.#reported.delete(projection);
    return new Set(stopped);
  }

  /** Advances a projection to its next event in the log, or to the end of the log. */
  async #passOver(projection: string): Promise<void> {
    const aggregates = allProjections.find(({ name }) => name === projection)?.aggregates;
    if (this.#facts === undefined || aggregates === undefined) return;
    const { events, position } = await this.#facts.readLog({ aggregates, after: this.#known.get(projection) }, 1);
    if (events.length === 0 && position !== undefined) this.#advance(projection, position);
  }
}
