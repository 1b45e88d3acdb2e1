// How a list is asked of SQLite.
import { fieldsOf, tableOf, valuesTableOf } from './sqlite-statements.js';
import type { Indexes, ListQuery } from './views.js';

/** The statement of a list and its values, but for the last: how many rows. */
export const selectionOf = (
  { collection, where, prefix, order, after }: ListQuery,
  indexes: Indexes,
  generation: number,
): { readonly sql: string; readonly values: readonly string[] } => {
  const lists = fieldsOf(indexes).lists.filter((field) => Object.hasOwn(where, field));
  const forwards = order === 'oldest-first';
  // The rows of a value are in the order of the list, so a page of few among many documents reads only its own.
  const created = lists[0] === undefined ? 'documents.created' : `"in_${lists[0]}".created`;
  const conditions = [
    ...Object.keys(where).map((field) => `${lists.includes(field) ? `"in_${field}".value` : `"x_${field}"`} = ?`),
    ...Object.keys(prefix).map((field) => `"x_${field}" >= ? AND "x_${field}" < ?`),
    ...(after === undefined ? [] : [`${created} ${forwards ? '>' : '<'} ?`]),
  ];
  const joined = lists.map((field) => {
    const name = `"in_${field}"`;
    return `JOIN ${valuesTableOf(collection, generation, field)} AS ${name} ON ${name}.id = documents.id`;
  });
  const sql = [
    `SELECT body, documents.created FROM ${tableOf(collection, generation)} AS documents`,
    ...joined,
    ...(conditions.length === 0 ? [] : [`WHERE ${conditions.join(' AND ')}`]),
    `ORDER BY ${created} ${forwards ? 'ASC' : 'DESC'} LIMIT ?`,
  ].join(' ');
  const values = [
    ...Object.values(where),
    ...Object.values(prefix).flatMap((start) => [start, `${start}\u{10FFFF}`]),
    ...(after === undefined ? [] : [after]),
  ];
  return { sql, values };
};
