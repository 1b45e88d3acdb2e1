// Measures the heap of this thread.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Returns the result of `make` and the bytes of heap that the result holds. */
export const measureHeap = async <T>(
  make: () => T | Promise<T>,
): Promise<{ readonly made: T; readonly bytes: number }> => {
  collect();
  const before = process.memoryUsage().heapUsed;
  const made = await make();
  collect();
  return { made, bytes: process.memoryUsage().heapUsed - before };
};
