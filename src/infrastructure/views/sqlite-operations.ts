// What the views engine does on its writing connection, in the writer thread.
import type { Database, Statement } from '../sqlite/database.js';
import type { Checkpoint, Collection, Generation, Lease, ProjectionShape } from './views.js';

/** The table that holds a collection's documents in one generation. */
export const tableOf = (collection: string, generation: number): string => `"${collection}_${generation}"`;

/** A batch as it crosses to the writer thread: the columns of its collections, and rows in their order. */
export interface CommitArgument {
  readonly lease: Lease;
  readonly position: string;
  readonly tables: readonly {
    readonly collection: string;
    readonly indexed: readonly string[];
    /** id, body, revision, position, created, then one value for each indexed column. */
    readonly rows: readonly (string | number | null)[][];
  }[];
}

export interface AcquireArgument extends Generation {
  readonly owner: string;
  readonly ttlMs: number;
  /** The owner that is known to have died: its lease is free before its time. */
  readonly dead: string | undefined;
}

interface GenerationRow {
  readonly number: number;
  readonly version: number;
  readonly state: 'building' | 'live';
  readonly position: string | null;
  readonly collections: string;
}

const createTable = ({ name, indexes }: Collection, generation: number) => {
  const table = tableOf(name, generation);
  const columns = Object.keys(indexes);
  const index = (on: string, by: string) => `CREATE INDEX "${name}_${generation}_${on}" ON ${table} (${by});`;
  return `
    CREATE TABLE ${table} (
      id TEXT PRIMARY KEY, body TEXT NOT NULL, revision INTEGER NOT NULL, position TEXT NOT NULL, created TEXT NOT NULL
      ${columns.map((column) => `, "x_${column}" TEXT NOT NULL`).join('')}
    ) STRICT;
    ${index('created', 'created')}
    ${columns.map((column) => index(column, `"x_${column}", created`)).join('\n')}`;
};

const statementsOf = (db: Database) => ({
  generations: db.prepare<[string], GenerationRow>(
    'SELECT number, version, state, position, collections FROM generations WHERE projection = ? ORDER BY number',
  ),
  insertGeneration: db.prepare(
    'INSERT INTO generations (projection, number, version, state, collections) VALUES (?, ?, ?, ?, ?)',
  ),
  leased: db
    .prepare<[Lease], number>(
      'SELECT 1 FROM generations WHERE projection = @projection AND number = @number AND owner = @owner AND epoch = @epoch',
    )
    .pluck(),
  advance: db.prepare(
    `UPDATE generations SET position = @position
     WHERE projection = @projection AND number = @number AND (position IS NULL OR position < @position)`,
  ),
  take: db
    .prepare<[object], number>(
      `UPDATE generations SET owner = @owner, epoch = epoch + 1, lease_until = @until
       WHERE projection = @projection AND number = @number
         AND (lease_until < @now OR owner IS NULL OR owner = @owner OR owner = @dead)
       RETURNING epoch`,
    )
    .pluck(),
  prolong: db.prepare(
    `UPDATE generations SET lease_until = @until
     WHERE projection = @projection AND number = @number AND owner = @owner AND epoch = @epoch`,
  ),
  letGo: db.prepare(
    `UPDATE generations SET owner = NULL, lease_until = 0
     WHERE projection = @projection AND number = @number AND owner = @owner AND epoch = @epoch`,
  ),
  stop: db.prepare(
    'UPDATE generations SET stopped_position = ?, stopped_reason = ? WHERE projection = ? AND number = ?',
  ),
  makeLive: db.prepare("UPDATE generations SET state = 'live' WHERE projection = ? AND number = ?"),
  forget: db.prepare('DELETE FROM generations WHERE projection = ? AND number = ?'),
});

class ViewsOperations {
  readonly #db: Database;
  readonly #statements: ReturnType<typeof statementsOf>;
  readonly #upserts = new Map<string, Statement>();

  constructor(db: Database) {
    this.#db = db;
    // What an erased person's documents held must not stay readable in free pages of the file.
    db.pragma('secure_delete = ON');
    this.#statements = statementsOf(db);
  }

  prepare(shape: ProjectionShape): void {
    const known = this.#statements.generations.all(shape.name);
    const newest = Math.max(0, ...known.map(({ version }) => version));
    if (known.length === 0) this.#addGeneration(shape, 1, 'live');
    else if (newest < shape.version) this.startGeneration(shape);
  }

  startGeneration(shape: ProjectionShape): number {
    const known = this.#statements.generations.all(shape.name);
    const building = known.find(({ state, version }) => state === 'building' && version === shape.version);
    return building?.number ?? this.#addGeneration(shape, (known.at(-1)?.number ?? 0) + 1, 'building');
  }

  commit({ lease, position, tables }: CommitArgument): boolean {
    if (!this.#holds(lease)) return false;
    for (const { collection, indexed, rows } of tables) {
      const upsert = this.#upsertInto(tableOf(collection, lease.number), indexed);
      for (const row of rows) upsert.run(...row);
    }
    this.#statements.advance.run({ projection: lease.projection, number: lease.number, position });
    return true;
  }

  acquire({ ttlMs, ...rest }: AcquireArgument): number | undefined {
    const now = Date.now();
    return this.#statements.take.get({ ...rest, dead: rest.dead ?? null, now, until: now + ttlMs });
  }

  renew({ lease, ttlMs }: { lease: Lease; ttlMs: number }): boolean {
    return this.#statements.prolong.run({ ...lease, until: Date.now() + ttlMs }).changes === 1;
  }

  release(lease: Lease): void {
    this.#statements.letGo.run(lease);
  }

  promote(lease: Lease): boolean {
    if (!this.#holds(lease)) return false;
    const known = this.#statements.generations.all(lease.projection);
    const behind = known.some(
      ({ state, position }) => state === 'live' && (position ?? '') > (this.#positionOf(known, lease) ?? ''),
    );
    if (behind) return false;
    for (const other of known.filter(({ number }) => number !== lease.number)) this.#drop(lease.projection, other);
    this.#statements.makeLive.run(lease.projection, lease.number);
    return true;
  }

  setStopped({ by, stopped }: { by: Generation | Lease; stopped: Checkpoint['stopped'] }): void {
    if ('epoch' in by && !this.#holds(by)) return;
    this.#statements.stop.run(stopped?.position ?? null, stopped?.reason ?? null, by.projection, by.number);
  }

  #positionOf(known: readonly GenerationRow[], lease: Lease) {
    return known.find(({ number }) => number === lease.number)?.position;
  }

  #holds(lease: Lease): boolean {
    return this.#statements.leased.get(lease) !== undefined;
  }

  #addGeneration({ name, version, collections }: ProjectionShape, number: number, state: string): number {
    this.#statements.insertGeneration.run(name, number, version, state, JSON.stringify(collections));
    for (const collection of collections) this.#db.exec(createTable(collection, number));
    return number;
  }

  #drop(projection: string, { number, collections }: GenerationRow): void {
    for (const { name } of JSON.parse(collections) as Collection[]) {
      this.#upserts.delete(tableOf(name, number));
      this.#db.exec(`DROP TABLE ${tableOf(name, number)}`);
    }
    this.#statements.forget.run(projection, number);
  }

  #upsertInto(table: string, indexed: readonly string[]): Statement {
    const columns = ['body', 'revision', 'position', ...indexed.map((column) => `"x_${column}"`)];
    const all = ['id', 'body', 'revision', 'position', 'created', ...columns.slice(3)];
    const known =
      this.#upserts.get(table) ??
      this.#db.prepare(
        `INSERT INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})
         ON CONFLICT (id) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}
         WHERE excluded.position > ${table}.position`,
      );
    this.#upserts.set(table, known);
    return known;
  }
}

/** The operations of the views engine. */
export const operationsOf = (db: Database): ViewsOperations => new ViewsOperations(db);
