// Shares what equal reads of the views return.
import { type Pace, pace } from '../../infrastructure/pace.js';
import type { ListQuery, Views } from '../../infrastructure/views/views.js';

/**
 * The reads of the views that many requests repeat. `after` is the revision of the document that was read before, if the
 * result must not be older: equal reads after different revisions are not shared.
 */
export interface Reads extends Pick<Views, 'getAll'> {
  get(collection: string, id: string, after?: number): ReturnType<Views['get']>;
  list(query: ListQuery, after?: number): ReturnType<Views['list']>;
}

/**
 * Returns reads of the views, of which equal ones run once if they are called while pieces of work follow each other
 * (`Pace.run`). Meanwhile a caller learns of no change, except by a read of its own, which `after` names. What is read goes
 * on at the pace of the process.
 */
export const sharedReads = (views: Reads, work: Pick<Pace, 'run' | 'goOn'> = pace): Reads => {
  const known = new Map<string, Promise<unknown>>();
  const forget = () => known.clear();
  let run: object | undefined;
  const readIn = <T>(key: () => string, read: () => Promise<T>): Promise<T> => {
    if (work.run === undefined) return read();
    if (run !== work.run) {
      forget();
      setImmediate(forget);
      run = work.run;
    }
    const name = key();
    const reading = known.get(name) ?? read();
    known.set(name, reading);
    return reading as Promise<T>;
  };
  const shared =
    <Arguments extends readonly unknown[], T>(name: string, read: (...words: Arguments) => Promise<T>) =>
    async (...words: Arguments): Promise<T> => {
      const result = await readIn(
        () => JSON.stringify([name, ...words]),
        () => read(...words),
      );
      await work.goOn();
      return result;
    };
  return {
    get: shared('get', (collection, id, _after) => views.get(collection, id)),
    getAll: shared('getAll', (collection, ids) => views.getAll(collection, ids)),
    list: shared('list', (query, _after) => views.list(query)),
  };
};
