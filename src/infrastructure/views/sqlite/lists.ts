// The SQL of lists. A statement fixes the index that SQLite follows, so that a page costs the same in a large table as
// in a small one: the planner has no statistics, and follows any filter as readily as the selective one.

import type { Bound, Collection, Index, ListQuery } from '../views.js';
import { tableOf, valuesTableOf } from './tables.js';

export interface Selection {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

type Filters = Pick<ListQuery, 'where' | 'bounds'>;

interface Filtered {
  readonly query: Filters;
  readonly collection: Collection;
  readonly generation: number;
  /** The index that is followed; undefined to follow the order of creation. */
  readonly leading: Index | undefined;
}

interface Listing extends Filtered {
  readonly query: Filters & Pick<ListQuery, 'order' | 'after'>;
}

/** The maximum number of documents to sort for a page. Sorting them takes less than a millisecond. */
export const MAX_SORTED = 500;

export const selectionOf = (listing: Listing, limit: number): Selection => {
  const { sql, values } = rowsOf(listing, limit, 'body');
  // SQLite joins the documents to one text, which takes less time of this thread than creating a string for each.
  // SQLite keeps the order of the subquery because of the LIMIT (an ORDER BY within group_concat would sort the texts
  // again).
  const json = `'[' || coalesce(group_concat(body, ','), '') || ']'`;
  return { sql: `SELECT ${json} AS json, coalesce(group_concat(created), '') AS places FROM (${sql})`, values };
};

/** Selects the sizes of the documents in bytes, as one text. SQLite knows them without reading the documents. */
export const sizesOf = (listing: Listing, limit: number): Selection => {
  const { sql, values } = rowsOf(listing, limit, 'octet_length(body) AS size');
  return { sql: `SELECT coalesce(group_concat(size), '') AS sizes FROM (${sql})`, values };
};

export const countOf = (filtered: Filtered): Selection => {
  const { from, conditions } = matchesOf(filtered);
  return { sql: `SELECT count(*) AS found FROM ${from}${whereOf(conditions)}`, values: valuesOf(conditions) };
};

/** Returns the indexes that a list has a value for, in the order in which it tries them. */
export const candidatesOf = (query: Filters, { indexes }: Collection): readonly Index[] => {
  const filtered = new Set([...Object.keys(query.where), ...(query.bounds ?? []).map(({ field }) => field)]);
  return indexes.filter(({ field, within = field }) => filtered.has(field) && filtered.has(within));
};

/** Returns whether the documents of an index must be sorted, because it has them in another order than the list. */
export const isRange = ({ kind }: Index): boolean => kind === 'prefix' || kind === 'ordered';

/** Counts the documents that the bounds of an index find, up to one more than may be sorted. */
export const rangedOf = ({ query, collection, generation }: Omit<Filtered, 'leading'>, { field }: Index): Selection => {
  const conditions = (query.bounds ?? []).flatMap((bound) => (bound.field === field ? [compared(bound)] : []));
  const matches = `SELECT 1 FROM ${tableOf(collection.name, generation)}${whereOf(conditions)} LIMIT ?`;
  return { sql: `SELECT count(*) AS found FROM (${matches})`, values: [...valuesOf(conditions), MAX_SORTED + 1] };
};

const ORDERS = {
  'oldest-first': { direction: 'ASC', beyond: '>' },
  'newest-first': { direction: 'DESC', beyond: '<' },
} as const;

const rowsOf = (listing: Listing, limit: number, column: string): Selection => {
  const { query, collection, generation, leading } = listing;
  const { from, created, conditions } = matchesOf(listing);
  const { direction, beyond } = ORDERS[query.order];
  const isSorted = leading !== undefined && isRange(leading);
  const place = isSorted ? `+${created}` : created;
  const all =
    query.after === undefined ? conditions : [...conditions, { sql: `${place} ${beyond} ?`, values: [query.after] }];
  const page = `FROM ${from}${whereOf(all)} ORDER BY ${place} ${direction} LIMIT ?`;
  if (!isSorted) return { sql: `SELECT ${column}, ${created} ${page}`, values: [...valuesOf(all), limit] };
  // Of the sorted documents, only those on the page are read completely.
  const table = tableOf(collection.name, generation);
  const found = `SELECT ${column}, created FROM ${table} WHERE rowid IN (SELECT documents.rowid ${page})`;
  return { sql: `${found} ORDER BY +created ${direction} LIMIT ?`, values: [...valuesOf(all), limit, limit] };
};

/**
 * Returns the documents of a list: an index has the documents of the leading filter in the order of creation, or all
 * documents. The other filters are checked document by document.
 */
const matchesOf = ({ query, collection, generation, leading }: Filtered) => {
  const documents = `${tableOf(collection.name, generation)} AS documents`;
  const valuesOfField = (field: string) => `${valuesTableOf(collection.name, generation, field)} AS ${joined(field)}`;
  const lists = collection.indexes.flatMap(({ field, kind }) => (kind === 'contains' ? [field] : []));
  const others = lists.filter((field) => field !== leading?.field && Object.hasOwn(query.where, field));
  const ofOthers = others.map((field) => `${valuesOfField(field)} ON ${joined(field)}.id = documents.id`);
  const list = leading?.kind === 'contains' ? leading.field : undefined;
  const first =
    list === undefined ? [documents] : [valuesOfField(list), `${documents} ON documents.id = ${joined(list)}.id`];
  return {
    // SQLite does not change the order of a CROSS JOIN
    // (https://www.sqlite.org/lang_select.html#side_note_special_handling_of_cross_join_).
    from: [...first, ...ofOthers].join(' CROSS JOIN '),
    created: `${list === undefined ? 'documents' : joined(list)}.created`,
    conditions: conditionsOf(query, lists, leading),
  };
};

const conditionsOf = (query: Filters, lists: readonly string[], leading: Index | undefined): readonly Selection[] => {
  // SQLite follows no index for a column with a plus sign
  // (https://www.sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_).
  const followed = [leading?.field, leading?.within];
  const tableOfColumn = (field: string) => `${followed.includes(field) ? '' : '+'}documents.`;
  return [
    ...Object.entries(query.where).map(([field, value]) => ({
      sql: `${lists.includes(field) ? `${joined(field)}.value` : `${tableOfColumn(field)}"x_${field}"`} = ?`,
      values: [value],
    })),
    ...(query.bounds ?? []).map((bound) => compared(bound, tableOfColumn(bound.field))),
  ];
};

const OPERATORS = { atLeast: '>=', above: '>', atMost: '<=', below: '<' } as const;

const compared = ({ field, is, value }: Bound, table = ''): Selection => ({
  sql: `${table}"x_${field}" ${OPERATORS[is]} ?`,
  values: [value],
});

const joined = (field: string): string => `"in_${field}"`;

const whereOf = (conditions: readonly Selection[]): string =>
  conditions.length === 0 ? '' : ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;

const valuesOf = (conditions: readonly Selection[]): Selection['values'] => conditions.flatMap(({ values }) => values);
