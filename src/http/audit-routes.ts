// The audit trail over HTTP. Whoever reads it is recorded before anything is answered.
import { z } from 'zod';
import { asCloudEvents, asLines, entryOf } from '../audit/formats.js';
import { type ProfileStep, profileHistory } from '../audit/profile-history.js';
import type { TrailFilter } from '../audit/trail.js';
import type { CommandContext } from '../commands/context.js';
import { auditRead, type auditReadCommands } from '../domain/audit-read.js';
import { DomainError } from '../domain/errors.js';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import { cursorOf } from './reading.js';
import { type Call, get, type Route } from './route.js';
import { integerText, paging } from './schemas.js';
import type { Service } from './service.js';
import { UserProfile } from './user-schemas.js';

const AuditEvent = z
  .object({
    position: z.string(),
    stream: z.string(),
    category: z.string(),
    revision: z.int(),
    id: z.uuid(),
    type: z.string(),
    at: z.iso.datetime(),
    actor: z.object({ id: z.string(), roles: z.array(z.string()) }),
    origin: z.string().nullable(),
    correlationId: z.string(),
    causationId: z.string(),
    schemaVersion: z.int(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEvent' });

const AuditEventPage = z
  .object({
    items: z.array(AuditEvent).describe('May be fewer than `limit`, also before the end, where the filter is narrow.'),
    nextCursor: z.string().nullable().describe('Ask `after` for it to get the next page; null at the end of the log.'),
    position: z.string().nullable().describe('Ask `after` for it later to get what was recorded since.'),
  })
  .meta({ id: 'AuditEventPage' });

const ProfileHistoryStep = z
  .object({
    type: z.string(),
    at: z.iso.datetime(),
    actor: AuditEvent.shape.actor,
    origin: z.string().nullable(),
    reason: z.string().nullable(),
    revision: z.int(),
    position: z.string(),
    before: UserProfile.nullable(),
    after: UserProfile.nullable(),
  })
  .meta({ id: 'ProfileHistoryStep' });

const ProfileHistory = z
  .object({
    items: z.array(ProfileHistoryStep),
    nextCursor: z.string().nullable().describe('Ask `cursor` for it to get the next page; null on the last.'),
  })
  .meta({ id: 'ProfileHistoryPage' });

const instant = z.iso.datetime({ offset: true }).optional();
const filter = {
  stream: z
    .string()
    .max(200)
    .regex(/^[A-Za-z]+-[\w-]+$/, 'is no name of a stream')
    .optional(),
  category: z
    .string()
    .regex(/^[A-Za-z]{1,100}$/, 'is no category of streams')
    .optional(),
  type: z
    .string()
    .regex(/^[A-Za-z]{1,100}$/, 'is no type of event')
    .optional(),
  // What is asked is recorded for good: no name, no e-mail address may get there.
  actor: z
    .string()
    .max(100)
    .regex(/^([a-z]+|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i, 'is no id of who acts')
    .optional()
    .describe('The id of a user, or `anonymous`.'),
  from: instant.describe('Recorded at this instant or later.'),
  to: instant.describe('Recorded at this instant or earlier.'),
};
const Query = z.object({
  ...filter,
  after: z
    .string()
    .regex(/^[0-9a-z]{16,64}$/, 'is no position')
    .optional()
    .describe('Only what stands behind it.'),
  limit: integerText(1, 1_000)
    .optional()
    .meta({ openapi: { type: 'integer', minimum: 1, maximum: 1_000 } })
    .describe('The most events: of a page 200 where it is absent; the other forms then go on to the end of the log.'),
});
type Asking = Call<unknown, undefined, z.output<typeof Query>>;

// Some 100,000 events at most are examined for one page.
const STRETCHES = 200;

/** The routes of the audit trail. */
export const auditRoutes = (service: Service): readonly Route[] => [
  get('/audit/events', {
    summary: 'Reads the audit trail: the log of everything that was recorded, oldest first',
    description: 'As a page of JSON, as JSON lines, or as CloudEvents. Reading it is recorded in it.',
    query: Query,
    answers: { 200: AuditEventPage },
    handle: async (call) => {
      await recorded(service, call);
      const { after, limit = 200, ...narrowed } = call.query;
      const page = await service.trail.page(narrowed, after, { events: limit, stretches: STRETCHES });
      const position = page.position ?? null;
      return {
        json: JSON.stringify({ items: page.events.map(entryOf), nextCursor: page.atEnd ? null : position, position }),
      };
    },
    streams: {
      'application/x-ndjson': async (call) => asLines(await following(service, call)),
      'application/cloudevents-batch+json': async (call) => asCloudEvents(await following(service, call)),
    },
  }),
  get('/users/{id}/profiles/{profileId}/history', {
    summary: 'Reads the history of a profile: every decision with who took it, when and why, oldest first',
    description: 'Reading it is recorded in the audit trail.',
    query: z.object(paging),
    answers: { 200: ProfileHistory },
    travelsInTime: true,
    handle: async ({ params: { id: userId, profileId }, query: { cursor, limit }, asked, by }) => {
      const steps = profileHistory(service.facts, { userId, profileId }, asked.asOf);
      const page = await pageOfSteps(steps, cursor, limit);
      if (page === undefined) throw new DomainError('profile-not-found', { profileId });
      const filter = { user: userId, profile: profileId, ...(asked.asOf !== undefined && { asOf: asked.asOf }) };
      await recordReading(service, { what: 'profile-history', filter }, by);
      const nextCursor = page.next === undefined ? undefined : cursorOf(page.next);
      const json = JSON.stringify({ items: page.items, nextCursor: nextCursor ?? null });
      return { json, nextCursor };
    },
  }),
];

/** A page of a history; undefined where it has no step at all. */
const pageOfSteps = async (steps: AsyncIterable<ProfileStep>, after = '', limit: number) => {
  const items: ProfileStep[] = [];
  let isThere = false;
  for await (const step of steps) {
    isThere = true;
    if (step.position <= after) continue;
    if (items.length === limit) return { items, next: items.at(-1)?.position };
    items.push(step);
  }
  return isThere ? { items, next: undefined } : undefined;
};

const following = async (service: Service, call: Asking): Promise<AsyncIterable<readonly RecordedEvent[]>> => {
  await recorded(service, call);
  const { after, limit = Number.POSITIVE_INFINITY, ...narrowed } = call.query;
  return atMost(limit, service.trail.read(narrowed, after));
};

async function* atMost(limit: number, pages: AsyncIterable<{ readonly events: readonly RecordedEvent[] }>) {
  let room = limit;
  for await (const { events } of pages) {
    yield events.slice(0, room);
    room -= events.length;
    if (room <= 0) return;
  }
}

const recorded = async (service: Service, { query: { limit: _, ...asked }, by }: Asking): Promise<void> => {
  const said: TrailFilter = asked;
  const narrowed = Object.entries(said).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  await recordReading(service, { what: 'events', filter: Object.fromEntries(narrowed) }, by);
};

type Reading = z.output<typeof auditReadCommands.RecordAuditRead>;

const recordReading = async ({ handle }: Service, data: Reading, by: CommandContext): Promise<void> => {
  await handle(auditRead, 'new', { type: 'RecordAuditRead', data }, by);
};
