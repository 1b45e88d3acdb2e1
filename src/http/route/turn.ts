// Gathers the work of one turn of the event loop.
import type { Views } from '../../infrastructure/views/views.js';

// More would hide from the bounds of load how much work a turn has accepted (server/overload.ts): a turn looks short
// while all of its work waits for its end.
const MOST_TOGETHER = 64;

interface Batch {
  readonly begun: Promise<void>;
  readonly begin: () => void;
  size: number;
}

let batch: Batch | undefined;

/**
 * Resolves after the event loop has read what has arrived, or when 64 requests wait. Requests that wait together are
 * handled together, which takes less than half the time of handling each when it arrives.
 */
export const endOfTurn = (): Promise<void> => {
  batch ??= newBatch();
  const { begun, begin } = batch;
  batch.size += 1;
  if (batch.size === MOST_TOGETHER) begin();
  return begun;
};

const newBatch = (): Batch => {
  let resolve: () => void = () => {};
  const begun = new Promise<void>((done) => {
    resolve = done;
  });
  const begin = () => {
    clearImmediate(timer);
    batch = undefined;
    resolve();
  };
  const timer = setImmediate(begin);
  return { begun, begin, size: 0 };
};

/** The reads of the views that many requests repeat. */
export type Reads = Pick<Views, 'get' | 'getAll' | 'getPart' | 'list' | 'count'>;

/**
 * Returns reads of the views, of which equal ones run once and have the same result if they are called together, as those
 * of requests that waited together are. No result is older than the call that receives it.
 */
export const sharedReads = (views: Reads): Reads => {
  const waiting = new Map<string, Promise<unknown>>();
  const shared =
    <Arguments extends readonly unknown[], T>(name: string, read: (...words: Arguments) => Promise<T>) =>
    (...words: Arguments): Promise<T> => {
      const key = JSON.stringify([name, ...words]);
      const reading =
        waiting.get(key) ??
        Promise.resolve().then(() => {
          waiting.delete(key);
          return read(...words);
        });
      waiting.set(key, reading);
      return reading as Promise<T>;
    };
  return {
    get: shared('get', (collection, id) => views.get(collection, id)),
    getAll: shared('getAll', (collection, ids) => views.getAll(collection, ids)),
    getPart: shared('getPart', (root, part) => views.getPart(root, part)),
    list: shared('list', (query) => views.list(query)),
    count: shared('count', (query) => views.count(query)),
  };
};
