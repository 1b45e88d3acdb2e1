// What readers of the audit trail ask and get, as schemas with the names that OpenAPI shows.
import { z } from 'zod';
import { rule } from '../../../domain/rules.js';
import { integerText, pages } from '../../kernel/paging.js';
import { instantParameter } from '../../kernel/schemas.js';
import { UserProfile } from '../users/schemas.js';

const session = {
  sessionId: z.string().nullish().describe('The session in which a profile was approved or rejected.'),
  address: z
    .string()
    .nullish()
    .describe('The address, or the /64 network, that the decision came from. Null: who decided was erased.'),
};

const AuditEvent = z
  .object({
    position: z.string(),
    stream: z.string(),
    category: z.string(),
    revision: z.int(),
    id: z.uuid(),
    type: z.string(),
    at: z.iso.datetime(),
    actor: z.object({ id: z.string(), roles: z.array(z.string()) }).meta({ id: 'AuditActor' }),
    origin: z.string().nullable(),
    ...session,
    correlationId: z.string(),
    causationId: z.string(),
    schemaVersion: z.int(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEvent' });

export const AuditEventPage = z
  .object({
    items: z.array(AuditEvent).describe('May be fewer than `limit`, also before the end, where the filter is narrow.'),
    nextCursor: z
      .string()
      .nullable()
      .describe('Pass it as `after`, with `sort=-position` as `cursor`, to get the next page. Null on the last page.'),
    position: z
      .string()
      .nullable()
      .describe('Pass it as `after` later to get what was recorded since. Null with `sort=-position`.'),
  })
  .meta({ id: 'AuditEventPage' });

const ProfileHistoryStep = z
  .object({
    type: z.string(),
    at: z.iso.datetime(),
    actor: AuditEvent.shape.actor.extend({
      name: z.string().nullish().describe('The name of today. Null: the actor is no user, or was erased.'),
    }),
    origin: z.string().nullable(),
    ...session,
    reason: z.string().nullable(),
    revision: z.int(),
    position: z.string().optional().describe('Shown to auditors and administrators.'),
    before: UserProfile.nullable(),
    after: UserProfile.nullable(),
  })
  .meta({ id: 'ProfileHistoryStep' });

export const ProfileHistory = z
  .object({
    items: z.array(ProfileHistoryStep),
    nextCursor: z.string().nullable().describe('Ask `cursor` for it to get the next page; null on the last.'),
  })
  .meta({ id: 'ProfileHistoryPage' });

/** Every key that signed checkpoints. */
export const LogKeys = z
  .object({
    items: z.array(
      z
        .object({
          origin: z.string().describe('The log whose checkpoints the key signs: the first line of each.'),
          verifierKey: z.string().describe('The verifier key (C2SP signed-note).'),
          madeAt: z.iso.datetime(),
          signs: z.boolean().describe('Whether the service still has the private key.'),
        })
        .meta({ id: 'LogKey' }),
    ),
  })
  .meta({ id: 'LogKeys' });

/** The bodies of the transparency log that are no JSON. */
export const logTexts = {
  checkpoint: z.string().meta({
    examples: [
      'localhost/audit/log\n3\nRcCI1Nk56ZcSmIEfIn0SleqtV7uvrlXNccFx595Iwl0=\n\n— localhost/audit/log Kx4Z2hOdFJ0PDWOqYUHSvPF0dQ0M6u2n1fmuCYqSz7jUUXgjGkAJVBPgQDgcDDdvhPSUDPDmZBzNJbLyiNRzNmkM0gI=\n',
    ],
  }),
  key: z.string().meta({ examples: ['localhost/audit/log+2b1e19da+AZ1AaGPbmhNjtXjYEd7ifn1lNYmGDPnVQcJZ5XQJhm9H\n'] }),
  bytes: z.string().meta({ openapi: { type: 'string', contentMediaType: 'application/octet-stream' } }),
};

const instant = instantParameter.optional();
const filter = {
  stream: z
    .string()
    .max(200)
    .regex(/^[A-Za-z]+-[\w-]+$/, 'must be the name of a stream')
    .optional(),
  category: z
    .string()
    .regex(/^[A-Za-z]{1,100}$/, 'must be a category of streams')
    .optional(),
  type: z
    .string()
    .regex(/^[A-Za-z]{1,100}$/, 'must be a type of event')
    .optional(),
  // What is asked is recorded for good: no name, no e-mail address may get there.
  actor: z
    .string()
    .max(100)
    .regex(/^([a-z]+|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i, 'must be the id of a user, or anonymous')
    .optional()
    .describe('The id of a user, or `anonymous`.'),
  from: instant.describe('Recorded at this instant or later.'),
  to: instant.describe('Recorded at this instant or earlier.'),
};
const NEWEST_FIRST = '-position';

/** What goes on from a page by position is for the oldest first, what does so by cursor for the newest first. */
const oneWayOn = rule((value, refuse) => {
  const { sort, after, cursor } = (value ?? {}) as { sort?: unknown; after?: unknown; cursor?: unknown };
  const isBackwards = sort === NEWEST_FIRST;
  if (isBackwards && after !== undefined) refuse(['after'], 'excluded', 'goes only with sort=position; send `cursor`');
  if (!isBackwards && cursor !== undefined)
    refuse(['cursor'], 'excluded', 'goes only with sort=-position; send `after`');
});

/** Whether a reader asks for the newest events first. */
export const isNewestFirst = ({ sort }: z.output<typeof TrailQuery>): boolean => sort === NEWEST_FIRST;

const TrailFields = z.object({
  ...filter,
  sort: z
    .enum(['position', NEWEST_FIRST])
    .default('position')
    .describe('The oldest first, or with a minus sign the newest.'),
  cursor: pages.cursor.describe('With `sort=-position`: the `nextCursor` of the page before.'),
  after: z
    .string()
    .regex(/^[0-9a-z]{16,64}$/, 'must be a position of the log')
    .optional()
    .describe('Only what stands behind it.'),
  limit: integerText(1, 1_000)
    .optional()
    .meta({ openapi: { type: 'integer', minimum: 1, maximum: 1_000 } })
    .describe('The most events: of a page 200 where it is absent; the other forms then go on to the end of the log.'),
});

/** What a reader asks of the trail. */
export const TrailQuery = TrailFields.superRefine(...oneWayOn);
