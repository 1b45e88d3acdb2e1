// The vault on MongoDB. Each record is one document, so every change is a single write, which needs no transaction. The
// `_id` makes claims unique.
import type { Db, UpdateFilter } from 'mongodb';
import { STORES, StoreUnavailable } from '../errors.js';
import type { WrongSettings } from '../fault.js';
import { type CallLimits, type MongoConnection, type MongoDatabase, PATIENT_MS } from '../mongodb/connection.js';
import { DUPLICATE_KEY, mongoCodeOf } from '../mongodb/failures.js';
import { makeIndexes } from '../mongodb/indexes.js';
import { KEPT_KINDS, type RecordKey, type Vault, type VaultEntry, type VaultRecord, VERSION_KEPT_MS } from './vault.js';

interface StoredRecord extends RecordKey {
  readonly _id: string;
  /** JSON text, because a document would restrict the member names of values. */
  readonly value: string;
  readonly version: number;
  readonly subject?: string;
  /** Absent if the record does not expire. Reads ignore the record from then on. */
  readonly expiresAt?: Date;
  /** When the server may remove the record; absent if the record does not expire. */
  readonly purgeAt?: Date;
}

const INDEXES = [
  { name: 'subject', key: { subject: 1, kind: 1, key: 1 } },
  { name: 'purge', key: { purgeAt: 1 }, expireAfterSeconds: 0 },
] as const;

export class MongoVault implements Vault {
  readonly #database: MongoDatabase;
  #hasIndexes = false;

  constructor(connection: MongoConnection) {
    this.#database = connection.open(STORES.vault, 'vault');
  }

  async wrongSettings(): Promise<WrongSettings> {
    const { setName, msg } = await this.#database.run((db) => db.command({ hello: 1 }));
    const isAlone = setName === undefined && msg !== 'isdbgrid';
    return { text: isAlone ? 'the server is not in a replica set' : '', isUnsafe: false };
  }

  async get<T>(key: RecordKey): Promise<VaultRecord<T> | undefined> {
    const found = await this.#run((records, limits) => records.findOne({ _id: idOf(key), ...alive() }, limits));
    return found === null ? undefined : toRecord<T>(found);
  }

  async getMany<T>(kind: string, keys: readonly string[]): Promise<readonly VaultRecord<T>[]> {
    const wanted = [...new Set(keys)].map((key) => idOf({ kind, key }));
    const found = await this.#run((records, limits) =>
      records.find({ _id: { $in: wanted }, ...alive() }, { ...limits, batchSize: wanted.length + 1 }).toArray(),
    );
    return found.map(toRecord<T>);
  }

  async ofKind<T>(kind: string, after: string | undefined, limit: number): Promise<readonly VaultRecord<T>[]> {
    const start = idOf({ kind, key: '' });
    const _id = { $gt: start + (after ?? ''), $lt: start.replace(/:$/, ';') };
    const found = await this.#run(
      (records, limits) => records.find({ _id, ...alive() }, { ...limits, sort: { _id: 1 }, limit }).toArray(),
      PATIENT_MS,
    );
    return found.map(toRecord<T>);
  }

  /**
   * Inserts with an upsert, which creates a missing record, replaces an expired record, and fails on the `_id` of a
   * live record. After a failure, the record is read: a concurrent upsert causes the same failure, even if its record
   * has already expired.
   */
  async insert(entry: VaultEntry): Promise<number | undefined> {
    const _id = idOf(entry);
    for (;;) {
      const version = await this.#upsertOverExpired(entry);
      if (version !== undefined) return version;
      const existing = await this.#run((records, limits) =>
        records.findOne({ _id, ...alive() }, { ...limits, readConcern: 'local' }),
      );
      if (existing !== null) return undefined;
    }
  }

  async replace(entry: VaultEntry, version: number): Promise<boolean> {
    const { matchedCount } = await this.#run((records, limits) =>
      records.updateOne({ _id: idOf(entry), version, ...alive() }, changeTo(entry), limits),
    );
    return matchedCount === 1;
  }

  async remove(key: RecordKey, version?: number): Promise<boolean> {
    const filter = { _id: idOf(key), ...(version !== undefined && { version }), ...alive() };
    const { deletedCount } = await this.#run((records, limits) => records.deleteOne(filter, limits));
    return deletedCount === 1;
  }

  async ofSubject<T>(kind: string, subject: string): Promise<readonly VaultRecord<T>[]> {
    const found = await this.#run((records, limits) =>
      records.find({ subject, kind, ...alive() }, { ...limits, sort: { key: 1 } }).toArray(),
    );
    return found.map(toRecord<T>);
  }

  async removeSubject(subject: string): Promise<number> {
    const { deletedCount } = await this.#run((records, limits) => records.deleteMany({ subject }, limits), PATIENT_MS);
    return deletedCount;
  }

  /** Removes nothing: the TTL index removes expired records. */
  async purgeExpired(): Promise<number> {
    return 0;
  }

  /**
   * Does nothing, because the server decides when it reuses the blocks of removed documents, and how long its journal,
   * oplog and backups keep them. The removed data is useless without the master key.
   */
  async flush(): Promise<void> {}

  async forget(): Promise<void> {}

  close(): Promise<void> {
    return this.#database.close();
  }

  async #upsertOverExpired(entry: VaultEntry): Promise<number | undefined> {
    const filter = { _id: idOf(entry), expiresAt: { $lte: new Date() } };
    const options = { upsert: true, returnDocument: 'after', projection: { version: 1 } } as const;
    try {
      const stored = await this.#run((records, limits) =>
        records.findOneAndUpdate(filter, changeTo(entry), { ...limits, ...options }),
      );
      return stored?.version;
    } catch (error) {
      if (mongoCodeOf(error) === DUPLICATE_KEY) return undefined;
      throw error;
    }
  }

  async #run<T>(call: (records: ReturnType<typeof recordsOf>, limits: CallLimits) => Promise<T>, deadlineMs?: number) {
    this.#makeIndexes();
    return this.#database.run((db, limits) => call(recordsOf(db), limits), deadlineMs);
  }

  // Runs with the first call, because the server may not be up at start. No call waits for the indexes: without them,
  // calls are slower but correct.
  #makeIndexes(): void {
    if (this.#hasIndexes) return;
    this.#hasIndexes = true;
    makeIndexes(this.#database, COLLECTION, INDEXES).catch((error: unknown) => {
      if (error instanceof StoreUnavailable) this.#hasIndexes = false;
      else this.#database.report(new Error('not all indexes of the vault could be created', { cause: error }));
    });
  }
}

const COLLECTION = 'records';
const recordsOf = (db: Db) => db.collection<StoredRecord>(COLLECTION);

// Encodes the kind, so that a colon in it cannot lead to the id of another kind.
const idOf = ({ kind, key }: RecordKey): string => `${encodeURIComponent(kind)}:${key}`;

// Also matches records without `expiresAt`.
const alive = () => ({ expiresAt: { $not: { $lte: new Date() } } });

const changeTo = ({ kind, key, value, subject, expiresAt }: VaultEntry): UpdateFilter<StoredRecord> => ({
  $set: {
    kind,
    key,
    value: JSON.stringify(value),
    ...(subject !== undefined && { subject }),
    ...(expiresAt !== undefined && {
      expiresAt: new Date(expiresAt),
      purgeAt: new Date(KEPT_KINDS.includes(kind) ? expiresAt + VERSION_KEPT_MS : expiresAt),
    }),
  },
  $unset: {
    ...(subject === undefined && { subject: '' }),
    ...(expiresAt === undefined && { expiresAt: '', purgeAt: '' }),
  },
  $inc: { version: 1 },
});

const toRecord = <T>({ kind, key, value, version, expiresAt }: StoredRecord): VaultRecord<T> => ({
  kind,
  key,
  value: JSON.parse(value),
  version,
  expiresAt: expiresAt?.getTime(),
});
