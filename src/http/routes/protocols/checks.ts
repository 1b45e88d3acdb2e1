// What is analysed before a form is recorded or published.
import { z } from 'zod';
import type { Check } from '../../../commands/checked-command.js';
import type { Content } from '../../../domain/protocol/content.js';
import { formOf, type Protocol } from '../../../domain/protocol/fold.js';
import type { SentQuestionnaire } from '../../../domain/protocol/schemas.js';
import { sentForm } from '../../../domain/scoring/sent.js';
import type { RouteContext } from '../../route/context.js';
import type { Route } from '../../route/route.js';

export const strictQuery = z.object({
  strict: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: refuses a questionnaire whose analysis finds an error. Default: `false`.'),
});

/** Returns the `enter` of a route whose requests are analysed if they are strict. */
export const enterIfStrict =
  ({ analyses }: Pick<RouteContext, 'analyses'>): NonNullable<Route['enter']> =>
  ({ caller, query }) =>
    query['strict'] === 'true' ? analyses.enter(caller) : () => undefined;

/** What a route knows about a request that stores a questionnaire. */
interface Storing {
  readonly body: SentQuestionnaire;
  readonly query: z.output<typeof strictQuery>;
  readonly caller: string;
}

/** Returns the check of a request; undefined unless it is strict. `before` returns the content that it replaces. */
export const checkOfStrict = (
  { body, query, caller }: Storing,
  before: (state: Protocol) => Content,
): Check | undefined => {
  if (query.strict !== 'true') return undefined;
  return { formIn: (state) => sentForm(body, before(state)), refusal: 'questionnaire-faulty', caller };
};

/** Returns the check of a form that is to be published. */
export const checkOfPublishing = (formId: string, caller: string): Check => ({
  formIn: (state) => formOf(state, formId),
  refusal: 'form-faulty',
  caller,
});
