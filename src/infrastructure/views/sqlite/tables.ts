// The tables of the views: one for each collection and generation, and one for each field with a list.
import type { StoredCollection } from '../views.js';

type Indexes = StoredCollection['indexes'];

// Increase the version if the schema changes. A file of another version is emptied: read models can be rebuilt.
export const SCHEMA = {
  version: 7,
  statements: 'CREATE TABLE projections (name TEXT PRIMARY KEY, control TEXT NOT NULL) STRICT, WITHOUT ROWID;',
};

export const tableOf = (collection: string, generation: number): string => `"${collection}_${generation}"`;

/** The table of the values of a field with a list has a row for each value of each document. */
export const valuesTableOf = (collection: string, generation: number, field: string): string =>
  `"${collection}_${generation}_${field}"`;

export const listsOf = (indexes: Indexes): readonly string[] =>
  Object.keys(indexes).filter((field) => indexes[field] === 'contains');

export const columnsOf = (indexes: Indexes): readonly string[] =>
  Object.keys(indexes).filter((field) => indexes[field] !== 'contains');

export const createTables = ({ name, indexes, within = {} }: StoredCollection, generation: number): string => {
  const table = tableOf(name, generation);
  const columns = columnsOf(indexes).map((field) => ({ field, column: `"x_${field}"` }));
  // Every index has the ordered fields, so that bounds are compared without reading the documents.
  const ordered = columns.filter(({ field }) => indexes[field] === 'ordered').map(({ column }) => column);
  const index = (on: string, ...by: readonly string[]) =>
    `CREATE INDEX "${name}_${generation}_${on}" ON ${table} (${[...new Set([...by, ...ordered])].join(', ')});`;
  const values = listsOf(indexes).map((field) => createValuesTable(name, generation, field));
  // The body comes last: to read a column behind it, SQLite would go through all pages of a long body.
  return `
    CREATE TABLE ${table} (
      id TEXT PRIMARY KEY, revision INTEGER NOT NULL, position TEXT NOT NULL, created TEXT NOT NULL,
      ${columns.map(({ column }) => `${column} TEXT NOT NULL, `).join('')}body TEXT NOT NULL
    ) STRICT;
    ${Object.keys(indexes).length > 0 ? index('created', 'created') : ''}
    ${columns.map(({ field, column }) => index(field, `"x_${within[field] ?? field}"`, column, 'created')).join('\n')}
    ${values.join('\n')}`;
};

export const dropTables = ({ name, indexes }: StoredCollection, generation: number): string => {
  const values = listsOf(indexes).map((field) => valuesTableOf(name, generation, field));
  return [tableOf(name, generation), ...values].map((table) => `DROP TABLE ${table};`).join('\n');
};

const createValuesTable = (name: string, generation: number, field: string) => {
  const table = valuesTableOf(name, generation, field);
  return `
    CREATE TABLE ${table} (
      id TEXT NOT NULL, value TEXT NOT NULL, created TEXT NOT NULL, PRIMARY KEY (id, value)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX "${name}_${generation}_${field}_values" ON ${table} (value, created, id);`;
};
