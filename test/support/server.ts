// The built server as a process of its own, on a directory and a port of its own: what a client meets.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from './client.js';
import { eventually } from './eventually.js';

const program = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));

type Environment = Readonly<Record<string, string>>;

/** A line of the server's log. */
export type LogLine = Readonly<Record<string, unknown>>;

interface Running {
  readonly process: ChildProcess;
  readonly url: string;
}

/** A server that may be started, stopped and started again; its data outlive it. */
export class Server extends Client {
  /** Where it keeps its data. */
  readonly directory: string;
  /** What it has logged, over all of its starts. */
  readonly log: LogLine[] = [];
  #environment: Environment;
  readonly #under: readonly string[];
  #running: Running | undefined;

  /** `under` is a command that is to run it, by default none. */
  constructor(directory: string, environment: Environment = {}, under: readonly string[] = []) {
    super(() => this.url);
    this.directory = directory;
    this.#environment = environment;
    this.#under = under;
  }

  /** The id of its process. */
  get pid(): number {
    return this.#now().process.pid ?? 0;
  }

  /** Its address; another one after each start. */
  get url(): string {
    return this.#now().url;
  }

  /** Starts it; resolves when it is ready at the address that its log names. */
  async start(): Promise<void> {
    // Tests sign in from one address more often than a hospital does.
    const env = { DATA_DIR: this.directory, PORT: '0', RATE_LIMITS: '1000', ...this.#environment };
    const [command = '', ...given] = [...this.#under, process.execPath, program];
    const child = spawn(command, given, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said: string[] = [];
    child.stderr.on('data', (bytes: Buffer) => said.push(bytes.toString()));
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said.join('')}`)));
      createInterface(child.stdout).on('line', (line) => {
        const entry = JSON.parse(line) as LogLine;
        this.log.push(entry);
        if (typeof entry['url'] === 'string') resolve(entry['url']);
      });
    });
    this.#running = { process: child, url };
    await eventually(async () => {
      const { status, body } = await this.get('/readyz');
      if (status !== 200) throw new Error(`the server is not ready: ${JSON.stringify(body)}`);
    });
  }

  /** Asks it to end, as an orchestrator does; gives its exit code once it has. */
  async stop(): Promise<number | null> {
    return this.#running === undefined ? null : this.#end('SIGTERM');
  }

  /** Ends it at once, as a crash does. */
  async kill(): Promise<void> {
    if (this.#running !== undefined) await this.#end('SIGKILL');
  }

  /** Ends it and starts it again on the same data, with this in its environment from now on. */
  async restart(more: Environment = {}): Promise<void> {
    await this.stop();
    this.#environment = { ...this.#environment, ...more };
    await this.start();
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const { process: child } = this.#now();
    if (child.exitCode === null && child.signalCode === null) {
      // With the last line of the log, which can come after the exit.
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
