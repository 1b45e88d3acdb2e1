// A shell that runs commands one after the other and keeps their variables, like a terminal.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

/** Returns why commands with these programs cannot run, or undefined if they can. */
export const missingProgram = (...programs: readonly string[]): string | undefined => {
  const missing = programs.find((program) => spawnSync(program, ['--version']).status !== 0);
  return missing === undefined ? undefined : `${missing} is not installed`;
};

/** A bash process in a directory. It exits when a command fails. */
export class Bash {
  readonly #process: ChildProcessWithoutNullStreams;
  #errors = '';

  constructor(directory: string, environment: Readonly<Record<string, string | undefined>>) {
    this.#process = spawn('bash', ['-eu', '-o', 'pipefail'], { cwd: directory, env: environment });
    const { stdin, stdout, stderr } = this.#process;
    stdout.setEncoding('utf8');
    stderr.setEncoding('utf8').on('data', (text: string) => this.#addError(text));
    stdin.on('error', ({ message }) => this.#addError(message));
  }

  /** Runs commands and returns their standard output. After a failed command, this call and every later call reject. */
  async run(commands: string): Promise<string> {
    const end = `${randomUUID()}\n`;
    // The braces keep a command from reading the following commands as its input.
    this.#process.stdin.write(`{\n${commands}\n} < /dev/null\necho ${end}`);
    let output = '';
    for await (const text of this.#process.stdout.iterator({ destroyOnReturn: false })) {
      output += text;
      if (output.endsWith(end)) return output.slice(0, -end.length);
    }
    throw new Error(`a command failed: ${output}${this.#errors}`);
  }

  async end(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exit;
  }

  #addError(text: string): void {
    this.#errors += text;
  }
}
