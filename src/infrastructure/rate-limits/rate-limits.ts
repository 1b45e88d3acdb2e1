// The port of rate limits: counts the requests of callers in time windows.

/** The number of requests that each caller may make in a window. The window starts with the first request. */
export interface Quota {
  /** The name of the quota. Quotas with different names have separate counts. */
  readonly name: string;
  readonly requests: number;
  /** The length of the window in whole seconds. */
  readonly windowS: number;
}

export interface QuotaStatus {
  readonly isOver: boolean;
  readonly remaining: number;
  /** The seconds until the window ends, at least 1. */
  readonly resetS: number;
}

/** The counts of one process, which count bytes and events, too. */
export interface OwnRateLimits extends RateLimits {
  /** Counts an amount of a caller; 0 to learn the status only. */
  take(quota: Quota, caller: string, amount?: number): Promise<QuotaStatus>;
}

export interface RateLimits {
  /** Counts a request of a caller. Never rejects, and resolves within a fraction of a second. */
  take(quota: Quota, caller: string): Promise<QuotaStatus>;

  close(): Promise<void>;
}
