// The heap of this thread, measured.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Returns what `make` makes and the bytes of heap that are held by it. */
export const heldBy = async <T>(make: () => T | Promise<T>): Promise<{ readonly made: T; readonly bytes: number }> => {
  collect();
  const before = process.memoryUsage().heapUsed;
  const made = await make();
  collect();
  return { made, bytes: process.memoryUsage().heapUsed - before };
};
