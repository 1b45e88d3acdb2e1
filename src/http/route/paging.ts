// Pages of lists: the query parameters, the schema of a page, and the response.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { comparable, formatted, text, uuid } from '../../domain/fields.js';
import type { RouteResult } from './route.js';

export const nextCursor = z
  .string()
  .nullable()
  .describe('The cursor of the next page; pass it as `cursor`. Null on the last page.');

/** Returns the schema of a page of a list. */
export const pageOf = (item: z.ZodType) => {
  const page = z.object({
    items: z.array(item),
    nextCursor,
    total: z.int().min(0).optional().describe('How many items the list has on all of its pages, if `total=true` asks.'),
  });
  return page.meta({ id: `${String(item.meta()?.['id'])}Page` });
};

/** A page to respond with. */
export interface Page {
  /** The items as one JSON array. */
  readonly items: string;
  readonly nextCursor: string | undefined;
  readonly members?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the response with a page. The ETag is a digest of the text, because a page shows several aggregates, perhaps
 * with names of others, and no single revision changes with all of them.
 */
export const pageResult = ({ items, nextCursor, members = {} }: Page): RouteResult => {
  const rest = JSON.stringify({ nextCursor: nextCursor ?? null, ...members });
  const body = `{"items":${items},${rest.slice(1)}`;
  return { ...tagged(body), nextCursor };
};

/** Returns the response with this body, and a digest of it as its ETag. */
export const tagged = (body: string | Uint8Array): RouteResult => ({ body, tag: hash('sha256', body, 'base64url') });

/** Returns the schema of an integer in a query. */
export const integerText = (lowest: number, highest: number) =>
  formatted(15, (error) => z.regex(/^\d{1,15}$/, error), `must be a whole number from ${lowest} to ${highest}`)
    .transform(Number)
    .pipe(z.int().min(lowest).max(highest));

type Query = Readonly<Record<string, unknown>>;

/** Returns what tells a list from others: its path, its sort and its filters. */
export const listOf = (path: string, params: object, { limit, cursor, total, ...rest }: Query): string =>
  JSON.stringify([path, params, rest]);

/** Returns what a cursor seals: a place, and a digest of the list to which the cursor belongs. */
export const cursorText = (place: string, list: string): string =>
  `${place} ${hash('sha256', list, 'base64url').slice(0, 16)}`;

export const OF_THIS_LIST = 'must be the nextCursor of a page of this list, with the same sort and filters';

/** Returns the schema of a `cursorText`, which parses to the place. Cursors are opened before parameters are checked. */
export const cursorAt = (place: RegExp) =>
  text(200)
    .transform((opened) => opened.replace(/ .*/, ''))
    .refine((opened) => place.test(opened), { error: OF_THIS_LIST, params: { code: 'bad-cursor' } })
    .optional()
    .meta({ openapi: { type: 'string', maxLength: 200 } })
    .describe('The `nextCursor` of the previous page, of the same list with the same sort and filters.');

/** The paging parameters of a list with a fixed order. */
export const pages = {
  limit: integerText(1, 200)
    .default(50)
    .meta({ openapi: { type: 'integer', minimum: 1, maximum: 200, default: 50 } })
    .describe('The maximum number of items. A page ends after 2 MiB, even if it has fewer.'),
  cursor: cursorAt(/^[0-9a-z]{16,64}$/),
};

export const nameFilter = text(500)
  .refine(...comparable(500))
  .optional()
  .describe('The beginning of the name; case and the accents of Latin and Greek letters do not matter.');
export const idFilter = uuid().optional();

/** The orders of lists: by creation, ascending or descending. */
const ORDERS = ['createdAt', '-createdAt'] as const;

/** Returns the parameters for the page, order and total of a list. `sort` is the default order. */
export const pagingBy = (sort: (typeof ORDERS)[number]) => ({
  ...pages,
  sort: z.enum(ORDERS).default(sort).describe('By creation: ascending, or descending with a minus sign.'),
  total: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether to count the items of all pages. Refused with more than one filter, and with `asOf`.'),
});
export const paging = pagingBy('createdAt');

/** The parsed paging parameters of a request. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sort: (typeof ORDERS)[number];
  readonly total?: 'true' | 'false' | undefined;
}
