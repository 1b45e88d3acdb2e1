// The operations of the views engine on its writing connection, in the writer thread.
import { preparedOnce } from '../../sqlite/database.js';
import type { Database, Statement, Values } from '../../sqlite/driver.js';
import { type ArgumentOf, type ChangeName, type Control, changed, collectionsOf } from '../control.js';
import type { Collection, DocumentWrite, Indexed } from '../views.js';
import { columnsOf, createTables, dropTables, listsOf, tableOf, valuesTableOf } from './tables.js';

/** A change of the record of a projection. */
interface ChangeArgument {
  readonly projection: string;
  readonly name: ChangeName;
  readonly argument: ArgumentOf<ChangeName>;
}

interface CommitArgument {
  readonly projection: string;
  readonly argument: ArgumentOf<'advance'>;
  readonly writes: readonly DocumentWrite[];
}

/** The operations of the views engine. */
export class ViewsOperations {
  readonly #db: Database;
  readonly #record;
  readonly #save;
  readonly #prepared: ReturnType<typeof preparedOnce>;

  constructor(db: Database) {
    this.#db = db;
    // The personal data of an erased person must not stay readable in free pages of the file.
    db.pragma('secure_delete = ON');
    this.#record = db.prepareValue<[string], string>('SELECT control FROM projections WHERE name = ?');
    this.#save = db.prepare<[string, string]>('INSERT OR REPLACE INTO projections (name, control) VALUES (?, ?)');
    this.#prepared = preparedOnce(db);
  }

  /**
   * Changes the record of a projection, and the tables of its generations with it. Returns the new record; undefined if
   * the change is refused.
   */
  change({ projection, name, argument }: ChangeArgument): Control | undefined {
    const stored = this.#record.get(projection);
    const before = stored === undefined ? undefined : (JSON.parse(stored) as Control);
    const after = changed(name, before, argument, Date.now());
    if (after === undefined) return undefined;
    for (const collection of collectionsOf(after, before)) this.#db.exec(createTables(collection, collection.number));
    for (const collection of collectionsOf(before, after)) this.#db.exec(dropTables(collection, collection.number));
    if (after !== before) this.#save.run(projection, JSON.stringify(after));
    return after;
  }

  /** Sets a checkpoint and writes its documents. Returns false, and does nothing, if the checkpoint is refused. */
  commit({ projection, argument, writes }: CommitArgument): boolean {
    const after = this.change({ projection, name: 'advance', argument });
    for (const collection of after?.generations[argument.number]?.collections ?? []) {
      const own = writes.filter((write) => write.collection === collection.name);
      if (own.length > 0) this.#write(collection, argument.number, own);
    }
    return after !== undefined;
  }

  #write({ name, indexes }: Collection, generation: number, writes: readonly DocumentWrite[]): void {
    const table = tableOf(name, generation);
    const columns = columnsOf(indexes);
    const upsert = this.#prepared(upsertInto(table, columns));
    const lists = listsOf(indexes).map((field) => ({
      field,
      ...this.#listStatements(table, valuesTableOf(name, generation, field)),
    }));
    for (const { id, body, revision, position, created, index } of writes) {
      const texts = columns.map((field) => String(index[field] ?? ''));
      if (upsert.run(id, body, revision, position, created, ...texts).changes === 0) continue;
      for (const { field, ...statements } of lists) replaceValues(statements, id, valuesOf(index[field]));
    }
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

const valuesOf = (indexed: Indexed = []): readonly string[] => (typeof indexed === 'string' ? [indexed] : indexed);

const replaceValues = ({ known, clear, add }: ListStatements, id: unknown, values: readonly string[]): void => {
  // Most changes of a document leave its lists as they were, and a row that is written again costs its pages again.
  const before = new Set(known.all(id).map(({ value }) => value));
  const after = new Set(values);
  if (before.size === after.size && [...after].every((value) => before.has(value))) return;
  clear.run(id);
  for (const value of values) add.run(value, id);
};

/** Makes the operations of the views engine. */
export const operationsOf = (db: Database): ViewsOperations => new ViewsOperations(db);
