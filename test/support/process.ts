// The built programs as child processes where no server is wanted: a worker, the operator's tool, a start that fails.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Returns the file of a built program. */
export const programFile = (program: Program, form: Form = 'bundle'): string =>
  fileURLToPath(new URL(`../../dist/${form === 'bundle' ? 'bundle/' : ''}${program}.js`, import.meta.url));

export type Program = 'main' | 'cli';

/** What a program is made of: the bundle, or the files of the compiler, whose modules a preloaded module can change. */
type Form = 'bundle' | 'modules';

export interface Launch {
  readonly environment: Readonly<Record<string, string>>;
  readonly arguments?: readonly string[];
  /** What it reads from its standard input; by default there is none. */
  readonly input?: string | undefined;
  /** The user to run it as; only root may say so. */
  readonly uid?: number;
  readonly form?: Form;
}

/** What a program left when it had ended. */
export interface Ended {
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
export const run = (program: Program, how: Launch): Promise<Ended> => started(program, how).ended;

/** Starts a program and gives it back, with what it will have left. */
export const started = (
  program: Program,
  how: Launch,
): { readonly kill: () => void; readonly ended: Promise<Ended> } => {
  const child = launch(program, how);
  const said = [child.stdout, child.stderr].map((stream) => (stream === null ? '' : text(stream)));
  const ended = once(child, 'close').then(async ([code]) => {
    const [out = '', err = ''] = await Promise.all(said);
    return { code: code as number | null, out, err };
  });
  return { kill: () => void child.kill('SIGKILL'), ended };
};

/** Runs the operator's tool on a data directory. */
export const operate = (directory: string, ...command: readonly string[]): Promise<Ended> =>
  run('cli', { environment: { DATA_DIR: directory }, arguments: command });

/** A process that only folds (ROLES=worker), on a data directory that others use too. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  /** Where it keeps its data. */
  readonly directory: string;

  private constructor(child: ChildProcess, directory: string) {
    this.#child = child;
    this.directory = directory;
  }

  /** Starts one; resolves when its log says that it works. */
  static async start(directory: string, engines: Launch['environment'] = {}): Promise<WorkerProcess> {
    const child = launch('main', { environment: { ...engines, DATA_DIR: directory, ROLES: 'worker' } });
    child.stderr?.pipe(process.stderr);
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the worker ended with ${code}`)));
      if (child.stdout === null) return;
      createInterface(child.stdout).on('line', (line) => {
        if ((JSON.parse(line) as { msg?: string }).msg === 'working') resolve();
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

  /** Asks it to end; gives its exit code. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** Ends it at once, as a crash does. */
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
