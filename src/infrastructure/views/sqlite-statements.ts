// The operations of the views engine on its writing connection, in the writer thread.
import type { Position } from '../facts/facts.js';
import { preparedOnce } from '../sqlite/database.js';
import type { Database, Statement, Values } from '../sqlite/driver.js';
import {
  type Checkpoint,
  type Collection,
  type Generation,
  type Indexes,
  isReplaced,
  type Lease,
  type ProjectionShape,
} from './views.js';

/** Returns the name of the table that holds a collection's documents in one generation. */
export const tableOf = (collection: string, generation: number): string => `"${collection}_${generation}"`;

/**
 * Returns the name of the table that holds the values of a field with a list: a row for each value of each document.
 */
export const valuesTableOf = (collection: string, generation: number, field: string): string =>
  `"${collection}_${generation}_${field}"`;

/** Returns the fields with a list, which are tables. */
export const listsOf = (indexes: Indexes): readonly string[] =>
  Object.keys(indexes).filter((field) => indexes[field] === 'contains');

/** Returns the fields with one text, which are columns. */
export const columnsOf = (indexes: Indexes): readonly string[] =>
  Object.keys(indexes).filter((field) => indexes[field] !== 'contains');

/** Returns the columns that have an index. */
export const indexedColumnsOf = (indexes: Indexes): readonly string[] =>
  columnsOf(indexes).filter((field) => indexes[field] !== 'compared');

/** Selects the row of a generation. */
const OF_GENERATION = 'projection = @projection AND number = @number';

/** A commit as it is sent to the writer thread: the columns of its collections, and rows in their order. */
interface CommitArgument {
  readonly lease: Lease;
  readonly position: string;
  readonly tables: readonly {
    readonly collection: string;
    readonly columns: readonly string[];
    /** id, body, revision, position, created, then one value for each column. */
    readonly rows: readonly (string | number | null)[][];
    /** The fields with lists, and for each row the values of each of them. */
    readonly lists: readonly string[];
    readonly values: readonly (readonly (readonly string[])[])[];
  }[];
}

interface AcquireArgument extends Generation {
  readonly owner: string;
  readonly ttlMs: number;
}

interface GenerationRow {
  readonly number: number;
  readonly version: number;
  readonly state: 'building' | 'live';
  readonly position: string | null;
  readonly stopped_position: string | null;
  readonly collections: string;
}

const HELD = `${OF_GENERATION} AND owner = @owner`;

const createTable = ({ name, indexes, within }: Collection, generation: number) => {
  const table = tableOf(name, generation);
  const index = (on: string, by: string) => `CREATE INDEX "${name}_${generation}_${on}" ON ${table} (${by});`;
  const followed = within === undefined ? indexedColumnsOf(indexes) : [within];
  // The body comes last: to read a column behind it, SQLite would go through all pages of a long body.
  return `
    CREATE TABLE ${table} (
      id TEXT PRIMARY KEY, revision INTEGER NOT NULL, position TEXT NOT NULL, created TEXT NOT NULL,
      ${columnsOf(indexes)
        .map((column) => `"x_${column}" TEXT NOT NULL, `)
        .join('')}body TEXT NOT NULL
    ) STRICT;
    ${within === undefined ? index('created', 'created') : ''}
    ${followed.map((column) => index(column, `"x_${column}", created`)).join('\n')}
    ${listsOf(indexes)
      .map((field) => createValuesTable(name, generation, field))
      .join('\n')}`;
};

const createValuesTable = (name: string, generation: number, field: string) => {
  const table = valuesTableOf(name, generation, field);
  return `
    CREATE TABLE ${table} (
      id TEXT NOT NULL, value TEXT NOT NULL, created TEXT NOT NULL, PRIMARY KEY (id, value)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX "${name}_${generation}_${field}_values" ON ${table} (value, created, id);`;
};

const statementsOf = (db: Database) => ({
  generations: db.prepare<[string], GenerationRow>(
    `SELECT number, version, state, position, stopped_position, collections
     FROM generations WHERE projection = ? ORDER BY number`,
  ),
  insertGeneration: db.prepare(
    `INSERT INTO generations (projection, number, version, state, collections)
     VALUES (@projection, @number, @version, @state, @collections)`,
  ),
  leased: db.prepareValue<[object], number>(`SELECT 1 FROM generations WHERE ${HELD}`),
  advance: db.prepare(
    `UPDATE generations SET position = @position
     WHERE ${OF_GENERATION} AND (position IS NULL OR position < @position)`,
  ),
  take: db.prepare(
    `UPDATE generations SET owner = @owner, lease_until = @until
     WHERE ${OF_GENERATION} AND (lease_until < @now OR owner IS NULL OR owner = @owner)`,
  ),
  prolong: db.prepare(`UPDATE generations SET lease_until = @until WHERE ${HELD}`),
  letGo: db.prepare(`UPDATE generations SET owner = NULL, lease_until = 0 WHERE ${HELD}`),
  stop: db.prepare(
    `UPDATE generations SET stopped_position = @position, stopped_reason = @reason WHERE ${OF_GENERATION}`,
  ),
  /** The tables whose names begin with a text. */
  tablesNamed: db.prepareValue<[object], string>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, length(@start)) = @start",
  ),
  makeLive: db.prepare("UPDATE generations SET state = 'live' WHERE projection = ? AND number = ?"),
  forget: db.prepare('DELETE FROM generations WHERE projection = ? AND number = ?'),
});

/** The operations of the views engine. */
export class ViewsOperations {
  readonly #db: Database;
  readonly #statements: ReturnType<typeof statementsOf>;
  readonly #prepared: ReturnType<typeof preparedOnce>;

  constructor(db: Database) {
    this.#db = db;
    // The personal data of an erased person must not stay readable in free pages of the file.
    db.pragma('secure_delete = ON');
    this.#statements = statementsOf(db);
    this.#prepared = preparedOnce(db);
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
    const next = (known.at(-1)?.number ?? 0) + 1;
    return building?.number ?? this.#addGeneration(shape, next, 'building');
  }

  commit({ lease, position, tables }: CommitArgument): boolean {
    if (!this.#holds(lease)) return false;
    for (const table of tables) this.#write(table, lease.number);
    this.#statements.advance.run({ ...lease, position });
    return true;
  }

  #write({ collection, columns, rows, lists, values }: CommitArgument['tables'][number], generation: number): void {
    const table = tableOf(collection, generation);
    const upsert = this.#prepared(upsertInto(table, columns));
    const listed = lists.map((field) => this.#listStatements(table, valuesTableOf(collection, generation, field)));
    for (const [index, row] of rows.entries()) {
      if (upsert.run(...row).changes === 0) continue;
      for (const [place, list] of listed.entries()) replaceValues(list, row[0], values[index]?.[place]);
    }
  }

  acquire(argument: AcquireArgument): boolean {
    const { ttlMs, ...rest } = argument;
    const now = Date.now();
    return this.#statements.take.run({ ...rest, now, until: now + ttlMs }).changes === 1;
  }

  renew({ lease, ttlMs }: { lease: Lease; ttlMs: number }): boolean {
    return this.#statements.prolong.run({ ...lease, until: Date.now() + ttlMs }).changes === 1;
  }

  release(lease: Lease): void {
    this.#statements.letGo.run(lease);
  }

  promote({ lease, foreign }: { lease: Lease; foreign: Position | undefined }): boolean {
    if (!this.#holds(lease)) return false;
    const { projection, number } = lease;
    const known = this.#statements.generations.all(projection);
    const live = known.find(({ state }) => state === 'live')?.position ?? '';
    const wanted = live === foreign ? '' : live;
    const own = known.find((row) => row.number === number);
    if (own === undefined || own.stopped_position !== null || (own.position ?? '') < wanted) return false;
    const others = known.filter((row) => row.number !== number);
    for (const other of others.filter((row) => isReplaced(row, own.version))) this.#drop(projection, other);
    this.#statements.makeLive.run(projection, number);
    return true;
  }

  setStopped({ by, stopped }: { by: Generation | Lease; stopped: Checkpoint['stopped'] }): void {
    if ('owner' in by && !this.#holds(by)) return;
    const { position, reason } = stopped ?? { position: null, reason: null };
    this.#statements.stop.run({ ...by, position, reason });
  }

  #holds(lease: Lease): boolean {
    return this.#statements.leased.get(lease) !== undefined;
  }

  #addGeneration({ name: projection, version, collections }: ProjectionShape, number: number, state: string): number {
    const row = { projection, number, version, state, collections: JSON.stringify(collections) };
    this.#statements.insertGeneration.run(row);
    for (const collection of collections) this.#db.exec(createTable(collection, number));
    return number;
  }

  #drop(projection: string, { number, collections }: GenerationRow): void {
    for (const { name } of JSON.parse(collections) as Collection[]) {
      this.#db.exec(`DROP TABLE ${tableOf(name, number)}`);
      // Another version of the code may have made tables that this version does not know.
      for (const table of this.#statements.tablesNamed.all({ start: `${name}_${number}_` }))
        this.#db.exec(`DROP TABLE "${table}"`);
    }
    this.#statements.forget.run(projection, number);
  }

  #listStatements(table: string, valuesTable: string): ListStatements {
    return {
      known: this.#prepared<{ readonly value: string }>(`SELECT value FROM ${valuesTable} WHERE id = ?`),
      clear: this.#prepared(`DELETE FROM ${valuesTable} WHERE id = ?`),
      // `created` is copied from the document, so that the rows of a value are in the order of lists.
      add: this.#prepared(
        `INSERT OR IGNORE INTO ${valuesTable} (value, id, created) SELECT ?, id, created FROM ${table} WHERE id = ?`,
      ),
    };
  }
}

const upsertInto = (table: string, fields: readonly string[]): string => {
  const columns = fields.map((field) => `"x_${field}"`);
  const all = ['id', 'body', 'revision', 'position', 'created', ...columns];
  const changing = ['body', 'revision', 'position', ...columns];
  return `INSERT INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})
    ON CONFLICT (id) DO UPDATE SET ${changing.map((column) => `${column} = excluded.${column}`).join(', ')}
    WHERE excluded.position > ${table}.position`;
};

interface ListStatements {
  readonly known: Statement<Values, { readonly value: string }>;
  readonly clear: Statement;
  readonly add: Statement;
}

const replaceValues = ({ known, clear, add }: ListStatements, id: unknown, values: readonly string[] = []): void => {
  // Most changes of a document leave its lists as they were, and a row that is written again costs its pages again.
  const before = new Set(known.all(id).map(({ value }) => value));
  const after = new Set(values);
  if (before.size === after.size && [...after].every((value) => before.has(value))) return;
  clear.run(id);
  for (const value of values) add.run(value, id);
};

/** Makes the operations of the views engine. */
export const operationsOf = (db: Database): ViewsOperations => new ViewsOperations(db);
