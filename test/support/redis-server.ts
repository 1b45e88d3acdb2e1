// Provides a Redis: a running server, or `redis-server` from PATH (scripts/engines-install.sh).
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort, HOST } from './free-port.js';
import { sendSignal } from './signals.js';

/** The URL in REDIS_URL, or undefined. */
export const givenRedis = process.env['REDIS_URL'] || undefined;

/** Why no Redis can start here, or undefined if one can. */
export const noRedisServer: string | undefined =
  spawnSync('redis-server', ['--version']).status === 0
    ? undefined
    : 'redis-server is not in PATH: install it with `npm run engines:install`';

// With these settings, acknowledged writes survive a kill.
const SETTINGS = [
  ...['--bind', HOST],
  ...['--appendonly', 'yes'],
  ...['--appendfsync', 'always'],
  ...['--save', ''],
  ...['--maxmemory-policy', 'noeviction'],
];

/** A server as a child process. It keeps its port when it starts again. */
export class RedisProcess {
  readonly #port: number;
  readonly #directory: string;
  #child: ChildProcess | undefined;

  private constructor(port: number, directory: string) {
    this.#port = port;
    this.#directory = directory;
    process.once('exit', () => this.#child?.kill('SIGKILL'));
  }

  /** Creates a server on a free port that keeps its data in `directory`. Does not start the server. */
  static async on(directory: string): Promise<RedisProcess> {
    return new RedisProcess(await freePort(), directory);
  }

  get url(): string {
    return `redis://${HOST}:${this.#port}`;
  }

  /** Starts the server. Resolves when it has loaded its data and accepts connections. */
  async start(): Promise<void> {
    const child = spawn('redis-server', [...SETTINGS, '--port', `${this.#port}`, '--dir', this.#directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    const output: string[] = [];
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`redis-server exited with code ${code}: ${output.join('\n')}`)));
      createInterface(child.stdout).on('line', (line) => {
        output.push(line);
        if (line.includes('Ready to accept connections')) resolve();
      });
    });
  }

  /** Sends a signal and waits until the process has exited. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  /** Suspends or resumes the process. Its connections stay open. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    return sendSignal(this.#child, signal);
  }
}
