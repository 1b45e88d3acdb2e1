// What the views engine does on its writing connection, in the writer thread.
import type { Position } from '../facts/facts.js';
import type { Database, Statement } from '../sqlite/database.js';
import type { Attendant, Checkpoint, Collection, Generation, Indexes, Lease, ProjectionShape } from './views.js';

/** The table that holds a collection's documents in one generation. */
export const tableOf = (collection: string, generation: number): string => `"${collection}_${generation}"`;

/** The table that holds the values of a field with a list: a row for each value of each document. */
export const valuesTableOf = (collection: string, generation: number, field: string): string =>
  `"${collection}_${generation}_${field}"`;

/** The fields of one text each, which are columns, and those of a list, which are tables. */
export const fieldsOf = (indexes: Indexes) => ({
  columns: Object.keys(indexes).filter((field) => indexes[field] !== 'contains'),
  lists: Object.keys(indexes).filter((field) => indexes[field] === 'contains'),
});

/** A part of a generation, or all of it, as the columns that name it. */
export const partOf = ({ projection, number, partition }: Generation) => ({
  projection,
  number,
  part: partition?.index ?? 0,
  parts: partition?.of ?? 1,
});

/** The row of what `partOf` names; one of another number of parts is none of it. */
export const OF_PART = 'projection = @projection AND number = @number AND part = @part AND parts = @parts';

/** A batch as it crosses to the writer thread: the columns of its collections, and rows in their order. */
export interface CommitArgument {
  readonly lease: Lease;
  readonly position: string;
  readonly tables: readonly {
    readonly collection: string;
    readonly indexed: readonly string[];
    /** id, body, revision, position, created, then one value for each indexed column. */
    readonly rows: readonly (string | number | null)[][];
    /** The fields with lists, and for each row the values of each of them. */
    readonly listed: readonly string[];
    readonly values: readonly (readonly (readonly string[])[])[];
  }[];
}

export interface AcquireArgument extends Generation {
  readonly owner: string;
  readonly ttlMs: number;
  /** The owner that is known to have died: its lease is free before its time. */
  readonly dead: string | undefined;
}

/** A new generation as it crosses to the writer thread. */
export interface StartArgument {
  readonly shape: ProjectionShape;
  /** In how many parts it is built. */
  readonly partitions: number;
}

interface GenerationRow {
  readonly number: number;
  readonly part: number;
  readonly version: number;
  readonly state: 'building' | 'live';
  readonly position: string | null;
  readonly stopped_position: string | null;
  readonly collections: string;
}

// The lease is held while owner and epoch stand.
const HELD = `${OF_PART} AND owner = @owner AND epoch = @epoch`;

const createTable = ({ name, indexes }: Collection, generation: number) => {
  const table = tableOf(name, generation);
  const { columns, lists } = fieldsOf(indexes);
  const index = (on: string, by: string) => `CREATE INDEX "${name}_${generation}_${on}" ON ${table} (${by});`;
  return `
    CREATE TABLE ${table} (
      id TEXT PRIMARY KEY, body TEXT NOT NULL, revision INTEGER NOT NULL, position TEXT NOT NULL, created TEXT NOT NULL
      ${columns.map((column) => `, "x_${column}" TEXT NOT NULL`).join('')}
    ) STRICT;
    ${index('created', 'created')}
    ${columns.map((column) => index(column, `"x_${column}", created`)).join('\n')}
    ${lists.map((field) => createValuesTable(name, generation, field)).join('\n')}`;
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
    `SELECT number, part, version, state, position, stopped_position, collections
     FROM generations WHERE projection = ? ORDER BY number, part`,
  ),
  insertGeneration: db.prepare(
    `INSERT INTO generations (projection, number, part, parts, version, state, collections)
     VALUES (@projection, @number, @part, @parts, @version, @state, @collections)`,
  ),
  leased: db.prepare<[object], number>(`SELECT 1 FROM generations WHERE ${HELD}`).pluck(),
  advance: db.prepare(
    `UPDATE generations SET position = @position
     WHERE ${OF_PART} AND (position IS NULL OR position < @position)`,
  ),
  take: db
    .prepare<[object], number>(
      `UPDATE generations SET owner = @owner, epoch = epoch + 1, lease_until = @until
       WHERE ${OF_PART} AND (lease_until < @now OR owner IS NULL OR owner = @owner OR owner = @dead)
       RETURNING epoch`,
    )
    .pluck(),
  prolong: db.prepare(`UPDATE generations SET lease_until = @until WHERE ${HELD}`),
  letGo: db.prepare(`UPDATE generations SET owner = NULL, lease_until = 0 WHERE ${HELD}`),
  stop: db.prepare(`UPDATE generations SET stopped_position = @position, stopped_reason = @reason WHERE ${OF_PART}`),
  makeLive: db.prepare("UPDATE generations SET state = 'live' WHERE projection = ? AND number = ?"),
  joinParts: db.prepare(
    `UPDATE generations SET parts = 1, position = @position, owner = NULL, lease_until = 0
     WHERE projection = @projection AND number = @number AND part = 0`,
  ),
  forgetParts: db.prepare('DELETE FROM generations WHERE projection = ? AND number = ? AND part > 0'),
  forget: db.prepare('DELETE FROM generations WHERE projection = ? AND number = ?'),
  forgetAbsent: db.prepare('DELETE FROM workers WHERE until < ?'),
  attend: db.prepare('INSERT OR REPLACE INTO workers (owner, work, until) VALUES (@owner, @work, @until)'),
  attending: db.prepare<[string], string>('SELECT owner FROM workers WHERE work = ? ORDER BY owner').pluck(),
  leave: db.prepare('DELETE FROM workers WHERE owner = ?'),
});

class ViewsOperations {
  readonly #db: Database;
  readonly #statements: ReturnType<typeof statementsOf>;
  readonly #upserts = new Map<string, Statement>();
  readonly #values = new Map<string, ListStatements>();

  constructor(db: Database) {
    this.#db = db;
    // What an erased person's documents held must not stay readable in free pages of the file.
    db.pragma('secure_delete = ON');
    this.#statements = statementsOf(db);
  }

  prepare({ shape, partitions }: StartArgument): void {
    const known = this.#statements.generations.all(shape.name);
    const newest = Math.max(0, ...known.map(({ version }) => version));
    if (known.length === 0) this.#addGeneration({ shape, partitions: 1 }, 1, 'live');
    else if (newest < shape.version) this.startGeneration({ shape, partitions });
  }

  startGeneration({ shape, partitions }: StartArgument): number {
    const known = this.#statements.generations.all(shape.name);
    const building = known.find(({ state, version }) => state === 'building' && version === shape.version);
    const next = (known.at(-1)?.number ?? 0) + 1;
    return building?.number ?? this.#addGeneration({ shape, partitions }, next, 'building');
  }

  commit({ lease, position, tables }: CommitArgument): boolean {
    if (!this.#holds(lease)) return false;
    for (const table of tables) this.#write(table, lease.number);
    this.#statements.advance.run({ ...partOf(lease), position });
    return true;
  }

  #write({ collection, indexed, rows, listed, values }: CommitArgument['tables'][number], generation: number): void {
    const upsert = this.#upsertInto(tableOf(collection, generation), indexed);
    const lists = listed.map((field) => this.#valuesOf(collection, generation, field));
    for (const [index, row] of rows.entries()) {
      if (upsert.run(...row).changes === 0) continue;
      for (const [place, list] of lists.entries()) replaceValues(list, row[0], values[index]?.[place]);
    }
  }

  acquire(argument: AcquireArgument): number | undefined {
    const { owner, ttlMs, dead = null } = argument;
    const now = Date.now();
    return this.#statements.take.get({ ...partOf(argument), owner, dead, now, until: now + ttlMs });
  }

  renew({ lease, ttlMs }: { lease: Lease; ttlMs: number }): boolean {
    return this.#statements.prolong.run({ ...heldBy(lease), until: Date.now() + ttlMs }).changes === 1;
  }

  release(lease: Lease): void {
    this.#statements.letGo.run(heldBy(lease));
  }

  attend({ worker, ttlMs }: { worker: Attendant; ttlMs: number }): readonly string[] {
    const now = Date.now();
    this.#statements.forgetAbsent.run(now);
    this.#statements.attend.run({ ...worker, until: now + ttlMs });
    return this.#statements.attending.all(worker.work);
  }

  leave(owner: string): void {
    this.#statements.leave.run(owner);
  }

  promote({ lease, foreign }: { lease: Lease; foreign: Position | undefined }): boolean {
    if (!this.#holds(lease)) return false;
    const { projection, number, partition } = lease;
    const known = this.#statements.generations.all(projection);
    const live = known.find(({ state }) => state === 'live')?.position ?? '';
    const wanted = live === foreign ? '' : live;
    const parts = known.filter((other) => other.number === number);
    if (!parts.every(({ position, stopped_position }) => (position ?? '') >= wanted && stopped_position === null)) {
      return false;
    }
    for (const other of known.filter((row) => row.number !== number && row.part === 0)) this.#drop(projection, other);
    if (partition !== undefined) this.#join(lease, parts);
    this.#statements.makeLive.run(projection, number);
    return true;
  }

  setStopped({ by, stopped }: { by: Generation | Lease; stopped: Checkpoint['stopped'] }): void {
    if ('epoch' in by && !this.#holds(by)) return;
    const { position, reason } = stopped ?? { position: null, reason: null };
    this.#statements.stop.run({ ...partOf(by), position, reason });
  }

  #holds(lease: Lease): boolean {
    return this.#statements.leased.get(heldBy(lease)) !== undefined;
  }

  // A row that names nobody: every lease of a part is lost by it.
  #join({ projection, number }: Lease, parts: readonly GenerationRow[]): void {
    const [least = null] = parts.map(({ position }) => position).toSorted((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1));
    this.#statements.joinParts.run({ projection, number, position: least });
    this.#statements.forgetParts.run(projection, number);
  }

  #addGeneration({ shape, partitions }: StartArgument, number: number, state: string): number {
    const { name: projection, version, collections } = shape;
    for (let index = 0; index < partitions; index += 1) {
      const part = partOf({ projection, number, partition: { index, of: partitions } });
      this.#statements.insertGeneration.run({ ...part, version, state, collections: JSON.stringify(collections) });
    }
    for (const collection of collections) this.#db.exec(createTable(collection, number));
    return number;
  }

  #drop(projection: string, { number, collections }: GenerationRow): void {
    for (const { name, indexes } of JSON.parse(collections) as Collection[]) {
      this.#upserts.delete(tableOf(name, number));
      this.#db.exec(`DROP TABLE ${tableOf(name, number)}`);
      for (const field of fieldsOf(indexes).lists) {
        const table = valuesTableOf(name, number, field);
        this.#values.delete(table);
        this.#db.exec(`DROP TABLE ${table}`);
      }
    }
    this.#statements.forget.run(projection, number);
  }

  #valuesOf(collection: string, generation: number, field: string) {
    const table = valuesTableOf(collection, generation, field);
    const known = this.#values.get(table) ?? {
      clear: this.#db.prepare(`DELETE FROM ${table} WHERE id = ?`),
      // `created` is the document's own, so that the rows of a value are in the order of lists.
      add: this.#db.prepare(
        `INSERT OR IGNORE INTO ${table} (id, value, created)
         SELECT id, ?, created FROM ${tableOf(collection, generation)} WHERE id = ?`,
      ),
    };
    this.#values.set(table, known);
    return known;
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

interface ListStatements {
  readonly clear: Statement;
  readonly add: Statement;
}

const replaceValues = ({ clear, add }: ListStatements, id: unknown, values: readonly string[] = []): void => {
  clear.run(id);
  for (const value of values) add.run(value, id);
};
const heldBy = (lease: Lease) => ({ ...partOf(lease), owner: lease.owner, epoch: lease.epoch });

/** The operations of the views engine. */
export const operationsOf = (db: Database): ViewsOperations => new ViewsOperations(db);
