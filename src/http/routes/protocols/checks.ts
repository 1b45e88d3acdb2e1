// What is analysed before a form is recorded or published.
import { z } from 'zod';
import type { Check } from '../../../commands/checked-command.js';
import type { RouteContext } from '../../route/context.js';
import type { Route } from '../../route/route.js';

const undecided = z
  .enum(['true', 'false'])
  .optional()
  .describe('`true`: accepts a form whose totals are too many to decide (`totals-undecided`). Default: `false`.');

export const publishQuery = z.object({ undecided });

export const strictQuery = z.object({
  strict: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      '`true`: refuses a questionnaire whose analysis finds an error, or totals that are too many to decide. Default: `false`.',
    ),
  undecided,
});

/** Returns the `enter` of a route whose requests are analysed if they are strict. */
export const enterIfStrict =
  ({ analyses }: Pick<RouteContext, 'analyses'>): NonNullable<Route['enter']> =>
  ({ caller, query }) =>
    query['strict'] === 'true' ? analyses.enter(caller) : () => undefined;

/** Returns the check of a request: what it refuses, and whether it accepts undecided totals. */
export const checkOf = (
  refusal: Check['refusal'],
  formIn: Check['formIn'],
  { query, caller }: { readonly query: z.output<typeof publishQuery>; readonly caller: string },
): Check => ({ formIn, refusal, acceptsUndecided: query.undecided === 'true', caller });
