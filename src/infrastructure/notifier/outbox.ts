// Writes messages to files, for trials and for operators without a mail server. Each message is a JSON file that only
// its owner can read.
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDirectory, syncDirectory, writeNewFile } from '../durable-files.js';
import { codeOf } from '../errors.js';
import { type Message, type Notifier, NotSent, type Outbox } from './notifier.js';

/** How long a file is kept. Its content is personal and useful only for minutes. */
export const OUTBOX_RETENTION_MS = 86_400_000;

export class OutboxNotifier implements Notifier, Outbox {
  readonly #directory: string;

  /** The directory is created with the first message. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Resolves when the file is on stable storage. A repeated message replaces its file. */
  async send(message: Message, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new NotSent('it was aborted before it was written');
    try {
      await this.#write(`${encodeURIComponent(message.id)}.json`, `${JSON.stringify(message, undefined, 2)}\n`);
    } catch (error) {
      throw new NotSent(`failed to write to the outbox in DATA_DIR: ${codeOf(error) ?? 'an error'}`);
    }
  }

  async removeOld(): Promise<void> {
    const oldest = Date.now() - OUTBOX_RETENTION_MS;
    await this.#removeWhere(async (file) => (await stat(file)).mtimeMs < oldest);
  }

  async removeTo(person: string): Promise<void> {
    await this.#removeWhere(async (file) => (await readFile(file, 'utf8')).includes(JSON.stringify(person)));
  }

  // Another process may remove a file at the same time.
  async #removeWhere(condition: (file: string) => Promise<boolean>): Promise<void> {
    for (const name of await readdir(this.#directory).catch(ifMissing([]))) {
      const file = join(this.#directory, name);
      if (await condition(file).catch(ifMissing(false))) await rm(file, { force: true });
    }
  }

  // Written under a temporary name first, so that the final file is complete even if the process is killed.
  async #write(name: string, text: string): Promise<void> {
    ensureDirectory(this.#directory);
    const unfinished = join(this.#directory, `.${randomUUID()}.unfinished`);
    try {
      await writeNewFile(unfinished, text);
      await rename(unfinished, join(this.#directory, name));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    syncDirectory(this.#directory);
  }
}

const ifMissing =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return fallback;
  };
