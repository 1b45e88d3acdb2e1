// How far the live read models have come, for those who wait for a position: answered at once from what this process
// folded itself, else from the checkpoints that another process stores.
import { Bell } from '../infrastructure/bell.js';
import type { Position } from '../infrastructure/facts/facts.js';
import type { Views } from '../infrastructure/views/views.js';

// How often the checkpoints of another process are looked at while somebody waits.
const LOOK_EVERY_MS = 20;

/** The progress of the live generations, by projection. */
export class Progress {
  readonly #views: Views;
  readonly #known = new Map<string, Position>();
  readonly #waiting = new Set<Bell>();

  constructor(views: Views) {
    this.#views = views;
  }

  /** Tells that the live generation of a projection has come this far. */
  advanced(projection: string, position: Position): void {
    if (position <= (this.#known.get(projection) ?? '')) return;
    this.#known.set(projection, position);
    for (const { ring } of this.#waiting) ring();
  }

  /** The position that a projection is known to have reached. */
  known(projection: string): Position | undefined {
    return this.#known.get(projection);
  }

  /** Waits until a projection has folded everything up to `position`; false where it has not after `atMostMs`. */
  async reached(projection: string, position: Position, atMostMs: number): Promise<boolean> {
    const isThere = () => (this.#known.get(projection) ?? '') >= position;
    if (isThere()) return true;
    const bell = new Bell();
    this.#waiting.add(bell);
    const giveUp = Date.now() + atMostMs;
    try {
      await this.#look();
      while (!isThere() && Date.now() < giveUp) {
        await bell.heard(Math.min(giveUp - Date.now(), LOOK_EVERY_MS));
        if (!isThere()) await this.#look();
      }
      return isThere();
    } finally {
      this.#waiting.delete(bell);
    }
  }

  async #look(): Promise<void> {
    for (const { projection, state, position } of await this.#views.checkpoints()) {
      if (state === 'live' && position !== undefined) this.advanced(projection, position);
    }
  }
}
