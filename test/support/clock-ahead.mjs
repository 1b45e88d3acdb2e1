// Loaded into a process before its program (NODE_OPTIONS), its worker threads included: puts its clock ahead by
// CLOCK_AHEAD_MS. Timers and `performance.now()` run as ever: they tell how long something takes, not when it is.
const ahead = Number(process.env.CLOCK_AHEAD_MS);
if (!Number.isFinite(ahead)) throw new Error('CLOCK_AHEAD_MS is no number');

const { now } = Date;
Date.now = () => now() + ahead;
globalThis.Date = new Proxy(Date, {
  construct: (real, given, made) => Reflect.construct(real, given.length === 0 ? [real.now()] : given, made),
});
