// Files of the stores of a service, copied at several moments, for the tests of `verify`.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryDirectory } from '../../support/directory.js';
import { runCli } from '../../support/process.js';
import { Server } from '../../support/server.js';

const FILES = ['facts.sqlite', 'vault.sqlite', 'views.sqlite'] as const;

/** The moment of each file. A file without a moment is from the moment `late`; `lost` leaves it out. */
export type Moments = { readonly [file in (typeof FILES)[number]]?: string };

/** The service whose stores a test copies, and the copies. The last moment is `late`. */
export class StoresOfMoments {
  readonly server = new Server(temporaryDirectory());
  readonly #copies = new Map<string, string>();

  /** Stops the service and copies its files. A stopped service leaves no WAL behind. */
  async stopAndCopy(moment: string): Promise<void> {
    expect(await this.server.stop()).toBe(0);
    const copy = temporaryDirectory();
    for (const file of FILES) copyFileSync(join(this.server.directory, file), join(copy, file));
    this.#copies.set(moment, copy);
  }

  /** Returns the directory with the files of a moment. */
  at(moment: string): string {
    const copy = this.#copies.get(moment);
    if (copy === undefined) throw new Error(`nothing was copied at the moment ${moment}`);
    return copy;
  }

  /** Creates a directory with files of the given moments and the master key. */
  restored(of: Moments = {}): string {
    const directory = temporaryDirectory();
    for (const file of FILES) {
      const moment = of[file] ?? 'late';
      if (moment !== 'lost') copyFileSync(join(this.at(moment), file), join(directory, file));
    }
    copyFileSync(join(this.server.directory, 'master.key'), join(directory, 'master.key'));
    return directory;
  }
}

export const verify = (directory: string, ...options: readonly string[]) => runCli(directory, 'verify', ...options);

/** Returns the names of the checks that found a fault. */
export const faultsOf = (out: string) => [...out.matchAll(/^([\w-]+) +FAULT/gm)].map(([, check]) => check);
