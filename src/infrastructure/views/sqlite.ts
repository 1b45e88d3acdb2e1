// The views on SQLite: a table for each collection and generation, documents as JSON text beside the indexed fields.
import { join } from 'node:path';
import type { Position } from '../facts/facts.js';
import { createOrEmpty, preparedOnce } from '../sqlite/database.js';
import { SqliteStore } from '../sqlite/store.js';
import { countOf, selectionOf } from './sqlite-lists.js';
import {
  fieldsOf,
  OF_GENERATION,
  tableOf,
  type Values,
  type ViewsOperations,
  valueColumnsOf,
} from './sqlite-statements.js';
import type {
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

// A changed schema takes the next version. A file of an older version is emptied: read models can be built again.
const SCHEMA = {
  version: 4,
  statements: `
    CREATE TABLE generations (
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
};

interface CheckpointRow extends Omit<Checkpoint, 'position' | 'stopped' | 'heldBy'> {
  readonly position: string | null;
  readonly stopped_position: string | null;
  readonly stopped_reason: string | null;
  readonly held_by: string | null;
}

/** The views in `views.sqlite` under `directory`. */
export class SqliteViews implements Views {
  readonly #store: SqliteStore<ViewsOperations>;
  readonly #shapes = new Map<string, { readonly projection: string; readonly collection: Collection }>();
  readonly #statement;
  readonly #live;
  readonly #liveNumbers = new Map<string, number>();

  constructor(directory: string) {
    this.#store = new SqliteStore({
      name: 'the read models',
      file: join(directory, 'views.sqlite'),
      upgrade: (file) => createOrEmpty(file, SCHEMA),
      operations: new URL('./sqlite-statements.js', import.meta.url),
      // Documents and checkpoint are in one transaction, so a failure of the power takes both back, and a worker folds the
      // events again: the facts are never behind their read models. What must stay done is flushed (see docs/architecture.md).
      synchronous: 'NORMAL',
    });
    this.#statement = preparedOnce(this.#store.db);
    this.#live = this.#store.db
      .prepare<[string], number>("SELECT number FROM generations WHERE projection = ? AND state = 'live'")
      .pluck();
  }

  async prepare(shape: ProjectionShape): Promise<void> {
    for (const collection of shape.collections) {
      this.#shapes.set(collection.name, { projection: shape.name, collection });
    }
    await this.#store.run('prepare', plain(shape));
  }

  async get(collection: string, id: string): Promise<Document | undefined> {
    return this.#fromLive(collection, (generation) => {
      const table = tableOf(collection, generation);
      return this.#statement<Document>(`SELECT id, body, revision, position FROM ${table} WHERE id = ?`).get(id);
    });
  }

  async getAll(collection: string, ids: readonly string[]): Promise<readonly Document[]> {
    return this.#fromLive(collection, (generation) => this.#withIds(tableOf(collection, generation), ids));
  }

  async count(query: Pick<ListQuery, 'collection' | 'where' | 'prefix'>): Promise<number> {
    const { indexes } = this.#shapeOf(query.collection).collection;
    return this.#fromLive(query.collection, (generation) => {
      const { sql, values } = countOf(query, indexes, generation);
      return this.#statement<{ 'count(*)': number }>(sql).get(...values)?.['count(*)'] ?? 0;
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
    return this.#store.read(() => this.#withIds(tableOf(collection, number), ids));
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    const rows = this.#store.read(() =>
      this.#statement<CheckpointRow>(
        `SELECT projection, number, version, state, position, stopped_position, stopped_reason,
           CASE WHEN lease_until >= ? THEN owner END AS held_by
         FROM generations ORDER BY projection, number`,
      ).all(Date.now()),
    );
    return rows.map(({ position, stopped_position, stopped_reason, held_by, ...rest }) => ({
      ...rest,
      position: position ?? undefined,
      stopped: stopped_position === null ? undefined : { position: stopped_position, reason: stopped_reason ?? '' },
      heldBy: held_by ?? undefined,
    }));
  }

  async acquire(
    generation: Generation,
    owner: string,
    ttlMs: number,
    isAlive: (owner: string) => boolean,
  ): Promise<Lease | undefined> {
    const { projection, number } = generation;
    const owned = `SELECT owner FROM generations WHERE ${OF_GENERATION}`;
    const holder = this.#store.read(() => this.#statement<{ owner: string | null }>(owned).get(generation))?.owner;
    const dead = holder !== null && holder !== undefined && !isAlive(holder) ? holder : undefined;
    const epoch = await this.#store.run('acquire', { projection, number, owner, ttlMs, dead });
    return epoch === undefined ? undefined : { projection, number, owner, epoch };
  }

  renew(lease: Lease, ttlMs: number): Promise<boolean> {
    return this.#store.run('renew', { lease, ttlMs });
  }

  release(lease: Lease): Promise<void> {
    return this.#store.run('release', lease);
  }

  commit({ lease, writes, position }: Batch): Promise<boolean> {
    const collections = [...new Set(writes.map(({ collection }) => collection))];
    const tables = collections.map((collection) => {
      const { indexes } = this.#shapeOf(collection).collection;
      const { columns, lists } = fieldsOf(indexes);
      const own = writes.filter((write) => write.collection === collection);
      const values = lists.length === 0 ? [] : own.map(({ index }) => lists.map((field) => valuesOf(index[field])));
      const listed = lists.map((field) => ({ field, columns: valueColumnsOf(indexes, field) }));
      return { collection, indexed: columns, rows: own.map((write) => rowOf(write, columns)), listed, values };
    });
    return this.#store.run('commit', { lease, position, tables });
  }

  setStopped(by: Generation | Lease, stopped: Checkpoint['stopped']): Promise<void> {
    return this.#store.run('setStopped', { by, stopped });
  }

  async startGeneration(shape: ProjectionShape): Promise<Generation> {
    const number = await this.#store.run('startGeneration', plain(shape));
    return { projection: shape.name, number };
  }

  promote(lease: Lease, foreign?: Position): Promise<boolean> {
    return this.#store.run('promote', { lease, foreign });
  }

  flush(): Promise<void> {
    return this.#store.flush();
  }

  forget(): Promise<void> {
    return this.#store.forget();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #withIds(table: string, ids: readonly string[]) {
    const wanted = 'WHERE id IN (SELECT value FROM json_each(?))';
    return this.#statement<Document & { created: string }>(
      `SELECT id, body, revision, position, created FROM ${table} ${wanted}`,
    ).all(JSON.stringify(ids));
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
    return this.#store.read(() => {
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

const valuesOf = (indexed: Indexed = []): Values =>
  (typeof indexed === 'string' ? [indexed] : indexed).map((each) =>
    typeof each === 'string' ? [each] : [each.value, each.since, each.until],
  );
