// Sets the clock of a process and its worker threads ahead by CLOCK_AHEAD_MS, or by what the file CLOCK_AHEAD_FILE says
// at the moment. NODE_OPTIONS loads this file before the program. Timers and `performance.now()` do not change, because
// they measure durations.
import { readFileSync } from 'node:fs';

const { CLOCK_AHEAD_FILE: file, CLOCK_AHEAD_MS: ms } = process.env;
const ahead = () => Number(file === undefined ? ms : readFileSync(file, 'utf8'));
if (!Number.isFinite(ahead())) throw new Error('CLOCK_AHEAD_MS is not a number');

const { now } = Date;
Date.now = () => now() + ahead();
globalThis.Date = new Proxy(Date, {
  construct: (real, given, made) => Reflect.construct(real, given.length === 0 ? [real.now()] : given, made),
});
