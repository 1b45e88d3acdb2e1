// The routes of the audit trail. Each read is recorded before the response starts.
import { z } from 'zod';
import { evidenceOf } from '../../../audit/evidence.js';
import { ProfileEvidence } from '../../../audit/evidence-format.js';
import { asCloudEvents, asLines, entryOf } from '../../../audit/formats.js';
import { historyPage } from '../../../audit/history.js';
import { type ProfileStep, profileHistory, withActorNames } from '../../../audit/profile-history.js';
import { AuditTrail, type ReadOrder, type TrailPage } from '../../../audit/trail.js';
import { DomainError } from '../../../domain/errors.js';
import { present } from '../../../domain/fields.js';
import type { Facts, RecordedEvent } from '../../../infrastructure/facts/facts.js';
import { auditors, overseers, selfOrOverseers } from '../../access/access.js';
import type { RouteContext } from '../../route/context.js';
import { cursorAt, pageResult, pages } from '../../route/paging.js';
import { type Call, get, type Route, type RouteResult } from '../../route/route.js';
import { actorNamesFor, recordReading } from './readings.js';
import { AuditEventPage, isNewestFirst, ProfileHistory, TrailQuery } from './schemas.js';

type EventsCall = Call<unknown, undefined, z.output<typeof TrailQuery>>;

// A page reads at most 51,200 events.
const LOG_PAGES = 200;

// The revisions of the first step of a page, and of the first step of its profile.
const STEP = /^\d{1,15}-\d{1,15}$/;

export const auditRoutes = (app: RouteContext): readonly Route[] => [
  get('/audit/events', {
    access: { who: auditors, personal: true },
    name: 'listAuditEvents',
    summary: 'Reads the audit trail, which contains all events, oldest or newest first',
    description:
      '`Accept` selects a page of JSON, which is the default, JSON lines, or CloudEvents. JSON lines and CloudEvents end at the latest at the event that records the request. The service closes the connection without the end of the body when the caller loses the right to read it. The request is recorded in the audit trail.',
    query: TrailQuery,
    responses: { 200: AuditEventPage },
    kind: 'recorded',
    handle: async (call) => {
      await recordRequest(app, call);
      const { limit = 200 } = call.query;
      const page = await trailOf(app, call).page(call.query, readOrderOf(call), { events: limit, logPages: LOG_PAGES });
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
    query: z.object({ ...pages, cursor: cursorAt(STEP) }),
    responses: { 200: ProfileHistory },
    travelsInTime: true,
    kind: 'recordedHistory',
    refuses: ['profile-not-found'],
    handle: async (call) => {
      const { params, query, readOptions, by } = call;
      const { id: userId, profileId } = params;
      const { cursor, limit } = query;
      const { asOf } = readOptions;
      const facts = app.walks.of(app.facts, readOptions.walker);
      const readNames = await actorNamesFor(app, call);
      const page = await pageOfSteps(facts, { userId, profileId }, { place: cursor, limit, asOf });
      const filter = present({ user: userId, profile: profileId, asOf });
      await recordReading(app, { what: 'profile-history', filter }, by);
      const nextCursor = await app.reader.cursorOf(page.next, readOptions);
      // Positions reveal how much everybody has recorded, and only overseers may see the names of actors.
      const items = readNames ? await withActorNames(readNames, page.items) : page.items.map(forTheProfilesUser);
      return pageResult({ items: JSON.stringify(items), nextCursor });
    },
  }),
  get('/users/{id}/profiles/{profileId}/history/evidence', {
    access: { who: overseers, personal: true },
    name: 'getProfileEvidence',
    summary: 'Exports the history of a profile as a self-contained proof',
    description:
      'With this file and the key of the audit log, an auditor can verify who decided what, when and why, without access to the service. `verifier/` contains the program and the description of the format. The file contains names, registrations and reasons unless the person was erased. The service sends the file while it makes it, without a `Content-Length`. If it cannot finish the file, or the caller loses the right to read it, it closes the connection. The request is recorded in the audit trail.',
    responses: { 200: ProfileEvidence },
    travelsInTime: true,
    kind: 'recorded',
    documentedHeaders: ['Content-Disposition'],
    refuses: ['profile-not-found', 'evidence-too-large', 'log-behind'],
    handle: async ({ params: { id: userId, profileId }, readOptions: { asOf, walker }, by }) => {
      const past = { sealedFacts: app.walks.of(app.sealedFacts, walker) };
      const evidence = await evidenceOf({ ...app, past }, { userId, profileId }, asOf);
      if (evidence === undefined) throw new DomainError('profile-not-found', { profileId });
      const filter = present({ user: userId, profile: profileId, asOf });
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

// With the revision, the next read of a stream starts at its place in the stream.
const placeOf = ({ position, revision }: TrailPage): string | undefined =>
  position === undefined || revision === undefined ? position : `${position}-${revision}`;

const trailPage = async (
  app: RouteContext,
  { query, readOptions }: EventsCall,
  page: TrailPage,
): Promise<RouteResult> => {
  const items = JSON.stringify(page.events.map((event) => entryOf(event)));
  const next = page.atEnd ? undefined : placeOf(page);
  if (isNewestFirst(query)) {
    return pageResult({ items, nextCursor: await app.reader.cursorOf(next, readOptions), members: { position: null } });
  }
  // The next page uses `after`, so the response has no link with a cursor.
  return {
    ...pageResult({ items, nextCursor: next, members: { position: page.position ?? null } }),
    nextCursor: undefined,
  };
};

/** Returns a page of the steps of a profile, and the place of the next page. */
const pageOfSteps = async (
  facts: Pick<Facts, 'readStream'>,
  ids: { readonly userId: string; readonly profileId: string },
  {
    place,
    limit,
    asOf,
  }: { readonly place: string | undefined; readonly limit: number; readonly asOf: string | undefined },
) => {
  const [from, begin] = place?.split('-').map(Number) ?? [];
  const steps = (first: number | undefined) => profileHistory(facts, ids, { begin, from: first, asOf });
  const { items, next } = await historyPage(steps(from), limit);
  // At an earlier `asOf` than that of the page before, the profile may exist without a step at the place.
  const [first] = items.length > 0 || begin === undefined ? items : (await historyPage(steps(begin), 1)).items;
  if (first === undefined) throw new DomainError('profile-not-found', { profileId: ids.profileId });
  return { items, next: next === undefined ? undefined : `${next}-${begin ?? first.revision}` };
};

const trailOf = ({ facts, walks }: RouteContext, { readOptions }: EventsCall) =>
  new AuditTrail(facts, (pages) => walks.pages(readOptions.walker, pages));

const readPages = async (app: RouteContext, call: EventsCall): Promise<AsyncIterable<readonly RecordedEvent[]>> => {
  const end = await recordRequest(app, call);
  const { limit = Number.POSITIVE_INFINITY } = call.query;
  return atMost(limit, trailOf(app, call).read(call.query, { ...readOrderOf(call), end }));
};

async function* atMost(limit: number, pages: AsyncIterable<{ readonly events: readonly RecordedEvent[] }>) {
  let room = limit;
  for await (const { events } of pages) {
    yield events.slice(0, room);
    room -= events.length;
    if (room <= 0) return;
  }
}

const recordRequest = (app: RouteContext, { query, by }: EventsCall) => {
  const { limit: _, cursor: __, sort, ...filters } = query;
  const filter = { ...present(filters), ...(isNewestFirst(query) && { sort }) };
  return recordReading(app, { what: 'events', filter }, by);
};
