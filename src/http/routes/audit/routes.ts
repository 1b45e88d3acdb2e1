// The routes of the audit trail. Each read is recorded before the response starts.
import { z } from 'zod';
import { evidenceOf } from '../../../audit/evidence.js';
import { ProfileEvidence } from '../../../audit/evidence-format.js';
import { asCloudEvents, asLines, entryOf } from '../../../audit/formats.js';
import { type ProfileStep, profileHistory, withActorNames } from '../../../audit/profile-history.js';
import type { ReadOrder, TrailPage } from '../../../audit/trail.js';
import { DomainError } from '../../../domain/errors.js';
import type { RecordedEvent } from '../../../infrastructure/facts/facts.js';
import { PAGE_BYTES } from '../../../infrastructure/views/views.js';
import { auditors, overseers, selfOrOverseers } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { pageResult, pages } from '../../route/paging.js';
import { definedIn } from '../../route/reading.js';
import { type Call, get, type Route, type RouteResult } from '../../route/route.js';
import { recordReading } from './readings.js';
import { AuditEventPage, isNewestFirst, ProfileHistory, TrailQuery } from './schemas.js';

type EventsCall = Call<unknown, undefined, z.output<typeof TrailQuery>>;

// A page reads at most 51,200 events of the log, or 100,000 of one stream.
const LOG_PAGES = 200;

export const auditRoutes = (app: RouteContext): readonly Route[] => [
  get('/audit/events', {
    access: { who: auditors, personal: true },
    name: 'listAuditEvents',
    summary: 'Reads the audit trail, which contains all events, oldest or newest first',
    description:
      '`Accept` selects a page of JSON, which is the default, JSON lines, or CloudEvents. The request is recorded in the audit trail.',
    query: TrailQuery,
    responses: { 200: AuditEventPage },
    kind: 'recorded',
    handle: async (call) => {
      await recordRequest(app, call);
      const { limit = 200 } = call.query;
      const page = await app.trail.page(call.query, readOrderOf(call), { events: limit, logPages: LOG_PAGES });
      return trailPage(app, call, page);
    },
    forms: {
      'application/x-ndjson': async (call) => ({ body: asLines(await readPages(app, call)) }),
      'application/cloudevents-batch+json': async (call) => ({ body: asCloudEvents(await readPages(app, call)) }),
    },
  }),
  get('/users/{id}/profiles/{profileId}/history', {
    access: { who: selfOrOverseers, personal: true },
    name: 'getProfileHistory',
    summary: 'Reads the history of a profile: every decision with its actor, time and reason, oldest first',
    description:
      'The request is recorded in the audit trail. Only auditors and administrators see `position`, `sessionId`, `address` and the name of the actor.',
    query: z.object(pages),
    responses: { 200: ProfileHistory },
    travelsInTime: true,
    kind: 'recorded',
    refuses: ['profile-not-found'],
    handle: async ({ params: { id: userId, profileId }, query: { cursor, limit }, readOptions, by, seesAll }) => {
      const { asOf } = readOptions;
      const steps = profileHistory(app.past.facts, { userId, profileId }, asOf);
      const page = await pageOfSteps(steps, cursor, limit);
      if (page === undefined) throw new DomainError('profile-not-found', { profileId });
      const filter = definedIn({ user: userId, profile: profileId, asOf });
      await recordReading(app, { what: 'profile-history', filter }, by);
      const nextCursor = await app.reader.cursorOf(page.next, readOptions);
      // Positions reveal how much everybody has recorded, and only overseers may see the names of actors.
      const isOverseer = seesAll || by.actor.roles.includes('AUDITOR');
      const items = isOverseer ? await withActorNames(app.views, page.items) : page.items.map(forTheProfilesUser);
      return pageResult({ items: JSON.stringify(items), nextCursor });
    },
  }),
  get('/users/{id}/profiles/{profileId}/history/evidence', {
    access: { who: overseers, personal: true },
    name: 'getProfileEvidence',
    summary: 'Exports the history of a profile as a self-contained proof',
    description:
      'With this file and the key of the audit log, an auditor can verify who decided what, when and why, without access to the service. `verifier/` contains the program and the description of the format. The file contains names, registrations and reasons unless the person was erased. The service sends the file while it makes it, without a `Content-Length`. If it cannot finish the file, it closes the connection. The request is recorded in the audit trail.',
    responses: { 200: ProfileEvidence },
    travelsInTime: true,
    kind: 'recorded',
    documentedHeaders: ['Content-Disposition'],
    refuses: ['profile-not-found', 'evidence-too-large', 'log-behind'],
    handle: async ({ params: { id: userId, profileId }, readOptions: { asOf }, by }) => {
      const evidence = await evidenceOf(app, { userId, profileId }, asOf);
      if (evidence === undefined) throw new DomainError('profile-not-found', { profileId });
      const filter = definedIn({ user: userId, profile: profileId, asOf });
      await recordReading(app, { what: 'profile-evidence', filter }, by);
      const headers = { 'Content-Disposition': `attachment; filename="evidence-${profileId}.json"` };
      return { body: evidence.texts, tag: evidence.tag, headers };
    },
  }),
];

const forTheProfilesUser = ({ position: _, sessionId: __, address: ___, ...step }: ProfileStep) => step;

const readOrderOf = ({ query }: EventsCall): ReadOrder => {
  const isBackwards = isNewestFirst(query);
  const [from, revision] = (isBackwards ? query.cursor : query.after)?.split('-') ?? [];
  return { from, revision: revision === undefined ? undefined : Number(revision), isBackwards };
};

// With the revision, the next page of a stream starts at its place in the stream.
const cursorTextOf = ({ position, revision, atEnd }: TrailPage): string | undefined => {
  if (atEnd || position === undefined) return undefined;
  return revision === undefined ? position : `${position}-${revision}`;
};

const trailPage = async (
  app: RouteContext,
  { query, readOptions }: EventsCall,
  page: TrailPage,
): Promise<RouteResult> => {
  const { events, position } = page;
  const items = JSON.stringify(events.map((event) => entryOf(event)));
  const next = cursorTextOf(page);
  if (isNewestFirst(query)) {
    return pageResult({ items, nextCursor: await app.reader.cursorOf(next, readOptions), members: { position: null } });
  }
  // The next page uses `after`, so the response has no link with a cursor.
  return { ...pageResult({ items, nextCursor: next, members: { position: position ?? null } }), nextCursor: undefined };
};

/** Returns a page of a history; undefined if the history is empty. */
const pageOfSteps = async (steps: AsyncIterable<ProfileStep>, after = '', limit: number) => {
  const items: ProfileStep[] = [];
  let isEmpty = true;
  let bytes = 0;
  for await (const step of steps) {
    isEmpty = false;
    if (step.position <= after) continue;
    bytes += Buffer.byteLength(JSON.stringify(step));
    if (items.length === limit || (items.length > 0 && bytes > PAGE_BYTES))
      return { items, next: items.at(-1)?.position };
    items.push(step);
  }
  return isEmpty ? undefined : { items, next: undefined };
};

const readPages = async (app: RouteContext, call: EventsCall): Promise<AsyncIterable<readonly RecordedEvent[]>> => {
  await recordRequest(app, call);
  const { limit = Number.POSITIVE_INFINITY } = call.query;
  return atMost(limit, app.trail.read(call.query, readOrderOf(call)));
};

async function* atMost(limit: number, pages: AsyncIterable<{ readonly events: readonly RecordedEvent[] }>) {
  let room = limit;
  for await (const { events } of pages) {
    yield events.slice(0, room);
    room -= events.length;
    if (room <= 0) return;
  }
}

const recordRequest = async (app: RouteContext, { query, by }: EventsCall): Promise<void> => {
  const { limit: _, cursor: __, sort, ...filters } = query;
  const filter = { ...definedIn(filters), ...(isNewestFirst(query) && { sort }) };
  await recordReading(app, { what: 'events', filter }, by);
};
