// The ids of erased users, in a file beside the stores. A restored backup may be older than their erasure. The MAC of an
// id proves that a service erased the user, and that nobody else has added the line.
import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ensureDirectory, ensureFile, syncDirectory } from '../infrastructure/durable-files.js';
import { StoreUnavailable } from '../infrastructure/errors.js';
import { isMacOf, type MasterKeys, macOf } from '../infrastructure/keys/master-key.js';

export interface Erasures {
  /** The users whose lines have the MAC of a known master key. */
  readonly proven: readonly string[];
  /** All other users: another master key or somebody else has added them. */
  readonly unproven: readonly string[];
}

/** A file of erased users. Several processes may write to it. */
export class ErasureList {
  readonly file: string;
  readonly #masterKeys: MasterKeys;

  constructor(file: string, masterKeys: MasterKeys) {
    this.file = file;
    this.#masterKeys = masterKeys;
  }

  /** Adds users who are not in the list yet. Resolves when the file is on stable storage. */
  async add(userIds: readonly string[]): Promise<void> {
    const wanted = new Set(userIds);
    // A long list has thousands of lines. Checking the MAC of each would hold the event loop.
    const known = this.#provenIn((await this.#lines()).filter((line) => wanted.has(idIn(line))));
    const added = [...wanted].filter((id) => !known.has(id));
    await this.#append(added.map((id) => `${id} ${macOf(this.#masterKeys.current(), contentOf(id))}`));
  }

  /** Returns the users in the list; none if there is no file. */
  async read(): Promise<Erasures> {
    const lines = await this.#lines();
    const proven = this.#provenIn(lines);
    const all = new Set(lines.map(idIn));
    return { proven: [...proven], unproven: [...all].filter((id) => !proven.has(id)) };
  }

  #provenIn(lines: readonly string[]): ReadonlySet<string> {
    const isProof = (line: string) => {
      const [id = '', mac] = line.split(' ');
      return mac !== undefined && isMacOf(this.#masterKeys, mac, contentOf(id));
    };
    return new Set(lines.filter(isProof).map(idIn));
  }

  /** Adds the lines of this list to the list in another file. */
  async copyTo(file: string): Promise<void> {
    const other = new ErasureList(file, this.#masterKeys);
    const known = new Set(await other.#lines());
    await other.#append((await this.#lines()).filter((line) => !known.has(line)));
  }

  // Ignores a line that a crash has cut off, and what an editor has added to the end of a line or before the first.
  async #lines(): Promise<readonly string[]> {
    const text = await readFile(this.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw this.#unusable(error);
    });
    return text.split(/[\r\n\uFEFF]+/).filter((line) => LINE.test(line));
  }

  async #append(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    try {
      ensureDirectory(dirname(this.file));
      ensureFile(this.file);
      // Never follows a link: others may be able to write to the directory of the backups.
      const file = await open(this.file, APPEND);
      try {
        // Starts with a line break, because the previous line may have been cut off.
        await file.appendFile(['', ...lines, ''].join('\n'));
        await file.sync();
      } finally {
        await file.close();
      }
      syncDirectory(dirname(this.file));
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  #unusable(cause: unknown): StoreUnavailable {
    return new StoreUnavailable(`the list of erased users, ${this.file},`, cause);
  }
}

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;
const LINE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}( [0-9a-f]{8}\.[0-9a-f]{64})?$/;

const idIn = (line: string): string => line.split(' ', 1)[0] ?? '';
const contentOf = (userId: string) => ['erased', userId];
