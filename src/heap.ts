// How much memory V8 takes for objects.
import { setFlagsFromString } from 'node:v8';

// How much the heap may grow beyond its live objects before V8 collects garbage, in percent. By default, V8 lets a
// small heap grow to a multiple: after 10,000 questionnaires, 33 of 180 MB were live. More frequent collections take up
// to a tenth more CPU under full load.
const GROWTH = 60;

/**
 * Limits the heaps of a process that was started with `--max-semi-space-size`. That flag is for the first thread, whose
 * heap exists. The flag would override the `resourceLimits` of the threads that start later, so it is set to 0, which
 * stands for no flag.
 */
export const limitHeaps = (): void => {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
  setFlagsFromString('--max-semi-space-size=0');
};
