// Counts rate limits in the memory of this process. RateLimiterMemory of rate-limiter-flexible keeps every caller until
// the window ends, about 500 bytes each, so an attacker with many addresses could fill the memory.
import { LRUCache } from 'lru-cache';
import type { OwnRateLimits, Quota, QuotaStatus } from './rate-limits.js';

// About 20 MB for each quota. Anybody can rent a /48 network, which has 65,536 /64 networks.
const MAX_CALLERS = 70_000;

/** Forgets the least recent of many callers, in each quota by itself: a flood of one never resets another. */
export class MemoryRateLimits implements OwnRateLimits {
  readonly #counts = new Map<string, LRUCache<string, number>>();
  readonly #maxCallers: number;

  constructor(maxCallers = MAX_CALLERS) {
    this.#maxCallers = maxCallers;
  }

  async take({ name, requests, windowS }: Quota, caller: string, amount = 1): Promise<QuotaStatus> {
    const counts = this.#countsOf(name);
    const count = (counts.get(caller) ?? 0) + amount;
    counts.set(caller, count, { ttl: windowS * 1_000 });
    const resetS = Math.ceil(counts.getRemainingTTL(caller) / 1_000);
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

  #countsOf(name: string): LRUCache<string, number> {
    const known = this.#counts.get(name);
    if (known !== undefined) return known;
    // `max` would reserve memory for all callers in advance.
    const counts = new LRUCache<string, number>({
      maxSize: this.#maxCallers,
      sizeCalculation: () => 1,
      noUpdateTTL: true,
    });
    this.#counts.set(name, counts);
    return counts;
  }
}
