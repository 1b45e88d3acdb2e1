// The operations of the views engine on its writing connection, in the writer thread.
import { preparedOnce } from '../../sqlite/database.js';
import type { Database } from '../../sqlite/driver.js';
import { type ArgumentOf, type ChangeName, type Control, changed, collectionsOf } from '../control.js';
import type { DocumentWrite, Indexed, StoredCollection } from '../views.js';
import { columnsOf, createTables, dropTables, listsOf, tableOf, valuesTableOf } from './tables.js';

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

  /** Changes the tables of the generations together with the record. Returns undefined if the change is refused. */
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

  #write({ name, indexes }: StoredCollection, generation: number, writes: readonly DocumentWrite[]): void {
    const table = tableOf(name, generation);
    const columns = columnsOf(indexes);
    const upsert = this.#prepared(upsertInto(table, columns));
    const lists = listsOf(indexes);
    for (const { id, body, revision, position, created, index } of writes) {
      const texts = columns.map((field) => String(index[field] ?? ''));
      if (upsert.run(id, body, revision, position, created, ...texts).changes === 0) continue;
      for (const field of lists)
        this.#writeValues(table, valuesTableOf(name, generation, field), id, valuesOf(index[field]));
    }
  }

  #writeValues(table: string, valuesTable: string, id: string, values: readonly string[]): void {
    // Most changes of a document leave its lists as they were, and a row that is written again costs its pages again.
    const known = this.#prepared<{ readonly value: string }>(`SELECT value FROM ${valuesTable} WHERE id = ?`).all(id);
    const before = new Set(known.map(({ value }) => value));
    const after = new Set(values);
    if (before.size === after.size && [...after].every((value) => before.has(value))) return;
    this.#prepared(`DELETE FROM ${valuesTable} WHERE id = ?`).run(id);
    // `created` is copied from the document, so that the rows of a value are in the order of lists.
    const add = this.#prepared(
      `INSERT INTO ${valuesTable} (value, id, created) SELECT ?, id, created FROM ${table} WHERE id = ?`,
    );
    for (const value of after) add.run(value, id);
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

const valuesOf = (indexed: Indexed = []): readonly string[] => (typeof indexed === 'string' ? [indexed] : indexed);

export const operationsOf = (db: Database): ViewsOperations => new ViewsOperations(db);
