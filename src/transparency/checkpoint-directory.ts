// Copies the kept checkpoints to files in a directory that others control, such as a mounted share or a git work tree.
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settlesWithin, withDeadline } from '../infrastructure/async.js';
import { ignoreMissing, syncDirectory } from '../infrastructure/durable-files.js';
import type { Fault } from '../infrastructure/fault.js';
import type { Log } from '../infrastructure/log.js';
import type { KeptCheckpoint, LogRecords } from './records.js';

/** Signals that the directory has a checkpoint of the same log and size with another root: the log was rewritten. */
export class CheckpointDiffers extends Error {
  constructor(file: string) {
    super(`${file} has another root for this size: the log was rewritten, or the file was changed`);
    this.name = 'CheckpointDiffers';
  }
}

/** Returns the file name of a checkpoint, which consists of its day, its log and its size. */
export const fileNameOf = ({ at, size, note }: KeptCheckpoint): string => {
  const [origin = ''] = note.split('\n', 1);
  return `${at.slice(0, 10)}-${origin.replace(/[^A-Za-z0-9.-]/g, '_')}-${size}.checkpoint`;
};

/**
 * Writes a checkpoint unless the directory already has it. When the promise resolves, the file is complete and on
 * stable storage. Rejects with `CheckpointDiffers`, and keeps the file, if it has another root. Rejects with the
 * system's error if the directory is not writable.
 */
export const saveCheckpoint = async (directory: string, checkpoint: KeptCheckpoint): Promise<void> => {
  const name = fileNameOf(checkpoint);
  const file = join(directory, name);
  const present = await readFile(file, 'utf8').catch(ignoreMissing);
  if (present !== undefined) {
    if (textOf(present) !== textOf(checkpoint.note)) throw new CheckpointDiffers(file);
    return;
  }
  const unfinished = join(directory, `.${name}.${randomUUID()}`);
  try {
    // The file has the default mode, because others should be able to read it.
    await writeFile(unfinished, checkpoint.note, { flag: 'wx', flush: true });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncDirectory(directory);
};

/** The dependencies of the copies. */
export interface DirectoryOptions {
  /** The directory; undefined: no copies are made. */
  readonly directory: string | undefined;
  readonly records: Pick<LogRecords, 'kept' | 'setFault'>;
  readonly log: Log;
  /** The delay before a retry after a failure, in milliseconds. */
  readonly retryMs?: number;
}

const INTERVAL_MS = 60_000;
const RETRY_MS = 10_000;
const DEADLINE_MS = 30_000;
const CLOSE_MS = 1_000;

/**
 * Copies the kept checkpoints to a directory. Runs independently of the growth of the tree, so a hanging share delays
 * nothing else.
 */
export class CheckpointDirectory {
  readonly #options: DirectoryOptions;
  /** The names of the files that the directory has. */
  readonly #copied = new Set<string>();
  #copying: Promise<void> | undefined;
  #isClosed = false;
  #due = 0;
  #failure: string | undefined;

  constructor(options: DirectoryOptions) {
    this.#options = options;
  }

  /** Copies missing checkpoints, unless this was done a moment ago and no checkpoint has been kept since. */
  update(hasKept: boolean): void {
    if (this.#isClosed || this.#copying !== undefined || (!hasKept && performance.now() < this.#due)) return;
    this.#copying = this.#copy().finally(() => {
      this.#copying = undefined;
    });
  }

  /** Resolves when the current copy has ended, or after a short time if it hangs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await settlesWithin(this.#copying ?? Promise.resolve(), CLOSE_MS);
  }

  async #copy(): Promise<void> {
    const { directory, log, retryMs = RETRY_MS } = this.#options;
    const copying = directory === undefined ? Promise.resolve(undefined) : this.#copyTo(directory);
    try {
      const failure = await withDeadline(copying, DEADLINE_MS).catch(failed);
      await this.#report(failure);
      this.#due = performance.now() + (failure === undefined ? INTERVAL_MS : retryMs);
    } catch (error) {
      if (!this.#isClosed) log.warn({ err: error }, 'failed to copy the checkpoints; will retry');
    }
    // Waits even for a hanging share, because each further attempt would block another thread.
    await copying.catch(failed);
  }

  async #report(failure: Error | undefined): Promise<void> {
    const { records, log } = this.#options;
    if (failure !== undefined && failure.message !== this.#failure) {
      log.error({ err: failure }, 'failed to write a checkpoint to CHECKPOINT_DIRECTORY; will retry');
    }
    if (failure === undefined && this.#failure !== undefined)
      log.info('CHECKPOINT_DIRECTORY has all checkpoints again');
    this.#failure = failure?.message;
    await records.setFault('directory', failure && faultOf(failure));
  }

  /** Returns the error of a checkpoint that could not be copied; undefined if all were copied. */
  async #copyTo(directory: string): Promise<Error | undefined> {
    let differs: CheckpointDiffers | undefined;
    for (const checkpoint of await this.#options.records.kept()) {
      const name = fileNameOf(checkpoint);
      if (this.#copied.has(name)) continue;
      const failure = await saveCheckpoint(directory, checkpoint).catch(failed);
      if (failure === undefined) this.#copied.add(name);
      else if (!(failure instanceof CheckpointDiffers)) return failure;
      else differs ??= failure;
    }
    return differs;
  }
}

// The signatures may differ: a checkpoint can gain cosignatures.
const textOf = (note: string): string => note.slice(0, note.indexOf('\n\n') + 1);

const failed = (error: Error): Error => error;

// The details omit file names, because these contain the size of the tree and /readyz is public.
const faultOf = (failure: Error & { readonly code?: string }): Fault =>
  failure instanceof CheckpointDiffers
    ? {
        code: 'audit-checkpoint-differs',
        detail: `CHECKPOINT_DIRECTORY has a different checkpoint of this log: the log was rewritten, or the file was changed. ${NEXT}`,
      }
    : {
        code: 'audit-directory-unwritable',
        detail: `Checkpoints cannot be written to CHECKPOINT_DIRECTORY: ${failure.code ?? failure.name}. ${NEXT}`,
      };

const NEXT = 'The `error` line in the log of the worker names the file. See docs/operations.md, Copies of checkpoints.';
