// Provides a MongoDB or a stand-in: a running server, `mongod` from PATH, or mongo-java-server, which
// scripts/engines-install.sh compiles.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, HOST } from './free-port.js';
import { sendSignal } from './signals.js';

/** The source of a MongoDB for the tests. */
export type MongoSource =
  | { readonly kind: 'running'; readonly url: string }
  | {
      readonly kind: 'program';
      /** Returns the program and its arguments for a port and a data directory. */
      readonly command: (port: number, directory: string) => readonly [program: string, ...rest: string[]];
    }
  | { readonly kind: 'none'; readonly reason: string };

const START_MS = 60_000;
const installed = fileURLToPath(new URL('../../.engines/mongo-java-server/', import.meta.url));
const source = fileURLToPath(new URL('./mongo-java-server/Server.java', import.meta.url));

/** Returns the first available source: MONGODB_URL, `mongod`, or mongo-java-server. */
export const mongoSource = (): MongoSource => {
  const url = process.env['MONGODB_URL'];
  if (url !== undefined && url !== '') return { kind: 'running', url };
  if (spawnSync('mongod', ['--version']).status === 0) return { kind: 'program', command: mongod };
  if (isInstalled()) return { kind: 'program', command: mongoJavaServer };
  return {
    kind: 'none',
    reason: 'no MongoDB: set MONGODB_URL, put mongod in PATH, or install a JDK 17 and run `npm run engines:install`',
  };
};

const mongod = (port: number, directory: string) =>
  // The TTL monitor could remove expired records between two steps of a test.
  [
    'mongod',
    '--dbpath',
    directory,
    '--bind_ip',
    HOST,
    '--port',
    `${port}`,
    '--setParameter',
    'ttlMonitorEnabled=false',
  ] as const;

const mongoJavaServer = (port: number, directory: string) =>
  [
    'java',
    '-Xmx384m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-cp',
    `${installed}:${installed}*`,
    'Server',
    `${port}`,
    `${directory}/mongodb.mv`,
  ] as const;

// The copy of the source beside the class shows which source was compiled.
const isInstalled = (): boolean =>
  existsSync(`${installed}Server.java`) && readFileSync(`${installed}Server.java`).equals(readFileSync(source));

/** A server as a child process. It keeps its port when it starts again. */
export class MongoProcess {
  readonly #command: readonly [program: string, ...rest: string[]];
  readonly #port: number;
  #child: ChildProcess | undefined;

  private constructor(command: readonly [program: string, ...rest: string[]], port: number) {
    this.#command = command;
    this.#port = port;
    process.once('exit', () => this.#child?.kill('SIGKILL'));
  }

  /** Creates a server on a free port that keeps its data in `directory`. Does not start the server. */
  static async on(source: MongoSource, directory: string): Promise<MongoProcess> {
    if (source.kind !== 'program') throw new Error('no program can start a MongoDB here');
    const port = await freePort();
    return new MongoProcess(source.command(port, directory), port);
  }

  get url(): string {
    return `mongodb://${HOST}:${this.#port}/`;
  }

  /** Starts the server. Resolves when the server accepts connections. */
  async start(): Promise<void> {
    const [program, ...rest] = this.#command;
    const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => output.push(`${bytes}`));
    this.#child = child;
    const giveUp = Date.now() + START_MS;
    while (!(await accepts(this.#port))) {
      if (hasEnded(child) || Date.now() > giveUp) throw new Error(`${program} did not start: ${output.join('')}`);
      await pause(20);
    }
  }

  /** Sends a signal and waits until the process has exited. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || hasEnded(child)) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  /** Suspends or resumes the process. Its connections stay open. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    return sendSignal(this.#child, signal);
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, HOST);
    const settle = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
