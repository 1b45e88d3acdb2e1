// Counts rate limits in the memory of this process. RateLimiterMemory of rate-limiter-flexible keeps every caller until
// the window ends, about 500 bytes each, so an attacker with many addresses could fill the memory.
import { LRUCache } from 'lru-cache';
import type { Quota, QuotaStatus, RateLimits } from './rate-limits.js';

const MAX_CALLERS = 100_000;

/** Counts the requests of at most `maxCallers` callers. Above that, forgets the least recent callers. */
export class MemoryRateLimits implements RateLimits {
  readonly #counts: LRUCache<string, number>;

  constructor(maxCallers = MAX_CALLERS) {
    // `max` would reserve memory for all callers in advance.
    this.#counts = new LRUCache({ maxSize: maxCallers, sizeCalculation: () => 1, noUpdateTTL: true });
  }

  async take({ name, requests, windowS }: Quota, caller: string): Promise<QuotaStatus> {
    const key = `${name} ${caller}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count, { ttl: windowS * 1_000 });
    const resetS = Math.ceil(this.#counts.getRemainingTTL(key) / 1_000);
    return {
      isOver: count > requests,
      remaining: Math.max(0, requests - count),
      // The cache reads its clock once per millisecond, so the remaining time may be slightly too long.
      resetS: Math.max(1, Math.min(windowS, resetS)),
    };
  }

  async close(): Promise<void> {
    this.#counts.clear();
  }
}
