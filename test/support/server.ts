// Runs the built service as a separate process with its own directory and port.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client } from './client.js';
import { eventually } from './eventually.js';
import { type Form, programFile } from './process.js';

type Environment = Readonly<Record<string, string>>;

/** A line of the server's log. */
export type LogLine = Readonly<Record<string, unknown>>;

interface Running {
  readonly process: ChildProcess;
  readonly url: string;
}

/** A server that tests may start, stop and start again on the same data. */
export class Server extends Client {
  /** The data directory. */
  readonly directory: string;
  /** The log lines of all starts. */
  readonly log: LogLine[] = [];
  #environment: Environment;
  readonly #under: readonly string[];
  readonly #form: Form;
  #running: Running | undefined;

  /** `under` is a command that runs the server, such as a wrapper. Default: none. */
  constructor(directory: string, environment: Environment = {}, under: readonly string[] = [], form: Form = 'bundle') {
    super(() => this.url);
    this.directory = directory;
    this.#environment = environment;
    this.#under = under;
    this.#form = form;
  }

  /** The process id. */
  get pid(): number {
    return this.#now().process.pid ?? 0;
  }

  /** The address, which changes at each start. */
  get url(): string {
    return this.#now().url;
  }

  /** Starts the server. Resolves when `/readyz` responds with 200. */
  async start(): Promise<void> {
    // Tests sign in from one address more often than the limits allow.
    const env = { DATA_DIR: this.directory, PORT: '0', RATE_LIMITS: '1000', ...this.#environment };
    const [command = '', ...given] = [...this.#under, process.execPath, programFile('main', this.#form)];
    const child = spawn(command, given, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const output: string[] = [];
    child.stderr.on('data', (bytes: Buffer) => output.push(bytes.toString()));
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the server exited with code ${code}: ${output.join('')}`)));
      createInterface(child.stdout).on('line', (line) => {
        const entry = JSON.parse(line) as LogLine;
        this.log.push(entry);
        if (typeof entry['url'] === 'string') resolve(entry['url']);
      });
    });
    this.#running = { process: child, url };
    await eventually(async () => {
      const { status, body } = await this.get('/readyz');
      if (status !== 200) throw new Error(`the server is not ready: ${JSON.stringify([body, this.log.at(-1)])}`);
    });
  }

  /** Sends SIGTERM, as an orchestrator does, and returns the exit code. */
  async stop(): Promise<number | null> {
    return this.#running === undefined ? null : this.#end('SIGTERM');
  }

  /** Sends SIGKILL, which ends the process like a crash. */
  async kill(): Promise<void> {
    if (this.#running !== undefined) await this.#end('SIGKILL');
  }

  /** Stops the server and starts it on the same data. Adds `more` to its environment for this and later starts. */
  async restart(more: Environment = {}): Promise<void> {
    await this.stop();
    this.#environment = { ...this.#environment, ...more };
    await this.start();
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const { process: child } = this.#now();
    if (child.exitCode === null && child.signalCode === null) {
      // `close` comes after the last line of the log; `exit` can come before it.
      const closed = once(child, 'close');
      child.kill(signal);
      await closed;
    }
    this.#running = undefined;
    return child.exitCode;
  }

  #now(): Running {
    if (this.#running === undefined) throw new Error('the server is not running');
    return this.#running;
  }
}
