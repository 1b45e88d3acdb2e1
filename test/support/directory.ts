// Creates directories for tests and removes them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A group of directories that are removed together. */
export class Directories {
  readonly #made: string[] = [];
  readonly #callbacks: (() => void)[] = [];

  /** Creates an empty directory. */
  make(): string {
    const directory = mkdtempSync(join(tmpdir(), 'clinical-protocols-'));
    this.#made.push(directory);
    return directory;
  }

  /** Calls back when the directories are removed. */
  atRemoval(callback: () => void): void {
    this.#callbacks.push(callback);
  }

  /** Removes all directories and their content. */
  remove(): void {
    for (const callback of this.#callbacks.splice(0)) callback();
    for (const directory of this.#made.splice(0)) {
      // A process that is ending may still write there.
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    }
  }
}

/** The directories of the running test file. test/support/each-file.ts removes them after its tests. */
export const directoriesOfFile = new Directories();

/** Creates an empty directory that exists until the end of the test file. */
export const temporaryDirectory = (): string => directoriesOfFile.make();
