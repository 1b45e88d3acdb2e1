// Sets the clock of a process and its worker threads ahead by CLOCK_AHEAD_MS. NODE_OPTIONS loads this file before the
// program. Timers and `performance.now()` do not change, because they measure durations.
const ahead = Number(process.env.CLOCK_AHEAD_MS);
if (!Number.isFinite(ahead)) throw new Error('CLOCK_AHEAD_MS is not a number');

const { now } = Date;
Date.now = () => now() + ahead;
globalThis.Date = new Proxy(Date, {
  construct: (real, given, made) => Reflect.construct(real, given.length === 0 ? [real.now()] : given, made),
});
