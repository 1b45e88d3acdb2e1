// The views on SQLite: a table for each collection and generation, documents as JSON text beside the indexed fields.
import { join } from 'node:path';
import type { Position } from '../facts/facts.js';
import { createOrEmpty, preparedOnce } from '../sqlite/database.js';
import { SqliteStore } from '../sqlite/store.js';
import { SqliteDocuments } from './sqlite-documents.js';
import { columnsOf, listsOf, type ViewsOperations } from './sqlite-statements.js';
import type {
  Checkpoint,
  Commit,
  Document,
  DocumentWrite,
  Generation,
  Indexed,
  Lease,
  ListPage,
  ListQuery,
  Part,
  ProjectionShape,
  Reference,
  Views,
} from './views.js';

// Increase the version if the schema changes. A file of an older version is emptied: read models can be rebuilt.
const SCHEMA = {
  version: 6,
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
  readonly #documents: SqliteDocuments;
  readonly #statement;

  constructor(directory: string) {
    this.#store = new SqliteStore({
      name: 'the read models',
      file: join(directory, 'views.sqlite'),
      upgrade: (file) => createOrEmpty(file, SCHEMA),
      operations: new URL('./sqlite-statements.js', import.meta.url),
      // Documents and checkpoint are in one transaction, so a power failure takes both back, and a worker folds the
      // events again. Commits that must be durable are flushed (docs/decisions.md).
      synchronous: 'NORMAL',
    });
    this.#documents = new SqliteDocuments(this.#store);
    this.#statement = preparedOnce(this.#store.db);
  }

  async prepare(shape: ProjectionShape): Promise<void> {
    this.#documents.register(shape);
    await this.#store.run('prepare', plain(shape));
  }

  async get(collection: string, id: string): Promise<Document | undefined> {
    return this.#documents.get(collection, id);
  }

  async getPart(root: Reference, part: Reference): Promise<Part | undefined> {
    return this.#documents.getPart(root, part);
  }

  async getAll(collection: string, ids: readonly string[]): Promise<readonly Document[]> {
    return this.#documents.getAll(collection, ids);
  }

  async count(query: Pick<ListQuery, 'collection' | 'where' | 'prefix'>): Promise<number> {
    return this.#documents.count(query);
  }

  async list(query: ListQuery): Promise<ListPage> {
    return this.#documents.list(query);
  }

  async walk(collection: string, after: string | undefined, limit: number): Promise<readonly Document[]> {
    return this.#documents.walk(collection, after, limit);
  }

  async load(generation: Generation, collection: string, ids: readonly string[]) {
    return this.#documents.load(generation, collection, ids);
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

  async acquire({ projection, number }: Generation, owner: string, ttlMs: number): Promise<Lease | undefined> {
    const isTaken = await this.#store.run('acquire', { projection, number, owner, ttlMs });
    return isTaken ? { projection, number, owner } : undefined;
  }

  renew(lease: Lease, ttlMs: number): Promise<boolean> {
    return this.#store.run('renew', { lease, ttlMs });
  }

  release(lease: Lease): Promise<void> {
    return this.#store.run('release', lease);
  }

  commit({ lease, writes, position }: Commit): Promise<boolean> {
    const collections = [...new Set(writes.map(({ collection }) => collection))];
    const tables = collections.map((collection) => {
      const { indexes } = this.#documents.collection(collection);
      const [columns, lists] = [columnsOf(indexes), listsOf(indexes)];
      const own = writes.filter((write) => write.collection === collection);
      const values = lists.length === 0 ? [] : own.map(({ index }) => lists.map((field) => valuesOf(index[field])));
      return { collection, columns, rows: own.map((write) => rowOf(write, columns)), lists, values };
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
}

// The functions of a projection cannot be sent to the writer thread.
const plain = ({ name, version, collections }: ProjectionShape): ProjectionShape => ({
  name,
  version,
  collections: collections.map(({ name, indexes, within }) => ({ name, indexes, ...(within && { within }) })),
});

const rowOf = ({ id, body, revision, position, created, index }: DocumentWrite, columns: readonly string[]) => [
  id,
  body,
  revision,
  position,
  created,
  ...columns.map((field) => String(index[field] ?? '')),
];

const valuesOf = (indexed: Indexed = []): readonly string[] => (typeof indexed === 'string' ? [indexed] : indexed);
