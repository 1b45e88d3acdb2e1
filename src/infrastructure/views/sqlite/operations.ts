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

interface CommitArgument extends Pick<ChangeArgument, 'projection'> {
  readonly argument: ArgumentOf<'advance'>;
  readonly writes: readonly DocumentWrite[];
}

type Prepared = ReturnType<typeof preparedOnce>;

export type ViewsOperations = ReturnType<typeof operationsOf>;

export const operationsOf = (db: Database) => {
  // The personal data of an erased person must not stay readable in free pages of the file.
  db.pragma('secure_delete = ON');
  const record = db.prepareValue<[string], string>('SELECT control FROM projections WHERE name = ?');
  const save = db.prepare<[string, string]>('INSERT OR REPLACE INTO projections (name, control) VALUES (?, ?)');
  const prepared = preparedOnce(db);

  /** Changes the tables of the generations together with the record. Returns undefined if the change is refused. */
  const change = ({ projection, name, argument }: ChangeArgument): Control | undefined => {
    const stored = record.get(projection);
    const before = stored === undefined ? undefined : (JSON.parse(stored) as Control);
    const after = changed(name, before, argument, Date.now());
    if (after === undefined) return undefined;
    changeTables(db, before, after);
    if (after !== before) save.run(projection, JSON.stringify(after));
    return after;
  };

  /** Sets a checkpoint and writes its documents. Returns false, and does nothing, if the checkpoint is refused. */
  const commit = ({ projection, argument, writes }: CommitArgument): boolean => {
    const after = change({ projection, name: 'advance', argument });
    for (const collection of after?.generations[argument.number]?.collections ?? []) {
      const own = writes.filter((write) => write.collection === collection.name);
      if (own.length > 0) writeInto(collection, argument.number, own, prepared);
    }
    return after !== undefined;
  };

  return { change, commit };
};

const changeTables = (db: Database, before: Control | undefined, after: Control): void => {
  for (const added of collectionsOf(after, before)) db.exec(createTables(added, added.number));
  const removed = collectionsOf(before, after);
  if (removed.length === 0) return;
  // To overwrite dropped tables takes twenty times as long, and no read model could commit meanwhile. An erasure ends after
  // every generation has dropped the person, and then the file is rewritten, so no dropped table keeps an erased person.
  db.pragma('secure_delete = FAST');
  try {
    for (const each of removed) db.exec(dropTables(each, each.number));
  } finally {
    db.pragma('secure_delete = ON');
  }
};

const writeInto = (
  { name, indexes }: StoredCollection,
  generation: number,
  writes: readonly DocumentWrite[],
  prepared: Prepared,
): void => {
  const table = tableOf(name, generation);
  const columns = columnsOf(indexes);
  const upsert = prepared(upsertInto(table, columns));
  const lists = listsOf(indexes).map((field) => ({
    field,
    tables: { table, values: valuesTableOf(name, generation, field) },
  }));
  for (const { id, body, revision, position, created, index } of writes) {
    const texts = columns.map((field) => String(index[field] ?? ''));
    if (upsert.run(id, body, revision, position, created, ...texts).changes === 0) continue;
    for (const { field, tables } of lists) writeValues(tables, id, valuesOf(index[field]), prepared);
  }
};

const writeValues = (
  { table, values }: Readonly<Record<'table' | 'values', string>>,
  id: string,
  given: readonly string[],
  prepared: Prepared,
): void => {
  // Most changes of a document leave its lists as they were, and a row that is written again costs its pages again.
  const known = prepared<{ readonly value: string }>(`SELECT value FROM ${values} WHERE id = ?`).all(id);
  const before = new Set(known.map(({ value }) => value));
  const after = new Set(given);
  if (before.size === after.size && [...after].every((value) => before.has(value))) return;
  prepared(`DELETE FROM ${values} WHERE id = ?`).run(id);
  // `created` is copied from the document, so that the rows of a value are in the order of lists.
  const add = prepared(`INSERT INTO ${values} (value, id, created) SELECT ?, id, created FROM ${table} WHERE id = ?`);
  for (const value of after) add.run(value, id);
};

const upsertInto = (table: string, fields: readonly string[]): string => {
  const columns = fields.map((field) => `"x_${field}"`);
  const all = ['id', 'body', 'revision', 'position', 'created', ...columns];
  const changing = ['body', 'revision', 'position', ...columns];
  return `INSERT INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})
    ON CONFLICT (id) DO UPDATE SET ${changing.map((column) => `${column} = excluded.${column}`).join(', ')}
    WHERE excluded.position > ${table}.position`;
};

const valuesOf = (indexed: Indexed = []): readonly string[] => (typeof indexed === 'string' ? [indexed] : indexed);
