// Runs the shell commands of a document in one shell, against its own service.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Bash } from './bash.js';
import { temporaryDirectory } from './directory.js';
import { eventually } from './eventually.js';
import { PATH, programFile, runCli } from './process.js';
import { Server } from './server.js';

const TOOL = 'npm run --silent cli -- ';
const EXPORT = 'audit export';
const VERIFIER = 'verifier/verify.mjs';
const ADDRESS = 'http://127.0.0.1:3000';

/** Runs the commands of a page. Replaces commands that would build the service again by faster ones. */
export class PageReader {
  readonly #server: Server;
  readonly #bash: Bash;

  constructor() {
    const directory = temporaryDirectory();
    this.#server = new Server(join(directory, 'data'), { AUTH: 'required', RATE_LIMITS: '1' });
    this.#bash = new Bash(directory, { PATH, TMPDIR: directory });
  }

  async start(): Promise<void> {
    mkdirSync(this.#server.directory);
    await this.#server.start();
  }

  /** Runs commands and returns their output. Exports the log only after all its events are signed. */
  async type(commands: string): Promise<string> {
    if (commands.includes(EXPORT)) await eventually(() => this.#allSigned());
    const tool = `${process.execPath} ${programFile('cli')} `;
    const verifier = fileURLToPath(new URL(`../../${VERIFIER}`, import.meta.url));
    const typed = commands.replaceAll(TOOL, tool).replaceAll(VERIFIER, verifier);
    return this.#bash.run(typed.replace(ADDRESS, this.#server.url));
  }

  async #allSigned(): Promise<void> {
    const { out, err } = await runCli(this.#server.directory, 'audit', 'prove');
    if (!/^OK: all /.test(out)) throw new Error(`not all events are signed: ${out}${err}`);
  }

  async end(): Promise<void> {
    await this.#bash.end();
    await this.#server.stop();
  }
}
