// Time that passes for a service and for no one else: what expires can be seen to.

const preload = new URL('clock-ahead.mjs', import.meta.url).href;

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** The environment of a process whose clock is so many milliseconds ahead. A clock that has been ahead is never put back. */
export const clockAhead = (ms: number): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${preload}`,
  CLOCK_AHEAD_MS: `${ms}`,
});
