// Creates missing MongoDB indexes. Reports an existing index with other options, and leaves it unchanged.
import type { CreateIndexesOptions, IndexDescription } from 'mongodb';
import { messageOf } from '../errors.js';
import { type MongoDatabase, PATIENT_MS } from './connection.js';
import { BAD_VALUE, INDEX_CONFLICTS, mongoCodeOf } from './failures.js';

type Indexes = readonly IndexDescription[];

/** Rejects with `StoreUnavailable` while the server is unavailable. */
export const makeIndexes = async (database: MongoDatabase, collection: string, indexes: Indexes): Promise<void> => {
  try {
    await create(database, collection, indexes);
  } catch (error) {
    returnConflict(error);
    // A conflicting index also prevents the other indexes of the same call.
    for (const index of indexes) {
      await create(database, collection, [index]).catch((cause: unknown) =>
        database.report(conflictIn(collection, returnConflict(cause))),
      );
    }
  }
};

const create = async (database: MongoDatabase, collection: string, indexes: Indexes): Promise<void> => {
  const create = (options: CreateIndexesOptions) =>
    database.run(
      (db, limits) => db.collection(collection).createIndexes([...indexes], { ...options, ...limits }),
      PATIENT_MS,
    );
  // By default, an index build waits for every voting member, even for a member that is down. A server that is not a
  // replica set rejects the option.
  await create({ commitQuorum: 'majority' }).catch((error: unknown) => {
    if (mongoCodeOf(error) !== BAD_VALUE) throw error;
    return create({});
  });
};

const returnConflict = (error: unknown): unknown => {
  if (!INDEX_CONFLICTS.has(mongoCodeOf(error))) throw error;
  return error;
};

const conflictIn = (collection: string, cause: unknown): Error => {
  const what = `an index of the collection ${collection} differs from the definition in this program: ${messageOf(cause)}`;
  return new Error(`${what}. Drop the index; the next start creates it again.`, { cause });
};
