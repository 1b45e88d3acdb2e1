// Pages of lists: what a request may ask of a list, and the schema of a page.
import { z } from 'zod';

/** A page of a list. */
export const pageOf = (item: z.ZodType) => {
  const page = z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().describe('Ask `cursor` for it to get the next page; null on the last.'),
  });
  return page.meta({ id: `${String(item.meta()?.['id'])}Page` });
};

/** A whole number in a query. */
export const integerText = (lowest: number, highest: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${lowest} to ${highest}`)
    .transform(Number)
    .pipe(z.int().min(lowest).max(highest));

/** Which page of a list. */
export const paging = {
  limit: integerText(1, 200)
    .default(50)
    .meta({ openapi: { type: 'integer', minimum: 1, maximum: 200, default: 50 } }),
  // The place that the cursor stands for: a request's parameters are opened before they are checked.
  cursor: z
    .string()
    .refine((place) => /^[0-9a-z]{16,64}$/.test(place), {
      error: 'must be the nextCursor of a page of this list',
      params: { code: 'bad-cursor' },
    })
    .optional()
    .meta({ openapi: { type: 'string', maxLength: 200, description: 'The `nextCursor` of the page before.' } }),
};

export const nameFilter = z
  .string()
  .max(500)
  .optional()
  .describe('The beginning of the name; case and accents do not matter.');
export const idFilter = z.guid().toLowerCase().optional();
