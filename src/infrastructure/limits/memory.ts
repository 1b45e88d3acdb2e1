// Rate limits counted in the memory of the process, for itself alone.
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { counted } from './counting.js';
import type { Limits, Quota, Standing } from './limits.js';

/** Counts in memory; a count is forgotten when its window ends. */
export class MemoryLimits implements Limits {
  readonly #limiters = new Map<string, RateLimiterMemory>();

  take(quota: Quota, caller: string): Promise<Standing> {
    return counted(this.#limiterOf(quota), caller);
  }

  async close(): Promise<void> {
    this.#limiters.clear();
  }

  #limiterOf({ name, requests, windowS }: Quota): RateLimiterMemory {
    const known = this.#limiters.get(name);
    if (known !== undefined) return known;
    const limiter = new RateLimiterMemory({ keyPrefix: name, points: requests, duration: windowS });
    this.#limiters.set(name, limiter);
    return limiter;
  }
}
