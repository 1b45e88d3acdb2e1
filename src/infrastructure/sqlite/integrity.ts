// Examines a SQLite file in a thread, because SQLite reads all of it.
import { once } from 'node:events';
import { startThread } from '../thread.js';

/** A file to examine. */
export interface ExaminedFile {
  readonly file: string;
  /** The aggregates whose streams the file may have; undefined if the file does not hold the facts. */
  readonly aggregates?: readonly string[];
}

/** Returns the faults of a file. Changes nothing. */
export const integrityFaults = async (examined: ExaminedFile): Promise<readonly string[]> => {
  const worker = startThread(new URL('./integrity-thread.js', import.meta.url), examined);
  worker.unref();
  const ended = once(worker, 'exit').then(() => Promise.reject(new Error('the thread that examines files has ended')));
  const [faults] = (await Promise.race([once(worker, 'message'), ended])) as [readonly string[]];
  return faults;
};
