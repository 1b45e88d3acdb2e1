// The SQL of lists. A statement fixes the index that SQLite follows, so that a page costs the same in a large table as
// in a small one: the planner has no statistics, and follows any filter as readily as the selective one.

import type { Collection, ListQuery } from '../views.js';
import { indexedColumnsOf, listsOf, tableOf, valuesTableOf } from './tables.js';

export interface Selection {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

type Filters = Pick<ListQuery, 'where' | 'prefix' | 'atMost' | 'above'>;

interface Listing {
  readonly query: Filters & Pick<ListQuery, 'order' | 'after'>;
  readonly collection: Collection;
  readonly generation: number;
  /** Whether the documents are found by the prefix and sorted: only if at most `MAX_SORTED` documents match it. */
  readonly byPrefix: boolean;
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

/** Selects how many documents there are, and their bytes together. SQLite knows the sizes without reading the documents. */
export const totalOf = (listing: Listing, limit: number): Selection => {
  const { sql, values } = rowsOf(listing, limit, 'octet_length(body) AS size');
  return { sql: `SELECT count(*) AS items, coalesce(sum(size), 0) AS bytes FROM (${sql})`, values };
};

/** Selects the sizes of the documents in bytes, as one text. */
export const sizesOf = (listing: Listing, limit: number): Selection => {
  const { sql, values } = rowsOf(listing, limit, 'octet_length(body) AS size');
  return { sql: `SELECT coalesce(group_concat(size), '') AS sizes FROM (${sql})`, values };
};

export const countOf = (
  counted: Pick<Listing, 'collection' | 'generation'> & { readonly query: Filters },
): Selection => {
  const { query, collection } = counted;
  const byPrefix = Object.keys(query.prefix).length > 0 && collection.within === undefined;
  const { from, conditions } = matchesOf({ ...counted, byPrefix });
  return { sql: `SELECT count(*) AS found FROM ${from}${whereOf(conditions)}`, values: valuesOf(conditions) };
};

/**
 * Counts the documents that match the prefix of a list, up to one more than may be sorted. Returns undefined if the
 * list has no prefix, or if its collection has no index of the prefix.
 */
export const prefixedOf = ({ query, collection, generation }: Omit<Listing, 'byPrefix'>): Selection | undefined => {
  const [condition] = rangesOf(query, (field) => `"x_${field}"`);
  if (condition === undefined || collection.within !== undefined) return undefined;
  const matches = `SELECT 1 FROM ${tableOf(collection.name, generation)} WHERE ${condition.sql} LIMIT ?`;
  return { sql: `SELECT count(*) AS found FROM (${matches})`, values: [...condition.values, MAX_SORTED + 1] };
};

const ORDERS = {
  'oldest-first': { direction: 'ASC', beyond: '>' },
  'newest-first': { direction: 'DESC', beyond: '<' },
} as const;

const rowsOf = (listing: Listing, limit: number, column: string): Selection => {
  const { query, collection, generation, byPrefix } = listing;
  const { from, created, conditions } = matchesOf(listing);
  const { direction, beyond } = ORDERS[query.order];
  const all =
    query.after === undefined ? conditions : [...conditions, { sql: `${created} ${beyond} ?`, values: [query.after] }];
  const page = `FROM ${from}${whereOf(all)} ORDER BY ${created} ${direction} LIMIT ?`;
  if (!byPrefix) return { sql: `SELECT ${column}, ${created} ${page}`, values: [...valuesOf(all), limit] };
  // Of the sorted documents, only those on the page are read completely.
  const table = tableOf(collection.name, generation);
  const found = `SELECT ${column}, created FROM ${table} WHERE rowid IN (SELECT documents.rowid ${page})`;
  return { sql: `${found} ORDER BY +created ${direction} LIMIT ?`, values: [...valuesOf(all), limit, limit] };
};

interface Matches {
  readonly from: string;
  readonly created: string;
  readonly conditions: readonly Selection[];
}

/**
 * Returns the documents of a list: an index has the documents of the leading filter in the order of creation, or all
 * documents. The other filters are checked document by document.
 */
const matchesOf = (listing: Omit<Listing, 'query'> & { readonly query: Filters }): Matches => {
  const { query, collection, generation } = listing;
  const lists = listsOf(collection.indexes);
  const leading = leadingOf(listing);
  const documents = `${tableOf(collection.name, generation)} AS documents`;
  const valuesOfField = (field: string) => `${valuesTableOf(collection.name, generation, field)} AS ${joined(field)}`;
  const others = lists.filter((field) => field !== leading && Object.hasOwn(query.where, field));
  const ofOthers = others.map((field) => `${valuesOfField(field)} ON ${joined(field)}.id = documents.id`);
  const followsList = leading !== undefined && lists.includes(leading);
  const first = followsList
    ? [valuesOfField(leading), `${documents} ON documents.id = ${joined(leading)}.id`]
    : [documents];
  return {
    // SQLite does not change the order of a CROSS JOIN
    // (https://www.sqlite.org/lang_select.html#side_note_special_handling_of_cross_join_).
    from: [...first, ...ofOthers].join(' CROSS JOIN '),
    created: `${followsList ? joined(leading) : 'documents'}.created`,
    conditions: conditionsOf(query, lists, leading),
  };
};

/** The index that is followed: of the first list with a value, else of `within`, else of the first other field. */
const leadingOf = ({ query, collection, byPrefix }: Omit<Listing, 'query'> & { readonly query: Filters }) => {
  const { where, prefix } = query;
  if (byPrefix) return Object.keys(prefix)[0];
  const isFiltered = (field: string) => where[field] !== undefined;
  return (
    listsOf(collection.indexes).find(isFiltered) ??
    collection.within ??
    indexedColumnsOf(collection.indexes).find(isFiltered)
  );
};

const conditionsOf = (query: Filters, lists: readonly string[], leading: string | undefined): readonly Selection[] => {
  const { where, atMost = {}, above = {} } = query;
  // SQLite follows no index for a column with a plus sign
  // (https://www.sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_).
  const column = (field: string) => `${field === leading ? '' : '+'}documents."x_${field}"`;
  return [
    ...Object.entries(where).map(([field, value]) => ({
      sql: `${lists.includes(field) ? `${joined(field)}.value` : column(field)} = ?`,
      values: [value],
    })),
    ...rangesOf(query, column),
    ...Object.entries(atMost).map(([field, value]) => ({ sql: `${column(field)} <= ?`, values: [value] })),
    ...Object.entries(above).map(([field, value]) => ({ sql: `${column(field)} > ?`, values: [value] })),
  ];
};

const rangesOf = ({ prefix }: Filters, column: (field: string) => string): readonly Selection[] =>
  Object.entries(prefix).map(([field, start]) => ({
    sql: `${column(field)} >= ? AND ${column(field)} < ?`,
    values: [start, `${start}\u{10FFFF}`],
  }));

const joined = (field: string): string => `"in_${field}"`;

const whereOf = (conditions: readonly Selection[]): string =>
  conditions.length === 0 ? '' : ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;

const valuesOf = (conditions: readonly Selection[]): Selection['values'] => conditions.flatMap(({ values }) => values);
