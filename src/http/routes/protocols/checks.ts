// What is analysed before a form is recorded or published.
import { z } from 'zod';
import type { Check, Command } from '../../../commands/checked-command.js';
import type { Content } from '../../../domain/protocol/content.js';
import { formOf, type Protocol } from '../../../domain/protocol/fold.js';
import type { SentQuestionnaire } from '../../../domain/protocol/schemas.js';
import { sentForm } from '../../../domain/scoring/sent.js';
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

/** What a route knows about a request that stores a questionnaire. */
interface Storing {
  readonly command: Command & { readonly data: SentQuestionnaire };
  readonly query: z.output<typeof strictQuery>;
  readonly caller: string;
}

/** Returns the check of a request; undefined unless it is strict. `before` returns the content that it replaces. */
export const checkOfStrict = (
  { command, query, caller }: Storing,
  before: (state: Protocol) => Content,
): Check | undefined => {
  if (query.strict !== 'true') return undefined;
  const whenUndecided = query.undecided === 'true' ? command : undefined;
  const formIn = (state: Protocol) => sentForm(command.data, before(state));
  return { formIn, refusal: 'questionnaire-faulty', whenUndecided, caller };
};

interface Publishing {
  readonly command: Extract<Command, { readonly type: 'PublishForm' }>;
  readonly query: z.output<typeof publishQuery>;
  readonly caller: string;
}

/** Returns the check of a form that is to be published. */
export const checkOfPublishing = ({ command, query, caller }: Publishing): Check => {
  const undecided = { ...command, data: { ...command.data, undecided: true as const } };
  const whenUndecided = query.undecided === 'true' ? undecided : undefined;
  return { formIn: (state) => formOf(state, command.data.formId), refusal: 'form-faulty', whenUndecided, caller };
};
