// Runs the test server of EventStoreDB as a child process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort, HOST } from '../free-port.js';
import { sendSignal } from '../signals.js';

const program = fileURLToPath(new URL('node.ts', import.meta.url));

/** A server as a child process. It keeps its port when it starts again. */
export class EventStoreDbProcess {
  readonly #directory: string;
  readonly #port: number;
  #child: ChildProcess | undefined;

  private constructor(directory: string, port: number) {
    this.#directory = directory;
    this.#port = port;
    process.once('exit', () => this.#child?.kill('SIGKILL'));
  }

  /** Creates a server on a free port that keeps its log in `directory`. Does not start the server. */
  static async on(directory: string): Promise<EventStoreDbProcess> {
    return new EventStoreDbProcess(directory, await freePort());
  }

  get url(): string {
    return `esdb://${HOST}:${this.#port}?tls=false`;
  }

  /** Starts the server. Resolves when it accepts connections. */
  async start(): Promise<void> {
    const words = ['--import', 'tsx', program, this.#directory, `${this.#port}`];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`the server exited with code ${code}`))),
    ]);
  }

  /** Sends SIGKILL and waits until the process has exited. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Suspends or resumes the process. Its connections stay open. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    return sendSignal(this.#child, signal);
  }
}
