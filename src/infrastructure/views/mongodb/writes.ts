// Writes the documents of a batch on MongoDB, each guarded by its position, in bulks that a slow network can take.
import { type AnyBulkWriteOperation, MongoBulkWriteError } from 'mongodb';
import { type MongoDatabase, PATIENT_MS } from '../../mongodb/connection.js';
import { DUPLICATE_KEY } from '../../mongodb/failures.js';
import type { Collection, DocumentWrite } from '../views.js';
import { type StoredDocument, storedDocuments, updateOf } from './documents.js';

// Each bulk has a separate deadline, and the documents that it wrote stay written. So a batch of any size completes, if
// necessary in several tries.
const BULK_BYTES = 8 * 1_024 * 1_024;

/** Writes documents into the collection `name`, except documents that are stored there as late or later. */
export const writeDocuments = async (
  database: MongoDatabase,
  name: string,
  { indexes }: Collection,
  writes: readonly DocumentWrite[],
): Promise<void> => {
  for (const bulk of bulksOf(writes)) {
    const operations = bulk.map((write) => updateOf(write, indexes));
    const conflicting = await tryAll(
      database,
      name,
      operations.map((operation) => ({ updateOne: { ...operation, upsert: true } })),
    );
    // An upsert fails with a duplicate `_id` if the document is not older, or if another worker was creating the
    // document at that moment, which can be older. Only an update without upsert distinguishes the two.
    const retries = operations
      .filter((_, index) => conflicting.has(index))
      .map((operation) => ({ updateOne: operation }));
    if (retries.length > 0) await tryAll(database, name, retries);
  }
};

const bulksOf = (writes: readonly DocumentWrite[]): readonly (readonly DocumentWrite[])[] => {
  const bulks: DocumentWrite[][] = [];
  let bytes = BULK_BYTES;
  for (const write of writes) {
    const size = Buffer.byteLength(write.body);
    if (bytes + size > BULK_BYTES) {
      bulks.push([]);
      bytes = 0;
    }
    bulks.at(-1)?.push(write);
    bytes += size;
  }
  return bulks;
};

/** Returns the indexes of the operations that failed with a duplicate `_id`, the only unique index. */
const tryAll = async (
  database: MongoDatabase,
  name: string,
  operations: readonly AnyBulkWriteOperation<StoredDocument>[],
): Promise<ReadonlySet<number>> => {
  try {
    await database.run(
      (db, limits) => storedDocuments(db, name).bulkWrite(operations, { ...limits, ordered: false }),
      PATIENT_MS,
    );
    return new Set();
  } catch (error) {
    const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (failures.length === 0 || failures.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    return new Set(failures.map(({ index }) => index));
  }
};
