// A shell that runs commands one after the other and keeps what they set, as a terminal does.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

/** Returns why commands with these programs cannot run here; undefined if they can. */
export const missingProgram = (...programs: readonly string[]): string | undefined => {
  const missing = programs.find((program) => spawnSync(program, ['--version']).status !== 0);
  return missing === undefined ? undefined : `${missing} cannot be run here`;
};

/** A bash in a directory; it ends with the first command that fails. */
export class Bash {
  readonly #process: ChildProcessWithoutNullStreams;
  #complaints = '';

  constructor(directory: string, environment: Readonly<Record<string, string | undefined>>) {
    this.#process = spawn('bash', ['-eu', '-o', 'pipefail'], { cwd: directory, env: environment });
    const { stdin, stdout, stderr } = this.#process;
    stdout.setEncoding('utf8');
    stderr.setEncoding('utf8').on('data', (text: string) => this.#complain(text));
    stdin.on('error', ({ message }) => this.#complain(message));
  }

  /** Runs commands; gives what they print on standard output. Rejects where one of them fails, and from then on. */
  async run(commands: string): Promise<string> {
    const end = `${randomUUID()}\n`;
    // In braces, so that no command takes those behind it for its input.
    this.#process.stdin.write(`{\n${commands}\n} < /dev/null\necho ${end}`);
    let said = '';
    for await (const text of this.#process.stdout.iterator({ destroyOnReturn: false })) {
      said += text;
      if (said.endsWith(end)) return said.slice(0, -end.length);
    }
    throw new Error(`a command failed: ${said}${this.#complaints}`);
  }

  async end(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exit;
  }

  #complain(text: string): void {
    this.#complaints += text;
  }
}
