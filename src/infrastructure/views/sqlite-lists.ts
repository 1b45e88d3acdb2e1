// How a list is asked of SQLite.
import { fieldsOf, tableOf, valuesTableOf } from './sqlite-statements.js';
import type { Indexes, ListQuery } from './views.js';

interface Selection {
  readonly sql: string;
  readonly values: readonly string[];
}

/** The statement of a list and its values, but for the last: how many rows. */
export const selectionOf = (query: ListQuery, indexes: Indexes, generation: number): Selection => {
  const { from, created, conditions } = matchesOf(query, indexes, generation);
  const forwards = query.order === 'oldest-first';
  const { after } = query;
  const all = [
    ...conditions,
    ...(after === undefined ? [] : [{ sql: `${created} ${forwards ? '>' : '<'} ?`, values: [after] }]),
  ];
  const order = `ORDER BY ${created} ${forwards ? 'ASC' : 'DESC'} LIMIT ?`;
  return {
    sql: ['SELECT body, documents.created FROM', ...from, ...whereOf(all), order].join(' '),
    values: all.flatMap(({ values }) => values),
  };
};

/** The statement that counts what a list has on all of its pages, and its values. */
export const countOf = (
  query: Pick<ListQuery, 'collection' | 'where' | 'prefix'>,
  indexes: Indexes,
  generation: number,
): Selection => {
  const { from, conditions } = matchesOf(query, indexes, generation);
  return {
    sql: ['SELECT count(*) FROM', ...from, ...whereOf(conditions)].join(' '),
    values: conditions.flatMap(({ values }) => values),
  };
};

const whereOf = (conditions: readonly Selection[]): readonly string[] =>
  conditions.length === 0 ? [] : ['WHERE', conditions.map(({ sql }) => sql).join(' AND ')];

type Matched = Pick<ListQuery, 'collection' | 'where' | 'prefix' | 'during'>;

const matchesOf = ({ collection, where, prefix, during }: Matched, indexes: Indexes, generation: number) => {
  const lists = fieldsOf(indexes).lists.filter((field) => Object.hasOwn(where, field));
  const periods = Object.keys(during?.values ?? {});
  const joined = [...lists, ...periods].map((field) => {
    const name = joinOf(field);
    return `JOIN ${valuesTableOf(collection, generation, field)} AS ${name} ON ${name}.id = documents.id`;
  });
  // The rows of a value are in the order of the list, so a page of few among many documents reads only its own.
  const ordered = [...lists, ...periods].find((field) => (where[field] ?? during?.values[field]) !== undefined);
  return {
    from: [`${tableOf(collection, generation)} AS documents`, ...joined],
    created: ordered === undefined ? 'documents.created' : `${joinOf(ordered)}.created`,
    conditions: [
      ...Object.entries(where).map(([field, value]) => ({
        sql: `${lists.includes(field) ? `${joinOf(field)}.value` : `"x_${field}"`} = ?`,
        values: [value],
      })),
      ...Object.entries(prefix).map(([field, start]) => ({
        sql: `"x_${field}" >= ? AND "x_${field}" < ?`,
        values: [start, `${start}\u{10FFFF}`],
      })),
      ...(during === undefined ? [] : periods.flatMap((field) => conditionsDuring(field, during))),
    ],
  };
};

const conditionsDuring = (field: string, { instant, values }: NonNullable<ListQuery['during']>) => {
  const value = values[field];
  return [
    ...(value === undefined ? [] : [{ sql: `${joinOf(field)}.value = ?`, values: [value] }]),
    { sql: `${joinOf(field)}.since <= ? AND ${joinOf(field)}.until > ?`, values: [instant, instant] },
  ];
};

const joinOf = (field: string): string => `"in_${field}"`;
