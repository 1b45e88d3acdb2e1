// Sets the clock of a service ahead, so that tests see sessions, codes and keys expire.

const preload = new URL('clock-ahead.mjs', import.meta.url).href;

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** Returns the environment of a process whose clock is `ms` milliseconds ahead. */
export const clockAhead = (ms: number): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${preload}`,
  CLOCK_AHEAD_MS: `${ms}`,
});

/** Returns the environment of a process whose clock is ahead by the milliseconds in a file, which a test may change. */
export const clockFile = (file: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${preload}`,
  CLOCK_AHEAD_FILE: file,
});
