// The progress of the live read models, for readers that wait for a position. It comes from what this process folded,
// from the checkpoints that another process stores, and from the log.
import { setTimeout as pause } from 'node:timers/promises';
import { Bell } from '../infrastructure/bell.js';
import type { Facts, Position } from '../infrastructure/facts/facts.js';
import type { Views } from '../infrastructure/views/views.js';
import { allProjections } from './all.js';

// How often the log and the checkpoints of another process are read while readers wait.
const POLL_MS = 20;

interface Waiter {
  readonly projection: string;
  readonly hasReached: () => boolean;
  readonly ring: () => void;
}

/** The progress of the live generations, by projection. */
export class Progress {
  readonly #views: Views;
  readonly #facts: Pick<Facts, 'readLog'> | undefined;
  readonly #known = new Map<string, Position>();
  readonly #waiting = new Set<Waiter>();
  /** The look in progress, or the last one. */
  #look: Promise<void> = Promise.resolve();
  /** The look that begins after the one in progress. */
  #nextLook: Promise<void> | undefined;
  /** The look that begins after a pause. */
  #laterLook: Promise<void> | undefined;

  /**
   * A projection is not woken for events that it does not fold, so its checkpoint may stay before the position that a
   * reader waits for. With `facts`, the reader does not wait if the log has no event for the projection up to that
   * position.
   */
  constructor(views: Views, facts?: Pick<Facts, 'readLog'>) {
    this.#views = views;
    this.#facts = facts;
  }

  /** Records the position of the live generation of a projection. */
  advanced(projection: string, position: Position): void {
    if (position <= (this.#known.get(projection) ?? '')) return;
    this.#known.set(projection, position);
    for (const { hasReached, ring } of this.#waiting) if (hasReached()) ring();
  }

  /** Returns the position that a projection is known to have reached. */
  known(projection: string): Position | undefined {
    return this.#known.get(projection);
  }

  /** Waits until a projection has folded everything up to `position`. Returns false if it has not after `timeoutMs`. */
  async reached(projection: string, position: Position, timeoutMs: number): Promise<boolean> {
    const hasReached = () => (this.#known.get(projection) ?? '') >= position;
    if (hasReached()) return true;
    const bell = new Bell();
    const waiter = { projection, hasReached, ring: bell.ring };
    this.#waiting.add(waiter);
    const giveUp = Date.now() + timeoutMs;
    const woken = bell.wait();
    try {
      await Promise.race([woken, this.#lookNext()]);
      while (!hasReached() && Date.now() < giveUp) await Promise.race([woken, this.#lookLater()]);
      return hasReached();
    } finally {
      this.#waiting.delete(waiter);
    }
  }

  /** Looks once for all waiters that come while another look is in progress. */
  #lookNext(): Promise<void> {
    const begin = () => {
      this.#nextLook = undefined;
      this.#look = this.#lookForAll();
      return this.#look;
    };
    this.#nextLook ??= this.#look.then(begin, begin);
    return this.#nextLook;
  }

  #lookLater(): Promise<void> {
    this.#laterLook ??= pause(POLL_MS).then(() => {
      this.#laterLook = undefined;
      return this.#lookNext();
    });
    return this.#laterLook;
  }

  /** Reads the checkpoints, and then the log for the projections that still have not reached a position. */
  async #lookForAll(): Promise<void> {
    if (this.#waiting.size > 0) await this.#readCheckpoints();
    const behind = [...this.#waiting].filter(({ hasReached }) => !hasReached()).map(({ projection }) => projection);
    for (const projection of new Set(behind)) await this.#passOver(projection);
  }

  async #readCheckpoints(): Promise<void> {
    for (const { projection, state, position } of await this.#views.checkpoints()) {
      if (state === 'live' && position !== undefined) this.advanced(projection, position);
    }
  }

  /** Advances a projection to its next event in the log, or to the end of the log. */
  async #passOver(projection: string): Promise<void> {
    const aggregates = allProjections.find(({ name }) => name === projection)?.aggregates;
    if (this.#facts === undefined || aggregates === undefined) return;
    const { events, position } = await this.#facts.readLog({ aggregates, after: this.#known.get(projection) }, 1);
    if (events.length === 0 && position !== undefined) this.advanced(projection, position);
  }
}
