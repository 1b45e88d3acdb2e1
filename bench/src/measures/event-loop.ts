// What a sign-in storm does to everybody else: how long the event loop is kept, and how long GETs beside it take. The
// storm is as many sign-ins at once as the service takes without a refusal, for as long as it is looked at.
import { setTimeout as pause } from 'node:timers/promises';
import { passwordLimits } from '../../../dist/auth/passwords/passwords.js';
import { makeAccounts, startGuarded } from '../lib/accounts.js';
import { readDelays } from '../lib/event-loop.js';
import { keepDoing } from '../lib/keep-doing.js';
import { type Server, withoutCoreMs } from '../lib/processes.js';
import type { Send } from '../lib/rate.js';
import { interleaved } from '../lib/rounds.js';
import { atMost, median, percentile } from '../lib/stats.js';
import type { Measure, Row } from '../measure.js';
import { below } from './http.js';
import { signingIn } from './sign-ins.js';

const STORMING = passwordLimits.waiting;
const READERS = 4;
// Each reader waits so long between two GETs: they are not to be what keeps the event loop.
const READ_EVERY_MS = 5;
const GATHERING_MS = 500;

interface Looked {
  readonly p99: number;
  readonly max: number;
  /** The 99th percentile of the GETs' times, in milliseconds. */
  readonly get: number;
  readonly signInsPerSecond: number;
  /** The share of the time in which the main thread was ready to run and had no core. */
  readonly withoutCore: number;
}

/** What a server has to do while it is looked at. */
interface Asked {
  readonly server: Server;
  readonly read: Send;
  /** What is sent besides, at so many connections. */
  readonly storm: { readonly connections: number; readonly send: Send };
}

/** Looks at a server for so long. */
const look = async ({ server: { url, pid }, read, storm }: Asked, ms: number): Promise<Looked> => {
  const times: number[] = [];
  const others = keepDoing(url, storm.connections, storm.send);
  await pause(storm.connections === 0 ? 0 : GATHERING_MS);
  const readers = keepDoing(url, READERS, async (caller, connection) => {
    const started = performance.now();
    await read(caller, connection);
    times.push(performance.now() - started);
    await pause(READ_EVERY_MS);
  });
  await readDelays(url);
  const before = { count: others.count(), waited: withoutCoreMs(pid) ?? Number.NaN };
  await pause(ms);
  const delays = await readDelays(url);
  const signInsPerSecond = ((others.count() - before.count) * 1_000) / ms;
  const withoutCore = ((withoutCoreMs(pid) ?? Number.NaN) - before.waited) / ms;
  await readers.stop();
  await others.stop();
  return { ...delays, get: percentile(times, 0.99), signInsPerSecond, withoutCore };
};

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;

const rowsOf = (storm: readonly Looked[], quiet: readonly Looked[]): readonly Row[] => {
  const row = (what: string, figure: (looked: Looked) => number) => ({
    what,
    unit: 'ms',
    ours: median(storm.map(figure)),
    baseline: { name: 'without the storm', value: median(quiet.map(figure)) },
  });
  const delay = row('event loop delay p99 in a sign-in storm', ({ p99 }) => p99);
  const both = (figure: (looked: Looked) => number, of: (figures: readonly number[]) => number) =>
    [storm, quiet].map((looks) => of(looks.map(figure)));
  const [longest, longestQuiet] = both(
    ({ max }) => max,
    (all) => Math.max(...all),
  ).map((ms) => ms.toFixed(0));
  const [waited, waitedQuiet] = both(({ withoutCore }) => withoutCore, median).map(percent);
  const notes = [
    `${STORMING} sign-ins at once, ${median(storm.map(({ signInsPerSecond }) => signInsPerSecond)).toFixed(0)} a second`,
    `the longest delay: ${longest} ms; without the storm ${longestQuiet} ms`,
    `the main thread was ready to run and had no core for ${waited} of the time; without the storm ${waitedQuiet}`,
    'as /metrics says it, less the 10 ms between two looks that are in there',
  ];
  return [
    { ...delay, notes, aim: atMost(20, 'ms', delay.ours) },
    row('GET of a list of one user beside it, p99', ({ get }) => get),
  ];
};

export const eventLoop: Measure = {
  name: 'event-loop',
  title: 'the event loop in a sign-in storm',
  run: async (bench) => {
    const guarded = await startGuarded(below(bench, 'product'));
    const { server, token } = guarded;
    try {
      const accounts = await makeAccounts(guarded, bench.quick ? STORMING : 2 * STORMING);
      const read: Send = (caller) => caller.text({ method: 'GET', path: '/users?limit=1', token });
      const send = signingIn(accounts, STORMING);
      const ms = bench.quick ? 2_000 : 8_000;
      const lookAt = (connections: number) => look({ server, read, storm: { connections, send } }, ms);
      await lookAt(STORMING);
      const samples = await interleaved({ storm: () => lookAt(STORMING), quiet: () => lookAt(0) }, bench.quick ? 3 : 7);
      return rowsOf(samples.storm, samples.quiet);
    } finally {
      await server.stop();
    }
  },
};
