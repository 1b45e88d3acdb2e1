// Indexes on MongoDB: what is missing is made, what is there in another form stays and is reported.
import type { CreateIndexesOptions, IndexDescription } from 'mongodb';
import { type MongoDatabase, PATIENT_MS } from './connection.js';
import { codeOf } from './failures.js';

// The server's codes: the index is there with other options, or under another name; an option is not taken.
const CONFLICTS: ReadonlySet<unknown> = new Set([85, 86]);
const BAD_VALUE = 2;

type Indexes = readonly IndexDescription[];

/**
 * Makes the indexes of a collection that are missing. Reports an index that is there in another form, and leaves it.
 * Rejects with `StoreUnavailable` while the server cannot answer.
 */
export const makeIndexes = async (database: MongoDatabase, collection: string, indexes: Indexes): Promise<void> => {
  try {
    await make(database, collection, indexes);
  } catch (error) {
    unlessConflict(error);
    // An index that is in the way also keeps the others of the same call from being made.
    for (const index of indexes) {
      await make(database, collection, [index]).catch((cause: unknown) =>
        database.report(conflictIn(collection, unlessConflict(cause))),
      );
    }
  }
};

const make = async (database: MongoDatabase, collection: string, indexes: Indexes): Promise<void> => {
  const create = (options: CreateIndexesOptions) =>
    database.run(
      (db, within) => db.collection(collection).createIndexes([...indexes], { ...options, ...within }),
      PATIENT_MS,
    );
  // By default, a build on a collection with documents waits for every voting member, also for one that is down. A server
  // that is no replica set does not take the option.
  await create({ commitQuorum: 'majority' }).catch((error: unknown) => {
    if (codeOf(error) !== BAD_VALUE) throw error;
    return create({});
  });
};

const unlessConflict = (error: unknown): unknown => {
  if (!CONFLICTS.has(codeOf(error))) throw error;
  return error;
};

const conflictIn = (collection: string, cause: unknown): Error => {
  const said = cause instanceof Error ? cause.message : String(cause);
  const what = `an index of the collection ${collection} is not as this program makes it: ${said}`;
  return new Error(`${what}. Drop it, and the next start makes it again.`, { cause });
};
