// Runs the built programs as child processes that serve no requests: workers, the operator's tool, and starts that
// fail.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Returns the file of a built program. */
export const programFile = (program: Program, form: Form = 'bundle'): string =>
  fileURLToPath(new URL(`../../dist/${form === 'bundle' ? 'bundle/' : ''}${program}.js`, import.meta.url));

/** Begins with the Node.js of the tests, so that npm and shells start their programs with it. */
export const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);

export type Program = 'main' | 'cli';

/**
 * The bundle, or the separate files that the compiler wrote. A preloaded module can change modules only in separate
 * files.
 */
export type Form = 'bundle' | 'modules';

export interface Launch {
  readonly environment: Readonly<Record<string, string>>;
  readonly arguments?: readonly string[];
  /** The standard input. Default: none. */
  readonly input?: string | undefined;
  /** The user who runs the program. Only root may set it. */
  readonly uid?: number;
  readonly form?: Form;
}

/** The exit code and the output of a program. */
export interface ProgramResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const launch = (program: Program, { environment, arguments: given = [], input, uid, form }: Launch): ChildProcess => {
  const child = spawn(process.execPath, [programFile(program, form), ...given], {
    env: environment,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid }),
  });
  child.stdin?.end(input);
  return child;
};

/** Runs a program to its end. */
export const run = (program: Program, how: Launch): Promise<ProgramResult> => startProgram(program, how).ended;

/** Starts a program. Returns a function that kills it, and a promise of its exit code and output. */
export const startProgram = (
  program: Program,
  how: Launch,
): { readonly kill: () => void; readonly ended: Promise<ProgramResult> } => {
  const child = launch(program, how);
  const output = [child.stdout, child.stderr].map((stream) => (stream === null ? '' : text(stream)));
  const ended = once(child, 'close').then(async ([code]) => {
    const [out = '', err = ''] = await Promise.all(output);
    return { code: code as number | null, out, err };
  });
  return { kill: () => void child.kill('SIGKILL'), ended };
};

/** Runs the operator's tool on a data directory. */
export const runCli = (directory: string, ...command: readonly string[]): Promise<ProgramResult> =>
  run('cli', { environment: { DATA_DIR: directory }, arguments: command });

/** A process with ROLES=worker on a data directory that other processes may use, too. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  /** The data directory. */
  readonly directory: string;

  private constructor(child: ChildProcess, directory: string) {
    this.#child = child;
    this.directory = directory;
  }

  /** Starts a worker. Resolves when its log says that its projections have started. */
  static async start(directory: string, engines: Launch['environment'] = {}): Promise<WorkerProcess> {
    const child = launch('main', { environment: { ...engines, DATA_DIR: directory, ROLES: 'worker' } });
    child.stderr?.pipe(process.stderr);
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the worker exited with code ${code}`)));
      if (child.stdout === null) return;
      createInterface(child.stdout).on('line', (line) => {
        if ((JSON.parse(line) as { msg?: string }).msg === 'projections started') resolve();
      });
    });
    return new WorkerProcess(child, directory);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** Sends SIGKILL, which ends the process like a crash. */
  kill(): Promise<number | null> {
    return this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    if (!this.hasEnded) {
      const exit = once(this.#child, 'exit');
      this.#child.kill(signal);
      await exit;
    }
    return this.#child.exitCode;
  }
}
