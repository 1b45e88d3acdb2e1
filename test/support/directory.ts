// Directories for tests, and their end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Directories that are removed together. */
export class Directories {
  readonly #made: string[] = [];

  /** Makes an empty directory. */
  make(): string {
    const directory = mkdtempSync(join(tmpdir(), 'clinical-protocols-'));
    this.#made.push(directory);
    return directory;
  }

  /** Removes every directory and what it holds. */
  remove(): void {
    for (const directory of this.#made.splice(0)) {
      // A process that is ending may still write there.
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    }
  }
}

/** The directories of the test file that runs; test/support/each-file.ts removes them after its tests. */
export const directoriesOfFile = new Directories();

/** Makes an empty directory that lasts as long as the test file. */
export const temporaryDirectory = (): string => directoriesOfFile.make();
