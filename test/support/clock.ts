// Sets the clock of a service ahead, so that tests see sessions, codes and keys expire.

const preload = new URL('clock-ahead.mjs', import.meta.url).href;

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** Returns the environment of a process whose clock is `ms` milliseconds ahead. Tests never set a clock back. */
export const clockAhead = (ms: number): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${preload}`,
  CLOCK_AHEAD_MS: `${ms}`,
});
