// Says how often tests repeat steps that depend on chance or time. `npm test` uses the usual numbers. `npm run
// test:long` runs every test file that calls `repetitions` with the large numbers. An environment variable of the same
// name overrides both.

const counts = {
  /** How often the service is killed under load. */
  KILLS: { usual: 1, long: 30 },
  /** How many bodies that could exhaust the process are sent. */
  BODIES: { usual: 400, long: 20_000 },
  /** How many persons are erased while they write. */
  ERASURES: { usual: 5, long: 25 },
  /** How long objects of the SQLite driver are created and collected. */
  COLLECTION_SECONDS: { usual: 2, long: 20 },
  /** How long an engine is unavailable. */
  OUTAGE_SECONDS: { usual: 2, long: 20 },
  /** How many commands are compared with the read models while they run. */
  COMPARED_COMMANDS: { usual: 400, long: 4_000 },
  /** How many event sequences of an aggregate, or logs, a property test generates. */
  PROPERTY_RUNS: { usual: 150, long: 1_500 },
  /** How many copies of the facts have one byte changed. */
  FACTS_BYTES: { usual: 100, long: 1_000 },
  /** How many bytes of an evidence file are changed, one at a time. */
  EVIDENCE_BYTES: { usual: 100, long: 1_000 },
  /** How many steps each client takes. No step may see an older state. */
  CONSISTENT_STEPS: { usual: 40, long: 600 },
  /** How many idle connections a process keeps. */
  CONNECTIONS: { usual: 1_000, long: 9_000 },
  /** How many events of others lie between two of ours. */
  FOREIGN_EVENTS: { usual: 30_000, long: 300_000 },
  /** How many users a large store has. Each has four events. With 20,000 of them, the long loops take ten minutes. */
  USERS: { usual: 400, long: 4_000 },
  /** How many events a long stream of a large store has. */
  STREAM_EVENTS: { usual: 1_500, long: 5_000 },
  /** How many seeds generate random batches of events. */
  BATCH_SEEDS: { usual: 3, long: 30 },
} as const satisfies Record<string, { readonly usual: number; readonly long: number }>;

/** Returns how often a test repeats a step. */
export const repetitions = (name: keyof typeof counts): number => {
  const given = process.env[name];
  if (given !== undefined && !/^[1-9]\d*$/.test(given)) throw new Error(`${name}=${given} is not a positive number`);
  return given === undefined ? counts[name][process.env['LONG'] === undefined ? 'usual' : 'long'] : Number(given);
};
