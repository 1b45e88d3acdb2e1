// The views on SQLite: a table for each collection and generation, documents as JSON text beside the indexed fields.
import { join } from 'node:path';
import { type Database, migrate, openForReading, type Statement } from '../sqlite/database.js';
import { readOr } from '../sqlite/reading.js';
import { SqliteWriter } from '../sqlite/writer.js';
import { type AcquireArgument, type CommitArgument, tableOf } from './sqlite-operations.js';
import type {
  Batch,
  Checkpoint,
  Collection,
  Document,
  DocumentWrite,
  Generation,
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
];

const STORE = 'the read models';

interface CheckpointRow extends Omit<Checkpoint, 'position' | 'stopped'> {
  readonly position: string | null;
  readonly stopped_position: string | null;
  readonly stopped_reason: string | null;
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
    await this.#writer.run('prepare', plain(shape));
  }

  async get(collection: string, id: string): Promise<Document | undefined> {
    return this.#fromLive(collection, (table) =>
      this.#statement<Document>(`SELECT id, body, revision, position FROM ${table} WHERE id = ?`).get(id),
    );
  }

  async list({ collection, where, prefix, order, after, limit }: ListQuery): Promise<ListPage> {
    const forwards = order === 'oldest-first';
    const conditions = [
      ...Object.keys(where).map((field) => `"x_${field}" = ?`),
      ...Object.keys(prefix).map((field) => `"x_${field}" >= ? AND "x_${field}" < ?`),
      ...(after === undefined ? [] : [`created ${forwards ? '>' : '<'} ?`]),
    ];
    const values = [
      ...Object.values(where),
      ...Object.values(prefix).flatMap((start) => [start, `${start}\u{10FFFF}`]),
      ...(after === undefined ? [] : [after]),
    ];
    const filter = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const sort = `ORDER BY created ${forwards ? 'ASC' : 'DESC'} LIMIT ?`;
    const rows = this.#fromLive(collection, (table) =>
      this.#statement<{ body: string; created: string }>(`SELECT body, created FROM ${table} ${filter} ${sort}`).all(
        ...values,
        limit + 1,
      ),
    );
    const page = rows.slice(0, limit);
    return { bodies: page.map(({ body }) => body), next: rows.length > limit ? page.at(-1)?.created : undefined };
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
        'SELECT projection, number, version, state, position, stopped_position, stopped_reason FROM generations ORDER BY 1, 2',
      ).all(),
    );
    return rows.map(({ position, stopped_position, stopped_reason, ...rest }) => ({
      ...rest,
      position: position ?? undefined,
      stopped: stopped_position === null ? undefined : { position: stopped_position, reason: stopped_reason ?? '' },
    }));
  }

  async acquire(
    { projection, number }: Generation,
    owner: string,
    ttlMs: number,
    isAlive: (owner: string) => boolean,
  ): Promise<Lease | undefined> {
    const holder = readOr(STORE, () =>
      this.#statement<{ owner: string | null }>(
        'SELECT owner FROM generations WHERE projection = ? AND number = ?',
      ).get(projection, number),
    )?.owner;
    const dead = holder !== null && holder !== undefined && !isAlive(holder) ? holder : undefined;
    const argument: AcquireArgument = { projection, number, owner, ttlMs, dead };
    const epoch = await this.#writer.run<number | undefined>('acquire', argument);
    return epoch === undefined ? undefined : { projection, number, owner, epoch };
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
      const indexed = Object.keys(this.#shapeOf(collection).collection.indexes);
      const rows = writes.filter((write) => write.collection === collection).map((write) => rowOf(write, indexed));
      return { collection, indexed, rows };
    });
    const argument: CommitArgument = { lease, position, tables };
    return this.#writer.run('commit', argument);
  }

  setStopped(by: Generation | Lease, stopped: Checkpoint['stopped']): Promise<void> {
    return this.#writer.run('setStopped', { by, stopped });
  }

  async startGeneration(shape: ProjectionShape): Promise<Generation> {
    const number = await this.#writer.run<number>('startGeneration', plain(shape));
    return { projection: shape.name, number };
  }

  promote(lease: Lease): Promise<boolean> {
    return this.#writer.run('promote', lease);
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
  #fromLive<T>(collection: string, read: (table: string) => T): T {
    const { projection } = this.#shapeOf(collection);
    return readOr(STORE, () => {
      const known = this.#liveNumbers.get(projection);
      try {
        if (known !== undefined) return read(tableOf(collection, known));
      } catch {
        this.#liveNumbers.delete(projection);
      }
      const number = this.#live.get(projection) ?? 1;
      this.#liveNumbers.set(projection, number);
      return read(tableOf(collection, number));
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
  ...indexed.map((field) => index[field] ?? ''),
];
