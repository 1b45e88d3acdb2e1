// The secrets on MongoDB: one document a record, so that every change is one write of one document, which needs no
// transaction. A claim is unique by its `_id`.
import type { Db, UpdateFilter } from 'mongodb';
import { StoreUnavailable } from '../errors.js';
import { type MongoConnection, type MongoDatabase, PATIENT_MS, type Within } from '../mongodb/connection.js';
import { codeOf, DUPLICATE_KEY } from '../mongodb/failures.js';
import { makeIndexes } from '../mongodb/indexes.js';
import { CLAIM_KEPT_MS, CLAIM_KIND, type RecordKey, type Vault, type VaultEntry, type VaultRecord } from './vault.js';

interface StoredRecord extends RecordKey {
  readonly _id: string;
  /** JSON text: what a value may hold is not for the engine's key rules to say. */
  readonly value: string;
  readonly version: number;
  /** Absent where the record belongs to nobody. */
  readonly subject?: string;
  /** Absent where the record stays. */
  readonly expiresAt?: Date;
}

// A read decides what is expired, and the purge removes it. The index clears away what no purge has removed. It knows no
// kinds, so it leaves every record for as long as a claim is kept.
const CLEARED_AFTER_S = CLAIM_KEPT_MS / 1_000;

const INDEXES = [
  { name: 'subject', key: { subject: 1, kind: 1, key: 1 } },
  { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: CLEARED_AFTER_S },
] as const;

/** The vault in the database `<name>_vault`. */
export class MongoVault implements Vault {
  readonly #database: MongoDatabase;
  #hasIndexes = false;

  constructor(connection: MongoConnection) {
    this.#database = connection.open('the vault', 'vault');
  }

  async get<T>(key: RecordKey): Promise<VaultRecord<T> | undefined> {
    const found = await this.#run((records, within) => records.findOne({ _id: idOf(key), ...alive() }, within));
    return found === null ? undefined : toRecord<T>(found);
  }

  async getMany<T>(kind: string, keys: readonly string[]): Promise<readonly VaultRecord<T>[]> {
    const wanted = [...new Set(keys)].map((key) => idOf({ kind, key }));
    const found = await this.#run((records, within) =>
      records.find({ _id: { $in: wanted }, ...alive() }, { ...within, batchSize: wanted.length + 1 }).toArray(),
    );
    return found.map(toRecord<T>);
  }

  async ofKind<T>(kind: string, after: string | undefined, limit: number): Promise<readonly VaultRecord<T>[]> {
    const start = idOf({ kind, key: '' });
    const _id = { $gt: start + (after ?? ''), $lt: start.replace(/:$/, ';') };
    const found = await this.#run(
      (records, within) => records.find({ _id, ...alive() }, { ...within, sort: { _id: 1 }, limit }).toArray(),
      PATIENT_MS,
    );
    return found.map(toRecord<T>);
  }

  /**
   * One upsert does it: it inserts where nothing is, goes on from a record that is expired, and meets the `_id` of one
   * that is not. That one is looked at: an upsert that meets another one in flight fails the same way, also where what
   * the other stored is expired already.
   */
  async insert(entry: VaultEntry): Promise<boolean> {
    const _id = idOf(entry);
    for (;;) {
      if (await this.#upsertOverExpired(entry)) return true;
      const standing = await this.#run((records, within) =>
        records.findOne({ _id, ...alive() }, { ...within, readConcern: 'local' }),
      );
      if (standing !== null) return false;
    }
  }

  async replace(entry: VaultEntry, version: number): Promise<boolean> {
    const { matchedCount } = await this.#run((records, within) =>
      records.updateOne({ _id: idOf(entry), version, ...alive() }, changeTo(entry), within),
    );
    return matchedCount === 1;
  }

  async remove(key: RecordKey, version?: number): Promise<boolean> {
    const filter = { _id: idOf(key), ...(version !== undefined && { version }), ...alive() };
    const { deletedCount } = await this.#run((records, within) => records.deleteOne(filter, within));
    return deletedCount === 1;
  }

  async ofSubject<T>(kind: string, subject: string): Promise<readonly VaultRecord<T>[]> {
    const found = await this.#run((records, within) =>
      records.find({ subject, kind, ...alive() }, { ...within, sort: { key: 1 } }).toArray(),
    );
    return found.map(toRecord<T>);
  }

  async removeSubject(subject: string): Promise<number> {
    const { deletedCount } = await this.#run((records, within) => records.deleteMany({ subject }, within), PATIENT_MS);
    return deletedCount;
  }

  async purgeExpired(limit: number): Promise<number> {
    const now = Date.now();
    const expired = {
      expiresAt: { $lte: new Date(now) },
      $or: [{ kind: { $ne: CLAIM_KIND } }, { expiresAt: { $lte: new Date(now - CLAIM_KEPT_MS) } }],
    };
    const found = await this.#run(
      (records, within) =>
        records.find(expired, { ...within, projection: { _id: 1 }, sort: { expiresAt: 1 }, limit }).toArray(),
      PATIENT_MS,
    );
    if (found.length === 0) return 0;
    // A record may have been inserted over one of them meanwhile.
    const { deletedCount } = await this.#run(
      (records, within) => records.deleteMany({ _id: { $in: found.map(({ _id }) => _id) }, ...expired }, within),
      PATIENT_MS,
    );
    return deletedCount;
  }

  /**
   * Does nothing: when the server uses the blocks of what was removed again, and for how long its journal, its oplog and
   * its backups hold it, is the server's to say. What is removed here is of no use without the master key.
   */
  async forget(): Promise<void> {}

  close(): Promise<void> {
    return this.#database.close();
  }

  async #upsertOverExpired(entry: VaultEntry): Promise<boolean> {
    const filter = { _id: idOf(entry), expiresAt: { $lte: new Date() } };
    try {
      await this.#run((records, within) => records.updateOne(filter, changeTo(entry), { ...within, upsert: true }));
      return true;
    } catch (error) {
      if (codeOf(error) === DUPLICATE_KEY) return false;
      throw error;
    }
  }

  async #run<T>(call: (records: ReturnType<typeof recordsOf>, within: Within) => Promise<T>, deadlineMs?: number) {
    this.#makeIndexes();
    return this.#database.run((db, within) => call(recordsOf(db), within), deadlineMs);
  }

  // With the first call, because the server may not be there yet at the start. No call waits for the indexes: without
  // them calls are slower, not wrong.
  #makeIndexes(): void {
    if (this.#hasIndexes) return;
    this.#hasIndexes = true;
    makeIndexes(this.#database, COLLECTION, INDEXES).catch((error: unknown) => {
      if (error instanceof StoreUnavailable) this.#hasIndexes = false;
      else this.#database.report(new Error('the vault has not all of its indexes', { cause: error }));
    });
  }
}

const COLLECTION = 'records';
const recordsOf = (db: Db) => db.collection<StoredRecord>(COLLECTION);

// Kinds are plain names; a colon in one must not make it another's.
const idOf = ({ kind, key }: RecordKey): string => `${encodeURIComponent(kind)}:${key}`;

// A record without `expiresAt` matches too.
const alive = () => ({ expiresAt: { $not: { $lte: new Date() } } });

const changeTo = ({ kind, key, value, subject, expiresAt }: VaultEntry): UpdateFilter<StoredRecord> => ({
  $set: {
    kind,
    key,
    value: JSON.stringify(value),
    ...(subject !== undefined && { subject }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
  },
  $unset: { ...(subject === undefined && { subject: '' }), ...(expiresAt === undefined && { expiresAt: '' }) },
  $inc: { version: 1 },
});

const toRecord = <T>({ kind, key, value, version, expiresAt }: StoredRecord): VaultRecord<T> => ({
  kind,
  key,
  value: JSON.parse(value),
  version,
  expiresAt: expiresAt?.getTime(),
});
