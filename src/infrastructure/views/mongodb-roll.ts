// The roll of the workers on MongoDB: a document for each, which says when it gave its last sign of life.
import type { Db } from 'mongodb';
import type { MongoDatabase, Within } from '../mongodb/connection.js';
import { codeOf, DUPLICATE_KEY } from '../mongodb/failures.js';
import { isInForce } from './mongodb-generations.js';
import type { Attendant } from './views.js';

interface Stored {
  readonly _id: string;
  readonly work: string;
  /** The last sign of life by the clock of the server, and how long it holds from then. */
  readonly renewedAt: Date;
  readonly ttlMs: number;
}

/** Who is there to fold. What has expired is told at the read, by the time of the server, and then cleared away. */
export class MongoRoll {
  readonly #database: MongoDatabase;

  constructor(database: MongoDatabase) {
    this.#database = database;
  }

  /** Puts a worker on the roll and gives those on it that do the same work, sorted. */
  async attend({ owner, work }: Attendant, ttlMs: number): Promise<readonly string[]> {
    await this.#sign(owner, { $set: { work, ttlMs }, $currentDate: { renewedAt: true } });
    const pipeline = [{ $sort: { _id: 1 } }, { $addFields: { now: '$$NOW' } }];
    const all = await this.#run((workers, within) =>
      workers.aggregate<Stored & { now: Date }>(pipeline, within).toArray(),
    );
    const expired = all.filter((worker) => !isInForce(worker, worker.now));
    if (expired.length > 0) await this.#clear(expired);
    // Its own entry stands, however late this process reads it.
    const living = all.filter((worker) => worker._id === owner || isInForce(worker, worker.now));
    return living.filter((worker) => worker.work === work).map(({ _id }) => _id);
  }

  /** Takes a worker off the roll. */
  async leave(owner: string): Promise<void> {
    await this.#run((workers, within) => workers.deleteOne({ _id: owner }, within));
  }

  async #sign(owner: string, change: object): Promise<void> {
    try {
      await this.#run((workers, within) => workers.updateOne({ _id: owner }, change, { ...within, upsert: true }));
    } catch (error) {
      // The same sign of life, sent once more by the driver or made at the same moment, stands already.
      if (codeOf(error) !== DUPLICATE_KEY) throw error;
    }
  }

  // One that has given a sign of life since then stays.
  async #clear(expired: readonly Stored[]): Promise<void> {
    const asTheyWere = expired.map(({ _id, renewedAt }) => ({ _id, renewedAt }));
    await this.#run((workers, within) => workers.deleteMany({ $or: asTheyWere }, within));
  }

  #run<T>(call: (workers: ReturnType<typeof workersOf>, within: Within) => Promise<T>): Promise<T> {
    return this.#database.run((db, within) => call(workersOf(db), within));
  }
}

const workersOf = (db: Db) => db.collection<Stored>('workers');
