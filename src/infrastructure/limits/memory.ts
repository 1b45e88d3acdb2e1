// Rate limits counted in the memory of the process, for itself alone.
import { LRUCache } from 'lru-cache';
import type { Limits, Quota, Standing } from './limits.js';

// Whoever has very many addresses must not fill the memory: of more callers, those who asked longest ago are forgotten.
const MOST_CALLERS = 100_000;

interface Window {
  count: number;
  /** By `performance.now()`. */
  readonly endsAt: number;
}

/** Counts in memory, as many callers as there is room for. */
export class MemoryLimits implements Limits {
  readonly #windows: LRUCache<string, Window>;

  constructor(mostCallers = MOST_CALLERS) {
    this.#windows = new LRUCache({ max: mostCallers });
  }

  async take({ name, requests, windowS }: Quota, caller: string): Promise<Standing> {
    const key = `${name} ${caller}`;
    const now = performance.now();
    const known = this.#windows.get(key);
    const window = known !== undefined && known.endsAt > now ? known : { count: 0, endsAt: now + windowS * 1_000 };
    window.count += 1;
    if (window !== known) this.#windows.set(key, window);
    return {
      isOver: window.count > requests,
      remaining: Math.max(0, requests - window.count),
      // The difference of two fractions may be a little more than what was added.
      resetS: Math.max(1, Math.min(windowS, Math.ceil((window.endsAt - now) / 1_000))),
    };
  }

  async close(): Promise<void> {
    this.#windows.clear();
  }
}
