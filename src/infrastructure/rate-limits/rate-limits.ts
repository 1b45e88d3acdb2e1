// The port of rate limits: counts what callers ask for in windows of time.

/** So many requests of each caller in a window, which begins with the first of them. */
export interface Quota {
  /** Quotas of different names are counted apart. */
  readonly name: string;
  readonly requests: number;
  /** The length of the window in whole seconds. */
  readonly windowS: number;
}

/** Where a caller stands after a request. */
export interface Standing {
  /** Whether the request was one too many. */
  readonly isOver: boolean;
  /** How many more the window has. */
  readonly remaining: number;
  /** When the window ends, in seconds from now, at least 1. */
  readonly resetS: number;
}

/** The counts. */
export interface RateLimits {
  /** Counts a request of a caller, whatever it is called by. Never rejects, and never waits for more than a moment. */
  take(quota: Quota, caller: string): Promise<Standing>;

  /** Lets go of what it holds. */
  close(): Promise<void>;
}
