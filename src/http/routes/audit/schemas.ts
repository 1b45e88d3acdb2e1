// The schemas of requests and responses of the audit trail.
import { z } from 'zod';
import { ProfileStep } from '../../../audit/profile-history.js';
import { formatted, text } from '../../../domain/fields.js';
import { rule } from '../../../domain/rules.js';
import { cursorAt, integerText } from '../../route/paging.js';
import { instantParameter } from '../../route/query.js';

const { actor, sessionId, address } = ProfileStep.shape;

const AuditEvent = z
  .object({
    position: z.string(),
    stream: z.string(),
    category: z.string(),
    revision: z.int(),
    id: z.uuid(),
    type: z.string(),
    at: z.iso.datetime(),
    actor: actor.meta({ id: 'AuditActor' }),
    origin: z.string().nullable(),
    sessionId: sessionId.optional(),
    address: address.optional(),
    correlationId: z.string(),
    causationId: z.string(),
    schemaVersion: z.int(),
    data: z.record(z.string(), z.unknown()),
    metadata: z
      .object({ clock: z.iso.datetime() })
      .meta({ id: 'AuditEventMetadata' })
      .optional()
      .describe('Present if the clock of the process was more than a minute behind `at`.'),
  })
  .meta({ id: 'AuditEvent' });

export const AuditEventPage = z
  .object({
    items: z
      .array(AuditEvent)
      .describe('A page may have fewer events than `limit`, even before the end, if the filter matches few events.'),
    nextCursor: z
      .string()
      .nullable()
      .describe(
        'Pass this value as `after` to get the next page; with `sort=-position`, pass it as `cursor`. Null on the last page.',
      ),
    position: z
      .string()
      .nullable()
      .describe('Pass this value as `after` later to get the events recorded since then. Null with `sort=-position`.'),
  })
  .meta({ id: 'AuditEventPage' });

const ProfileHistoryStep = ProfileStep.partial({ sessionId: true, address: true })
  .extend({
    actor: actor
      .extend({
        name: z.string().nullish().describe('The current name. Null if the actor is not a user or was erased.'),
      })
      .meta({ id: 'ProfileHistoryActor' }),
    position: z.string().optional().describe('Only in responses to auditors and administrators.'),
  })
  .meta({ id: 'ProfileHistoryStep' });

export const ProfileHistory = z
  .object({
    items: z.array(ProfileHistoryStep),
    nextCursor: z
      .string()
      .nullable()
      .describe('Pass this value as `cursor` to get the next page. Null on the last page.'),
  })
  .meta({ id: 'ProfileHistoryPage' });

const instant = instantParameter.optional();
const letters = (otherwise: string) =>
  formatted(100, (error) => z.regex(/^[A-Za-z]{1,100}$/, error), otherwise).optional();
/** A filter by actor. The filter is recorded permanently, so it must not be able to contain a name or an e-mail address. */
export const actorFilter = text(100)
  .regex(/^([a-z]+|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i, 'must be the id of a user, operator or anonymous')
  .optional()
  .describe('The id of a user, `operator` or `anonymous`.');
const filter = {
  stream: text(200)
    .regex(/^[A-Za-z]+-[\w-]+$/, 'must be the name of a stream')
    .optional(),
  category: letters('must be a category of streams'),
  type: letters('must be a type of event'),
  actor: actorFilter,
  from: instant.describe(
    'Only events recorded at or after this time. The request still reads the log from `after` on.',
  ),
  to: instant.describe('Only events recorded before this time.'),
};
const NEWEST_FIRST = '-position';
// A position, and the revision of the event there if the page was of one stream.
const PLACE = /^[0-9a-z]{16,64}(-\d{1,15})?$/;

/** Rejects `after` if the newest events come first, and `cursor` if the oldest events come first. */
const matchingDirection = rule((value, refuse) => {
  const { sort, after, cursor } = (value ?? {}) as { sort?: unknown; after?: unknown; cursor?: unknown };
  const isBackwards = sort === NEWEST_FIRST;
  if (isBackwards && after !== undefined)
    refuse(['after'], 'excluded', 'is allowed only with sort=position; send `cursor` instead');
  if (!isBackwards && cursor !== undefined)
    refuse(['cursor'], 'excluded', 'is allowed only with sort=-position; send `after` instead');
});

/** Returns whether a query asks for the newest events first. */
export const isNewestFirst = ({ sort }: z.output<typeof TrailQuery>): boolean => sort === NEWEST_FIRST;

const TrailFields = z.object({
  ...filter,
  sort: z
    .enum(['position', NEWEST_FIRST])
    .default('position')
    .describe('The oldest events first, or with a minus sign the newest events first.'),
  cursor: cursorAt(PLACE).describe(
    'The `nextCursor` of the previous page, with the same filters. Only with `sort=-position`.',
  ),
  after: formatted(100, (error) => z.regex(PLACE, error), 'must be a position of the log')
    .optional()
    .describe('Only events after this position.'),
  limit: integerText(1, 1_000)
    .optional()
    .meta({ openapi: { type: 'integer', minimum: 1, maximum: 1_000 } })
    .describe(
      'The maximum number of events. Default: 200 for a page of JSON; for the other formats, all events up to the end of the log.',
    ),
});

/** The query of the audit trail. */
export const TrailQuery = TrailFields.superRefine(...matchingDirection);
