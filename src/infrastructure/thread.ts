// Starts worker threads.
import { Worker } from 'node:worker_threads';

// A thread keeps little from one message to the next. With the default (48 MB), V8 lets its garbage grow to ten times
// of what it keeps before the next collection.
const YOUNG_GENERATION_MB = 8;

/** Returns a new worker thread that runs a module with a small heap for new objects. */
export const startThread = (module: URL, workerData?: unknown): Worker =>
  new Worker(module, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } });
