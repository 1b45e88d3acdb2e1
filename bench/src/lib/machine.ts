// The machine and the commit of a run.
import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { type Spread, spreadOf } from './stats.js';
import { wrkVersion } from './wrk.js';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  /** The version of the load generator. */
  readonly wrk: string;
  /** How long it takes to write 4 KiB at the end of a file and sync them. */
  readonly fsyncMs: Spread;
}

/** Returns the machine, and the disk that `directory` is on. */
export const machineOf = (directory: string): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown CPU',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${type()} ${release()}`,
  node: process.versions.node,
  wrk: wrkVersion(),
  fsyncMs: fsyncOn(directory),
});

const fsyncOn = (directory: string): Spread => {
  const file = join(directory, 'fsync');
  const descriptor = openSync(file, 'w');
  const block = Buffer.alloc(4_096, 1);
  const times = Array.from({ length: 200 }, () => {
    const started = performance.now();
    writeSync(descriptor, block);
    fsyncSync(descriptor);
    return performance.now() - started;
  });
  closeSync(descriptor);
  rmSync(file);
  return spreadOf(times);
};

/** Returns the measured commit, or undefined outside of a repository. */
export const commitOf = (directory: string): string | undefined => {
  try {
    const git = (...words: string[]) =>
      execFileSync('git', words, { cwd: directory, encoding: 'utf8', stdio: 'pipe' }).trim();
    const isChanged = git('status', '--porcelain', '--', 'src') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`;
  } catch {
    return undefined;
  }
};
