// Messages as files, for a trial and for whoever has no server to send by: one JSON file a message, its owner's alone.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Message, type Notifier, NotSent } from './notifier.js';

/** How long a file is kept: what it says is personal, and of use for minutes. */
export const OUTBOX_KEPT_MS = 86_400_000;

/** The messages in files of a directory, `<id>.json` each; those that are too old go with the next one. */
export class OutboxNotifier implements Notifier {
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
      await this.#forget(`${encodeURIComponent(message.id)}.json`);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'an error';
      throw new NotSent(`the outbox in DATA_DIR cannot be written: ${code}`);
    }
  }

  // By the clock of the file system, which the newest file shows. Another process may have removed one of them just now.
  async #forget(newest: string): Promise<void> {
    const oldest = (await stat(join(this.#directory, newest))).mtimeMs - OUTBOX_KEPT_MS;
    for (const name of await readdir(this.#directory)) {
      const file = join(this.#directory, name);
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
      if (mtimeMs < oldest) await rm(file, { force: true });
    }
  }

  // Written under another name first: under its own a file is whole, whenever the process is killed.
  async #write(name: string, text: string): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const unfinished = join(this.#directory, `.${randomUUID()}.unfinished`);
    try {
      await writeThrough(unfinished, text);
      await rename(unfinished, join(this.#directory, name));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    await syncDirectory(this.#directory);
  }
}

const writeThrough = async (path: string, text: string): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
};
