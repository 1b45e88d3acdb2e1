// Starts the measured servers. Each is a separate process with its log in a file.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { variables } from '../../../dist/config.js';

const START_MS = 30_000;
const POLL_MS = 2;

/** A listening server. `stop` may be called more than once. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const [PRODUCT, CLI] = ['main', 'cli'].map((name) =>
  fileURLToPath(new URL(`../../../dist/bundle/${name}.js`, import.meta.url)),
) as [string, string];

/** Environment variables of the product. */
export type Settings = Readonly<Record<string, string>>;

/** Starts the product on a directory as an operator would. Its log, of level info, goes into a file. */
const startProduct = (directory: string, settings: Settings = {}): Promise<Server> =>
  startServer(PRODUCT, directory, {
    DATA_DIR: join(directory, 'data'),
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    // The load comes from one address.
    RATE_LIMITS: 'off',
    ...settings,
  });

/** Starts the product and waits until it is ready. */
export const startReady = async (directory: string, settings: Settings = {}): Promise<Server> => {
  const server = await startProduct(directory, settings);
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await pause(POLL_MS);
  return server;
};

/** Starts a server of `baselines/` with these environment variables. */
const startBaseline = (name: string, directory: string, settings: Settings = {}): Promise<Server> =>
  startServer(fileURLToPath(new URL(`../baselines/${name}.js`, import.meta.url)), directory, settings);

/**
 * Starts the baseline without a store. It returns the body of a POST, and responds to the GETs of a path of Express with
 * a text.
 */
export const startBare = (directory: string, path = '/', text = ''): Promise<Server> => {
  const STORED = join(directory, 'stored.json');
  writeFileSync(STORED, text);
  return startBaseline('bare', directory, { STORED, STORED_AT: path });
};

/** Starts the CRUD baseline with an empty database. */
export const startCrud = (directory: string): Promise<Server> =>
  startBaseline('crud', directory, { DATABASE: join(directory, 'crud.sqlite') });

/** Runs a command of the operator's tool on the stores of a product's directory, with `input` on its standard input. */
export const runCli = (directory: string, words: readonly string[], input: string): void => {
  const env = inherited({ DATA_DIR: join(directory, 'data') });
  execFileSync(process.execPath, [CLI, ...words], { env, input, stdio: ['pipe', 'ignore', 'inherit'] });
};

// A server writes its address in a line of JSON on its standard output.
const startServer = async (script: string, directory: string, settings: Settings): Promise<Server> => {
  const logFile = join(directory, `server-${process.hrtime.bigint()}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [script], { env: inherited(settings), stdio: ['ignore', log, log] });
  closeSync(log);
  // A measure that fails must not leave its servers behind.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    process.off('exit', kill);
  };
  const { pid } = child;
  if (pid === undefined) throw new Error(`${script} could not be started`);
  const url = await addressIn(logFile, () => child.exitCode !== null);
  return { url, pid, stop };
};

// Variables of the environment that configure the product must not change the measurement.
const inherited = (settings: Settings) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !variables.includes(name))),
  ...settings,
});

const addressIn = async (logFile: string, hasEnded: () => boolean): Promise<string> => {
  const giveUp = performance.now() + START_MS;
  for (;;) {
    const text = readFileSync(logFile, 'utf8');
    const url = /"url":"(http[^"]+)"/.exec(text)?.[1];
    if (url !== undefined) return url;
    if (hasEnded() || performance.now() > giveUp) throw new Error(`a server did not start:\n${text}`);
    await pause(POLL_MS);
  }
};

// proc(5): fields 14 to 17 are utime, stime, and both of the children that have ended, in ticks of 1/100 s.
const ticksOf = (pid: number | 'self'): readonly number[] => {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return afterName.slice(11, 15).map(Number);
};

/** Returns the CPU seconds that a process has used so far; NaN if the system does not report them. */
export const cpuSecondsOf = (pid: number): number => {
  try {
    const [user = Number.NaN, system = Number.NaN] = ticksOf(pid);
    return (user + system) / 100;
  } catch {
    return Number.NaN;
  }
};

/** Returns the CPU seconds of the children of this process that have ended; NaN if the system does not report them. */
export const childCpuSeconds = (): number => {
  try {
    const [, , user = Number.NaN, system = Number.NaN] = ticksOf('self');
    return (user + system) / 100;
  } catch {
    return Number.NaN;
  }
};
