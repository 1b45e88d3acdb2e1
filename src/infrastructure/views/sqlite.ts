// The views on SQLite: a table for each collection and generation, documents as JSON text beside the indexed fields.
import { join } from 'node:path';
import type { Position } from '../facts/facts.js';
import { type Database, migrate, openForReading, type Statement } from '../sqlite/database.js';
import { readOr } from '../sqlite/reading.js';
import { SqliteWriter } from '../sqlite/writer.js';
import { selectionOf } from './sqlite-lists.js';
import { type AcquireArgument, type CommitArgument, fieldsOf, OF_PART, partOf, tableOf } from './sqlite-operations.js';
import type {
  Attendant,
  Batch,
  Checkpoint,
  Collection,
  Document,
  DocumentWrite,
  Generation,
  Indexed,
  Lease,
  ListPage,
  ListQuery,
  ProjectionShape,
  Views,
} from './views.js';

const MIGRATIONS = [
  `CREATE TABLE generations (
     projection       TEXT NOT NULL,
     number           INTEGER NOT NULL,
     version          INTEGER NOT NULL,
     state            TEXT NOT NULL CHECK (state IN ('building', 'live')),
     collections      TEXT NOT NULL,
     position         TEXT,
     stopped_position TEXT,
     stopped_reason   TEXT,
     owner            TEXT,
     epoch            INTEGER NOT NULL DEFAULT 0,
     lease_until      INTEGER NOT NULL DEFAULT 0,
     PRIMARY KEY (projection, number)
   ) STRICT;`,
  `CREATE TABLE workers (
     owner TEXT PRIMARY KEY,
     work  TEXT NOT NULL,
     until INTEGER NOT NULL
   ) STRICT;`,
  // A row for each part of a generation; for all but those that are built in parts, one.
  `ALTER TABLE generations RENAME TO undivided;
   CREATE TABLE generations (
     projection       TEXT NOT NULL,
     number           INTEGER NOT NULL,
     part             INTEGER NOT NULL,
     parts            INTEGER NOT NULL,
     version          INTEGER NOT NULL,
     state            TEXT NOT NULL CHECK (state IN ('building', 'live')),
     collections      TEXT NOT NULL,
     position         TEXT,
     stopped_position TEXT,
     stopped_reason   TEXT,
     owner            TEXT,
     epoch            INTEGER NOT NULL DEFAULT 0,
     lease_until      INTEGER NOT NULL DEFAULT 0,
     PRIMARY KEY (projection, number, part)
   ) STRICT;
   INSERT INTO generations SELECT projection, number, 0, 1, version, state, collections, position, stopped_position,
     stopped_reason, owner, epoch, lease_until FROM undivided;
   DROP TABLE undivided;`,
];

const STORE = 'the read models';
// One thread writes all parts, and each reads the whole log: more of them cost more (docs/performance.md).
const PARTITIONS = 1;

interface CheckpointRow extends Omit<Checkpoint, 'position' | 'stopped' | 'partition' | 'heldBy'> {
  readonly part: number;
  readonly parts: number;
  readonly position: string | null;
  readonly stopped_position: string | null;
  readonly stopped_reason: string | null;
  readonly held_by: string | null;
}

/** The views in `views.sqlite` under `directory`. */
export class SqliteViews implements Views {
  readonly #db: Database;
  readonly #writer: SqliteWriter;
  readonly #shapes = new Map<string, { readonly projection: string; readonly collection: Collection }>();
  readonly #statements = new Map<string, Statement<unknown[], unknown>>();
  readonly #live;
  readonly #liveNumbers = new Map<string, number>();

  constructor(directory: string) {
    const file = join(directory, 'views.sqlite');
    this.#db = readOr(STORE, () => {
      migrate(file, MIGRATIONS);
      return openForReading(file);
    });
    this.#writer = new SqliteWriter(STORE, file, new URL('./sqlite-operations.js', import.meta.url));
    this.#live = this.#db
      .prepare<[string], number>("SELECT number FROM generations WHERE projection = ? AND state = 'live'")
      .pluck();
  }

  async prepare(shape: ProjectionShape): Promise<void> {
    for (const collection of shape.collections) {
      this.#shapes.set(collection.name, { projection: shape.name, collection });
    }
    await this.#writer.run('prepare', { shape: plain(shape), partitions: PARTITIONS });
  }

  async get(collection: string, id: string): Promise<Document | undefined> {
    return this.#fromLive(collection, (generation) => {
      const table = tableOf(collection, generation);
      return this.#statement<Document>(`SELECT id, body, revision, position FROM ${table} WHERE id = ?`).get(id);
    });
  }

  async list(query: ListQuery): Promise<ListPage> {
    const { collection, limit } = query;
    const { indexes } = this.#shapeOf(collection).collection;
    const rows = this.#fromLive(collection, (generation) => {
      const { sql, values } = selectionOf(query, indexes, generation);
      return this.#statement<{ body: string; created: string }>(sql).all(...values, limit + 1);
    });
    const page = rows.slice(0, limit);
    return { bodies: page.map(({ body }) => body), next: rows.length > limit ? page.at(-1)?.created : undefined };
  }

  async walk(collection: string, after = '', limit: number): Promise<readonly Document[]> {
    return this.#fromLive(collection, (generation) => {
      const table = tableOf(collection, generation);
      const rows = `SELECT id, body, revision, position FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`;
      return this.#statement<Document>(rows).all(after, limit);
    });
  }

  async load({ number }: Generation, collection: string, ids: readonly string[]) {
    const table = tableOf(collection, number);
    const wanted = 'WHERE id IN (SELECT value FROM json_each(?))';
    return readOr(STORE, () =>
      this.#statement<Document & { created: string }>(
        `SELECT id, body, revision, position, created FROM ${table} ${wanted}`,
      ).all(JSON.stringify(ids)),
    );
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    const rows = readOr(STORE, () =>
      this.#statement<CheckpointRow>(
        `SELECT projection, number, part, parts, version, state, position, stopped_position, stopped_reason,
           CASE WHEN lease_until >= ? THEN owner END AS held_by
         FROM generations ORDER BY projection, number, part`,
      ).all(Date.now()),
    );
    return rows.map(({ part, parts, position, stopped_position, stopped_reason, held_by, ...rest }) => ({
      ...rest,
      partition: parts === 1 ? undefined : { index: part, of: parts },
      position: position ?? undefined,
      stopped: stopped_position === null ? undefined : { position: stopped_position, reason: stopped_reason ?? '' },
      heldBy: held_by ?? undefined,
    }));
  }

  attend(worker: Attendant, ttlMs: number): Promise<readonly string[]> {
    return this.#writer.run('attend', { worker, ttlMs });
  }

  leave(owner: string): Promise<void> {
    return this.#writer.run('leave', owner);
  }

  async acquire(
    generation: Generation,
    owner: string,
    ttlMs: number,
    isAlive: (owner: string) => boolean,
  ): Promise<Lease | undefined> {
    const holder = readOr(STORE, () =>
      this.#statement<{ owner: string | null }>(`SELECT owner FROM generations WHERE ${OF_PART}`).get(
        partOf(generation),
      ),
    )?.owner;
    const dead = holder !== null && holder !== undefined && !isAlive(holder) ? holder : undefined;
    const { projection, number, partition } = generation;
    const argument: AcquireArgument = { projection, number, partition, owner, ttlMs, dead };
    const epoch = await this.#writer.run<number | undefined>('acquire', argument);
    return epoch === undefined ? undefined : { projection, number, partition, owner, epoch };
  }

  renew(lease: Lease, ttlMs: number): Promise<boolean> {
    return this.#writer.run('renew', { lease, ttlMs });
  }

  release(lease: Lease): Promise<void> {
    return this.#writer.run('release', lease);
  }

  commit({ lease, writes, position }: Batch): Promise<boolean> {
    const collections = [...new Set(writes.map(({ collection }) => collection))];
    const tables = collections.map((collection) => {
      const { columns, lists } = fieldsOf(this.#shapeOf(collection).collection.indexes);
      const own = writes.filter((write) => write.collection === collection);
      const values = lists.length === 0 ? [] : own.map(({ index }) => lists.map((field) => listOf(index[field])));
      return { collection, indexed: columns, rows: own.map((write) => rowOf(write, columns)), listed: lists, values };
    });
    const argument: CommitArgument = { lease, position, tables };
    return this.#writer.run('commit', argument);
  }

  setStopped(by: Generation | Lease, stopped: Checkpoint['stopped']): Promise<void> {
    return this.#writer.run('setStopped', { by, stopped });
  }

  async startGeneration(shape: ProjectionShape, partitions = PARTITIONS): Promise<Generation> {
    const number = await this.#writer.run<number>('startGeneration', { shape: plain(shape), partitions });
    return { projection: shape.name, number };
  }

  promote(lease: Lease, foreign?: Position): Promise<boolean> {
    return this.#writer.run('promote', { lease, foreign });
  }

  forget(): Promise<void> {
    return this.#writer.forget();
  }

  // The writer closes last: the last connection empties the WAL into the file, and only one that writes can.
  async close(): Promise<void> {
    this.#db.close();
    await this.#writer.close();
  }

  #shapeOf(collection: string) {
    const shape = this.#shapes.get(collection);
    if (shape === undefined) throw new Error(`no projection was prepared that has the collection ${collection}`);
    return shape;
  }

  /**
   * Reads the live table. Which one that is, is remembered: a rebuild drops the table before it in the transaction in
   * which the next one goes live, so an old number fails, and is looked up again.
   */
  #fromLive<T>(collection: string, read: (generation: number) => T): T {
    const { projection } = this.#shapeOf(collection);
    return readOr(STORE, () => {
      const known = this.#liveNumbers.get(projection);
      try {
        if (known !== undefined) return read(known);
      } catch {
        this.#liveNumbers.delete(projection);
      }
      const number = this.#live.get(projection) ?? 1;
      this.#liveNumbers.set(projection, number);
      return read(number);
    });
  }

  #statement<Row>(sql: string): Statement<unknown[], Row> {
    const known = this.#statements.get(sql) ?? this.#db.prepare<unknown[], Row>(sql);
    this.#statements.set(sql, known);
    return known as Statement<unknown[], Row>;
  }
}

// What a projection has beside its shape (functions) cannot cross to the writer thread.
const plain = ({ name, version, collections }: ProjectionShape): ProjectionShape => ({
  name,
  version,
  collections: collections.map((collection) => ({ name: collection.name, indexes: collection.indexes })),
});

const rowOf = ({ id, body, revision, position, created, index }: DocumentWrite, indexed: readonly string[]) => [
  id,
  body,
  revision,
  position,
  created,
  ...indexed.map((field) => String(index[field] ?? '')),
];

const listOf = (value: Indexed = []): readonly string[] => (typeof value === 'string' ? [value] : value);
