// Gathers the work of one turn of the event loop.
import type { Views } from '../../infrastructure/views/views.js';

let end: Promise<void> | undefined;

/**
 * Resolves after the event loop has read what has arrived. Requests that wait for it are handled together, which takes
 * less than half the time of handling each when it arrives (docs/performance.md).
 */
export const endOfTurn = (): Promise<void> => {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      resolve();
    });
  });
  return end;
};

/** The reads of the views that many requests repeat. */
export type Reads = Pick<Views, 'get' | 'getPart' | 'list' | 'count'>;

/**
 * Returns reads of the views, of which equal ones in a turn run once and have the same result. They run after the turn,
 * so no result is older than the call that receives it.
 */
export const sharedReads = (views: Reads): Reads => {
  const waiting = new Map<string, Promise<unknown>>();
  const shared =
    <Arguments extends readonly unknown[], T>(name: string, read: (...words: Arguments) => Promise<T>) =>
    (...words: Arguments): Promise<T> => {
      const key = JSON.stringify([name, ...words]);
      const reading =
        waiting.get(key) ??
        endOfTurn().then(() => {
          waiting.delete(key);
          return read(...words);
        });
      waiting.set(key, reading);
      return reading as Promise<T>;
    };
  return {
    get: shared('get', (collection, id) => views.get(collection, id)),
    getPart: shared('getPart', (root, part) => views.getPart(root, part)),
    list: shared('list', (query) => views.list(query)),
    count: shared('count', (query) => views.count(query)),
  };
};
