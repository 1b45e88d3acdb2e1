// Sets the clock of a service ahead, so that tests see sessions, codes and keys expire, and planned jobs run.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './directory.js';

const preload = new URL('clock-ahead.mjs', import.meta.url).href;

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** Returns the environment of a process whose clock is `ms` milliseconds ahead. */
export const clockAhead = (ms: number): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${preload}`,
  CLOCK_AHEAD_MS: `${ms}`,
});

/** A clock that a test puts ahead, or back, while the processes with this environment run. */
export interface MovableClock {
  readonly environment: Readonly<Record<string, string>>;
  readonly pass: (ms: number) => void;
}

/** Returns a clock that shows the right time until the test passes time. It lasts until the end of the test file. */
export const movableClock = (): MovableClock => {
  const file = join(temporaryDirectory(), 'ahead');
  let ahead = 0;
  const pass = (ms: number) => {
    ahead += ms;
    // A process must never read an empty file.
    writeFileSync(`${file}.new`, `${ahead}`);
    renameSync(`${file}.new`, file);
  };
  pass(0);
  return { environment: { NODE_OPTIONS: `--import=${preload}`, CLOCK_AHEAD_FILE: file }, pass };
};
