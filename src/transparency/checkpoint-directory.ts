// Copies of the kept checkpoints as files in a directory that others hold, such as a mounted share or a git work tree.
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settlesWithin, withDeadline } from '../infrastructure/async.js';
import { syncDirectory, unlessMissing } from '../infrastructure/durable-files.js';
import type { Fault } from '../infrastructure/fault.js';
import type { Log } from '../infrastructure/log.js';
import type { KeptCheckpoint, LogRecords } from './records.js';

/** Signals that the directory has a checkpoint of another tree of the same log and size: the log was rewritten. */
export class CheckpointDiffers extends Error {
  constructor(file: string) {
    super(`${file} has another tree of this size: the log was rewritten, or the file was changed`);
    this.name = 'CheckpointDiffers';
  }
}

/** Returns the name of the file of a checkpoint: its day, its log and its size. */
export const fileNameOf = ({ at, size, note }: KeptCheckpoint): string => {
  const [origin = ''] = note.split('\n', 1);
  return `${at.slice(0, 10)}-${origin.replace(/[^A-Za-z0-9.-]/g, '_')}-${size}.checkpoint`;
};

/**
 * Writes a checkpoint unless the directory has it. The file is whole and on stable storage when the call returns. Rejects
 * with `CheckpointDiffers` if the file has another tree, which stays, and with the error of the system if the directory
 * cannot be written.
 */
export const saveCheckpoint = async (directory: string, checkpoint: KeptCheckpoint): Promise<void> => {
  const name = fileNameOf(checkpoint);
  const file = join(directory, name);
  const present = await readFile(file, 'utf8').catch(unlessMissing);
  if (present !== undefined) {
    if (textOf(present) !== textOf(checkpoint.note)) throw new CheckpointDiffers(file);
    return;
  }
  const unfinished = join(directory, `.${name}.${randomUUID()}`);
  try {
    // Others are meant to read it, so its mode is that of any new file.
    await writeFile(unfinished, checkpoint.note, { flag: 'wx', flush: true });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncDirectory(directory);
};

/** What the copies are made with. */
export interface DirectoryOptions {
  /** The directory; undefined: there are no copies. */
  readonly directory: string | undefined;
  readonly records: Pick<LogRecords, 'kept' | 'setFault'>;
  readonly log: Log;
  /** How long after a failure the directory is tried again. */
  readonly againMs?: number;
}

const EVERY_MS = 60_000;
const AGAIN_MS = 10_000;
const DEADLINE_MS = 30_000;
const CLOSE_MS = 1_000;

/** Copies the kept checkpoints to a directory, beside the growth of the tree: a share that hangs holds up nothing else. */
export class CheckpointDirectory {
  readonly #options: DirectoryOptions;
  /** The names of the files that are there. */
  readonly #copied = new Set<string>();
  #copying: Promise<void> | undefined;
  #isClosed = false;
  #due = 0;
  #failure: string | undefined;

  constructor(options: DirectoryOptions) {
    this.#options = options;
  }

  /** Copies what the directory lacks, unless this was done a moment ago and no checkpoint has been kept since. */
  look(hasKept: boolean): void {
    if (this.#isClosed || this.#copying !== undefined || (!hasKept && performance.now() < this.#due)) return;
    this.#copying = this.#copy().finally(() => {
      this.#copying = undefined;
    });
  }

  /** Ends after the copy in hand, unless it hangs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await settlesWithin(this.#copying ?? Promise.resolve(), CLOSE_MS);
  }

  async #copy(): Promise<void> {
    const { directory, log, againMs = AGAIN_MS } = this.#options;
    const copying = directory === undefined ? Promise.resolve(undefined) : this.#copyTo(directory);
    try {
      const failure = await withDeadline(copying, DEADLINE_MS).catch(failed);
      await this.#report(failure);
      this.#due = performance.now() + (failure === undefined ? EVERY_MS : againMs);
    } catch (error) {
      if (!this.#isClosed) log.warn({ err: error }, 'the checkpoints cannot be copied; trying again');
    }
    // A share that hangs is waited for: each further attempt would hold a thread, too.
    await copying.catch(failed);
  }

  async #report(failure: Error | undefined): Promise<void> {
    const { records, log } = this.#options;
    if (failure !== undefined && failure.message !== this.#failure) {
      log.error({ err: failure }, 'a checkpoint cannot be written to CHECKPOINT_DIRECTORY; trying again');
    }
    if (failure === undefined && this.#failure !== undefined)
      log.info('CHECKPOINT_DIRECTORY has every checkpoint again');
    this.#failure = failure?.message;
    await records.setFault('directory', failure && faultOf(failure));
  }

  /** Returns why a checkpoint could not be copied; undefined if all were. */
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

// Names of files have the size of the tree, which is in the log alone: /readyz is open to strangers.
const faultOf = (failure: Error & { readonly code?: string }): Fault =>
  failure instanceof CheckpointDiffers
    ? {
        code: 'audit-checkpoint-differs',
        detail: `CHECKPOINT_DIRECTORY has a checkpoint of another log of this origin: the log was rewritten, or the file was changed. ${NEXT}`,
      }
    : {
        code: 'audit-directory-unwritable',
        detail: `No checkpoint can be written to CHECKPOINT_DIRECTORY: ${failure.code ?? failure.name}. ${NEXT}`,
      };

const NEXT = 'The line of the worker at `error` names the file. See docs/operations.md, Copies of checkpoints.';
