// The ids of erased users, in a file beside the stores. A restored backup may be older than their erasure.
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../infrastructure/durable-files.js';
import { StoreUnavailable } from '../infrastructure/errors.js';

/** A file with one id of an erased user per line. Several processes may write to it. */
export class ErasureList {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  /** Adds users who are not in the list yet. Resolves when the file is on stable storage. */
  async add(userIds: readonly string[]): Promise<void> {
    const known = new Set(await this.ids());
    const added = userIds.filter((id) => !known.has(id));
    if (added.length > 0) await this.#append(added.map((id) => `${id}\n`).join(''));
  }

  /** Returns the users in the list; none if there is no file. Ignores a line that a crash has cut off. */
  async ids(): Promise<readonly string[]> {
    const text = await readFile(this.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw this.#unusable(error);
    });
    return [...new Set(text.split('\n').filter((line) => ID.test(line)))];
  }

  async #append(text: string): Promise<void> {
    try {
      await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
      // Starts with a line break, because the previous line may have been cut off.
      const file = await open(this.file, 'a', 0o600);
      try {
        await file.appendFile(`\n${text}`);
        await file.sync();
      } finally {
        await file.close();
      }
      await syncDirectory(dirname(this.file));
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  #unusable(cause: unknown): StoreUnavailable {
    return new StoreUnavailable(`the list of erased users, ${this.file},`, cause);
  }
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
