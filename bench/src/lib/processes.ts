// Starts the measured servers. Each is a separate process with its log in a file.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
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

const inDist = (file: string) => fileURLToPath(new URL(`../../../dist/${file}`, import.meta.url));
const [PRODUCT, CLI, COMPILED] = [inDist('bundle/main.js'), inDist('bundle/cli.js'), inDist('main.js')];

// As `npm start` sets it. An earlier build gets it, too, so that only the code differs.
const SEMI_SPACE = '--max-semi-space-size=16';

/** Environment variables of the product. */
export type Settings = Readonly<Record<string, string>>;

/** The settings of the product on a directory. Its log, of level info, goes into a file. */
const settingsOf = (directory: string): Settings => ({
  DATA_DIR: join(directory, 'data'),
  PORT: '0',
  HOST: '127.0.0.1',
  LOG_LEVEL: 'info',
  // The load comes from one address.
  RATE_LIMITS: 'off',
});

const untilReady = async (server: Server): Promise<Server> => {
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await pause(POLL_MS);
  return server;
};

// Another version of Node.js may run the product, to compare the versions.
const productNode = process.env['BENCH_NODE'] ?? process.execPath;

/**
 * Starts the product on a directory as an operator would, and waits until it is ready. It is the build in this checkout,
 * or in another one.
 */
export const startReady = async (directory: string, settings: Settings = {}, checkout?: string): Promise<Server> => {
  const program = checkout === undefined ? PRODUCT : join(checkout, 'dist/bundle/main.js');
  const words = [productNode, SEMI_SPACE, program] as const;
  return untilReady(await startServer(words, directory, { ...settingsOf(directory), ...settings }));
};

/** Starts a process of the product that only has the role of a worker, and so no address. */
export const startWorker = async (directory: string, settings: Settings): Promise<Omit<Server, 'url'>> => {
  const environment = { ...settingsOf(directory), ...settings, ROLES: 'worker' };
  return startServer([productNode, SEMI_SPACE, PRODUCT], directory, environment, /"msg":"(projections started)"/);
};

/**
 * Starts the product of this checkout, or of another one, so that each thread writes a CPU profile when it ends. Not the
 * bundle: the compiled files name the part that a function belongs to.
 */
export const startProfiled = async (directory: string, profiles: string, checkout?: string): Promise<Server> => {
  const program = checkout === undefined ? COMPILED : join(checkout, 'dist/main.js');
  const named = fileURLToPath(new URL('../tasks/named-json.js', import.meta.url));
  const words = [SEMI_SPACE, '--cpu-prof', `--cpu-prof-dir=${profiles}`, '--import', named, program];
  return untilReady(await startServer([productNode, ...words], directory, settingsOf(directory)));
};

/** Starts a server of `baselines/` with these environment variables. */
const startBaseline = (name: string, directory: string, settings: Settings = {}): Promise<Server> =>
  startServer(
    [process.execPath, fileURLToPath(new URL(`../baselines/${name}.js`, import.meta.url))],
    directory,
    settings,
  );

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

const ADDRESS = /"url":"(http[^"]+)"/;

const running = new Set<ChildProcess>();

/** Kills the servers that a measure left behind, because it failed. */
export const killLeft = (): void => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
};
process.once('exit', killLeft);

// A server writes its address in a line of JSON on its standard output.
const startServer = async (
  [program, ...words]: readonly [program: string, ...words: string[]],
  directory: string,
  settings: Settings,
  ready = ADDRESS,
): Promise<Server> => {
  const logFile = join(directory, `server-${process.hrtime.bigint()}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(program, words, { env: inherited(settings), stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    running.delete(child);
  };
  running.add(child);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} could not be started`);
  const url = await found(ready, logFile, () => child.exitCode !== null);
  return { url, pid, stop };
};

// Variables of the environment that configure the product must not change the measurement.
const inherited = (settings: Settings) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !variables.includes(name))),
  ...settings,
});

const found = async (expected: RegExp, logFile: string, hasEnded: () => boolean): Promise<string> => {
  const giveUp = performance.now() + START_MS;
  for (;;) {
    const text = readFileSync(logFile, 'utf8');
    const [, written] = expected.exec(text) ?? [];
    if (written !== undefined) return written;
    if (hasEnded() || performance.now() > giveUp) throw new Error(`a process did not start:\n${text}`);
    await pause(POLL_MS);
  }
};
