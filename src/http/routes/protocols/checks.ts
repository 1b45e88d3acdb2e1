// What is analysed before a form is recorded or published.
import { z } from 'zod';
import { keyAt, keyOf } from '../../../commands/analyses.js';
import type { Check } from '../../../commands/checked-command.js';
import { type Content, contentOf, noContent } from '../../../domain/protocol/content.js';
import { active, formOf, type Protocol } from '../../../domain/protocol/fold.js';
import type { SentQuestionnaire } from '../../../domain/protocol/schemas.js';
import { sentForm } from '../../../domain/scoring/sent.js';

export const strictQuery = z.object({
  strict: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: refuses a questionnaire whose analysis finds an error. Default: `false`.'),
});

/** What a route knows about a strict request. */
interface Strict<Body> {
  readonly body: Body;
  readonly query: z.output<typeof strictQuery>;
  readonly caller: string;
}

const strictly = (
  { body, query, caller }: Strict<SentQuestionnaire>,
  before: (state: Protocol) => Content,
): Check | undefined => {
  if (query.strict !== 'true') return undefined;
  const formIn: Check['formIn'] = ({ state }) => {
    const form = sentForm(body, before(state));
    return { form, key: keyOf(form) };
  };
  return { formIn, refusal: 'questionnaire-faulty', caller };
};

/** Returns the check of a request that creates a questionnaire; undefined unless it is strict. */
export const checkOfNew = (request: Strict<SentQuestionnaire>): Check | undefined => strictly(request, () => noContent);

/** Returns the check of a request that replaces a questionnaire; undefined unless it is strict. */
export const checkOfReplacement = (
  request: Strict<SentQuestionnaire & { readonly formId: string }>,
): Check | undefined =>
  strictly(request, (state) => contentOf(formOf(state, request.body.formId), active(state).questions));

/** Returns the check of a form that is to be published. */
export const checkOfPublishing = (formId: string, caller: string): Check => ({
  formIn: ({ state, revision }) => ({ form: formOf(state, formId), key: keyAt(formId, revision) }),
  refusal: 'form-faulty',
  caller,
});
