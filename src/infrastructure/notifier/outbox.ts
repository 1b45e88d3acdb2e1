// Messages as files, for a trial and for whoever has no server to send by: one JSON file a message, its owner's alone.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Message, type Notifier, NotSent, type Outbox } from './notifier.js';

/** How long a file is kept: what it says is personal, and of use for minutes. */
export const OUTBOX_KEPT_MS = 86_400_000;

/** The messages in files of a directory, `<id>.json` each. */
export class OutboxNotifier implements Notifier, Outbox {
  readonly #directory: string;

  /** The directory is made with the first message. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Resolves when the file is on stable storage. The same message again is the same file. */
  async send(message: Message, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new NotSent('it was given up before it was written');
    try {
      await this.#write(`${encodeURIComponent(message.id)}.json`, `${JSON.stringify(message, undefined, 2)}\n`);
    } catch (error) {
      throw new NotSent(`the outbox in DATA_DIR cannot be written: ${codeOf(error)}`);
    }
  }

  async removeOld(): Promise<void> {
    const oldest = Date.now() - OUTBOX_KEPT_MS;
    await this.#removeWhere(async (file) => (await stat(file)).mtimeMs < oldest);
  }

  async removeTo(person: string): Promise<void> {
    await this.#removeWhere(async (file) => (await readFile(file, 'utf8')).includes(JSON.stringify(person)));
  }

  // Another process may remove a file at the same moment.
  async #removeWhere(condition: (file: string) => Promise<boolean>): Promise<void> {
    for (const name of await readdir(this.#directory).catch(unlessMissing([]))) {
      const file = join(this.#directory, name);
      if (await condition(file).catch(unlessMissing(false))) await rm(file, { force: true });
    }
  }

  // Written under another name first: under its own a file is whole, whenever the process is killed.
  async #write(name: string, text: string): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const unfinished = join(this.#directory, `.${randomUUID()}.unfinished`);
    try {
      await writeFile(unfinished, text, { flag: 'wx', mode: 0o600, flush: true });
      await rename(unfinished, join(this.#directory, name));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    await syncDirectory(this.#directory);
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'an error';

const unlessMissing =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return instead;
  };

const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
};
