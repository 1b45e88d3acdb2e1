// The list of decisions on profiles, with names and reasons. Each read is recorded before the response starts.
import { z } from 'zod';
import {
  type DecisionFilter,
  decisionLines,
  decisionPage,
  decisionPages,
  decisionTable,
  ListedDecision,
} from '../../../audit/decisions.js';
import { present } from '../../../domain/fields.js';
import { profileTypes } from '../../../domain/user/events.js';
import { approvalStatuses } from '../../../domain/user/state.js';
import { profileDecisions } from '../../../projections/decisions.js';
import { users } from '../../../projections/users.js';
import { overseers } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { idFilter, integerText, nextCursor, pageResult, pages } from '../../route/paging.js';
import { instantParameter } from '../../route/query.js';
import { type Call, get, type Route } from '../../route/route.js';
import { recordReading } from './readings.js';
import { actorFilter } from './schemas.js';

const DecisionQuery = z.object({
  from: instantParameter.optional().describe('Only decisions at or after this time.'),
  to: instantParameter.optional().describe('Only decisions before this time.'),
  decidedBy: actorFilter,
  approvalStatus: z.enum(approvalStatuses).optional().describe('The status after the decision.'),
  profileType: z.enum(profileTypes).optional(),
  institutionId: idFilter.describe('An institution that the user of the profile is attached to now.'),
  bom: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether CSV begins with a byte order mark, which some spreadsheets need to read accents.'),
  cursor: pages.cursor,
  limit: integerText(1, 200)
    .optional()
    .meta({ openapi: { type: 'integer', minimum: 1, maximum: 200 } })
    .describe('The maximum number of decisions. Default: 50 for a page of JSON; for the other formats, all decisions.'),
});

export const DecisionPage = z
  .object({
    items: z
      .array(ListedDecision)
      .describe('A page may have fewer decisions than `limit`, even before the end, if it is filtered by institution.'),
    nextCursor,
  })
  .meta({ id: 'ListedDecisionPage' });

type DecisionsCall = Call<unknown, undefined, z.output<typeof DecisionQuery>>;

export const decisionRoutes = (app: RouteContext): readonly Route[] => [
  get('/audit/decisions', {
    access: { who: overseers, personal: true },
    kind: 'recordedView',
    name: 'listDecisions',
    summary: 'Lists decisions on profiles with current names and reasons, newest first',
    description:
      '`Accept` selects a page of JSON, which is the default, JSON lines, or CSV. Names are present names; the evidence of a profile has the names of the time. In CSV, an apostrophe precedes a text that a spreadsheet could take for a formula, and semicolons, tabs and line ends in texts are spaces. The service closes the connection without the end of JSON lines and CSV when the caller loses the right to read them. The request is recorded in the audit trail.',
    query: DecisionQuery,
    responses: { 200: DecisionPage },
    documentedHeaders: ['Content-Disposition'],
    handle: async (call) => {
      const { sources, filter, after, limit = 50 } = await begin(app, call);
      const { items, next } = await decisionPage(sources, filter, { after, limit });
      return pageResult({
        items: JSON.stringify(items),
        nextCursor: await app.reader.cursorOf(next, call.readOptions),
      });
    },
    forms: {
      'application/x-ndjson': async (call) => ({ body: decisionLines(await readPages(app, call)) }),
      'text/csv': async (call) => ({
        body: decisionTable(await readPages(app, call), call.query.bom === 'true'),
        headers: { 'Content-Disposition': 'attachment; filename="decisions.csv"' },
      }),
    },
  }),
];

const readPages = async (app: RouteContext, call: DecisionsCall) => {
  const { sources, filter, end, after = end, limit = Number.POSITIVE_INFINITY } = await begin(app, call);
  return decisionPages(sources, filter, { after, limit });
};

/** Waits until the list misses no decision and no name, and records the reading. Returns what to read. */
const begin = async (app: RouteContext, { query, readOptions, by }: DecisionsCall) => {
  const { cursor: after, limit, bom: _, ...sent } = query;
  const filter: DecisionFilter = { ...sent, decidedBy: sent.decidedBy?.toLowerCase() };
  const { reader, views, facts, walks } = app;
  const head = await reader.head(readOptions.consistency);
  await reader.caughtUp(users.name, head);
  // Rejects while the live read model is of an earlier version. A reading that shows nothing would be recorded.
  await views.get(profileDecisions.name, '');
  const end = await recordReading(app, { what: 'decisions', filter: present(sent) }, by);
  const sources = { views, facts: walks.of(facts, readOptions.walker) };
  return { sources, filter, end, after, limit };
};
