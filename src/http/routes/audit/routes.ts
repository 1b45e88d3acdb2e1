// The audit trail over HTTP. Each reading is recorded before the response begins.
import { z } from 'zod';
import { asCloudEvents, asLines, entryOf } from '../../../audit/formats.js';
import { type ProfileStep, profileHistory } from '../../../audit/profile-history.js';
import type { CommandContext } from '../../../commands/context.js';
import { auditRead, type auditReadCommands } from '../../../domain/audit-read.js';
import { DomainError } from '../../../domain/errors.js';
import type { RecordedEvent } from '../../../infrastructure/facts/facts.js';
import { auditors, historyReaders } from '../../kernel/access.js';
import type { App } from '../../kernel/app.js';
import { pageAnswer, pages } from '../../kernel/paging.js';
import { definedIn } from '../../kernel/reading.js';
import { type Call, get, type Route } from '../../kernel/route.js';
import { AuditEventPage, ProfileHistory, TrailQuery } from './schemas.js';

type EventsCall = Call<unknown, undefined, z.output<typeof TrailQuery>>;

// Some 100,000 events at most are examined for one page.
const STRETCHES = 200;

/** The routes of the audit trail. */
export const auditRoutes = (app: App): readonly Route[] => [
  get('/audit/events', {
    access: { who: auditors, rate: 'unapproved', personal: true },
    name: 'listAuditEvents',
    summary: 'Reads the audit trail: the log of everything that was recorded, oldest first',
    description: 'As a page of JSON, as JSON lines, or as CloudEvents. Reading it is recorded in it.',
    query: TrailQuery,
    answers: { 200: AuditEventPage },
    readsLog: true,
    handle: async (call) => {
      await recorded(app, call);
      const { after, limit = 200, ...narrowed } = call.query;
      const page = await app.trail.page(narrowed, after, { events: limit, stretches: STRETCHES });
      const { tag, json } = pageAnswer({
        items: page.events.map((event) => JSON.stringify(entryOf(event))),
        nextCursor: page.atEnd ? undefined : page.position,
        members: { position: page.position ?? null },
      });
      // Of this list the next page is asked by `after`, so that no link with a cursor leads to it.
      return { json, ...(tag !== undefined && { tag }) };
    },
    streams: {
      'application/x-ndjson': async (call) => asLines(await following(app, call)),
      'application/cloudevents-batch+json': async (call) => asCloudEvents(await following(app, call)),
    },
  }),
  get('/users/{id}/profiles/{profileId}/history', {
    access: { who: historyReaders, rate: 'unapproved', personal: true },
    name: 'getProfileHistory',
    summary: 'Reads the history of a profile: every decision with who took it, when and why, oldest first',
    description: 'Reading it is recorded in the audit trail.',
    query: z.object(pages),
    answers: { 200: ProfileHistory },
    travelsInTime: true,
    readsLog: true,
    refuses: ['profile-not-found'],
    handle: async ({ params: { id: userId, profileId }, query: { cursor, limit }, asked, by, seesAll }) => {
      const steps = profileHistory(app.facts, { userId, profileId }, asked.asOf);
      const page = await pageOfSteps(steps, cursor, limit);
      if (page === undefined) throw new DomainError('profile-not-found', { profileId });
      const filter = { user: userId, profile: profileId, ...(asked.asOf !== undefined && { asOf: asked.asOf }) };
      await recordReading(app, { what: 'profile-history', filter }, by);
      const nextCursor = await app.reader.cursorOf(page.next);
      // Positions count what everybody recorded: they are not for the user that the profile is of.
      const seesPositions = seesAll || by.actor.roles.includes('AUDITOR');
      const items = seesPositions ? page.items : page.items.map(({ position: _, ...step }) => step);
      return pageAnswer({ items: items.map((item) => JSON.stringify(item)), nextCursor });
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

const following = async (app: App, call: EventsCall): Promise<AsyncIterable<readonly RecordedEvent[]>> => {
  await recorded(app, call);
  const { after, limit = Number.POSITIVE_INFINITY, ...narrowed } = call.query;
  return atMost(limit, app.trail.read(narrowed, after));
};

async function* atMost(limit: number, pages: AsyncIterable<{ readonly events: readonly RecordedEvent[] }>) {
  let room = limit;
  for await (const { events } of pages) {
    yield events.slice(0, room);
    room -= events.length;
    if (room <= 0) return;
  }
}

const recorded = async (app: App, { query: { limit: _, ...asked }, by }: EventsCall): Promise<void> => {
  await recordReading(app, { what: 'events', filter: definedIn(asked) }, by);
};

type Reading = z.output<typeof auditReadCommands.RecordAuditRead>;

const recordReading = async ({ handle }: App, data: Reading, by: CommandContext): Promise<void> => {
  await handle(auditRead, 'new', { type: 'RecordAuditRead', data }, by);
};
