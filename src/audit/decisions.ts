// The list of decisions on profiles, newest first. The read model has no personal data: the names come from the read
// model of users and the reasons from the log, so that an erasure removes them at once.
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import { z } from 'zod';
import { uuid } from '../domain/fields.js';
import { decisionTypes, profileTypes } from '../domain/user/events.js';
import { approvalStatuses } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { type Facts, interpretable, type Position } from '../infrastructure/facts/facts.js';
import { streamName } from '../infrastructure/stream-name.js';
import type { Bound, Views } from '../infrastructure/views/views.js';
import { type Decision, decisions } from '../projections/decisions.js';
import { namesOf, type UserName } from '../projections/users.js';
import { nameOf } from './profile-history.js';

const name = z.string().nullable();

/** A decision as auditors see it. */
export const ListedDecision = z
  .object({
    at: z.iso.datetime(),
    type: z.enum(decisionTypes),
    reason: z.string().nullable().describe('Null if no reason was given, or if the user of the profile was erased.'),
    decidedBy: z
      .object({ id: z.string(), name })
      .describe('The actor with the current name. The name is null if the actor is not a user or was erased.')
      .meta({ id: 'DecisionActor' }),
    user: z
      .object({ id: uuid(), name })
      .describe('The user of the profile with the current name. The name is null if the person was erased.')
      .meta({ id: 'DecisionUser' }),
    profileId: uuid(),
    profileType: z.enum(profileTypes),
    before: z.enum(approvalStatuses),
    after: z.enum(approvalStatuses),
    revision: z.int(),
  })
  .meta({ id: 'ListedDecision' });
export type ListedDecision = z.infer<typeof ListedDecision>;

/**
 * The filters of the list. `from` is inclusive, `to` exclusive. `approvalStatus` is the status after the decision.
 * `institutionId` is an institution that the user of the profile is attached to now.
 */
export type DecisionFilter = {
  readonly [F in 'from' | 'to' | 'decidedBy' | 'approvalStatus' | 'profileType' | 'institutionId']?: string | undefined;
};

interface Sources {
  readonly views: Pick<Views, 'list' | 'getAll'>;
  readonly facts: Pick<Facts, 'readStream'>;
}

interface Page {
  readonly items: readonly ListedDecision[];
  /** The place after which the next page starts; undefined on the last page. */
  readonly next: string | undefined;
}

// The number of decisions that one read returns. They name at most twice as many persons.
const PAGE_SIZE = 200;
// A page of the response examines at most 10,000 decisions.
const MOST_READS = 50;

/**
 * Returns at most `limit` matching decisions after a place. If few users of an institution have decisions, the page may
 * have fewer, because a page examines a bounded number of decisions.
 */
export const decisionPage = async (
  sources: Sources,
  filter: DecisionFilter,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Page> => {
  const { institutionId } = filter;
  const query = queryOf(filter, institutionId === undefined ? limit : PAGE_SIZE);
  const found: Named[] = [];
  let next = after;
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    const page = await sources.views.list({ ...query, after: next });
    const matching = (await named(sources, JSON.parse(page.json))).filter(isOf(institutionId));
    const room = limit - found.length;
    found.push(...matching.slice(0, room));
    next = matching.length > room ? found.at(-1)?.decision.position : page.next;
    if (next === undefined || found.length === limit) break;
    await nextTurn();
  }
  return { items: await withReasons(sources, found), next };
};

/** Yields the matching decisions after a place, at most `limit`, page by page. */
export async function* decisionPages(
  sources: Sources,
  filter: DecisionFilter,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): AsyncGenerator<readonly ListedDecision[]> {
  let [place, room] = [after, limit];
  do {
    const { items, next } = await decisionPage(sources, filter, { after: place, limit: Math.min(room, PAGE_SIZE) });
    if (items.length > 0) yield items;
    place = next;
    room -= items.length;
  } while (place !== undefined && room > 0);
}

const queryOf = ({ from, to, decidedBy, approvalStatus, profileType }: DecisionFilter, limit: number) => {
  const equal = Object.entries({ decidedBy, approvalStatus, profileType });
  const bound = (is: Bound['is'], instant: string | undefined): readonly Bound[] =>
    instant === undefined ? [] : [{ field: 'at', is, value: millisecondOf(instant) }];
  return {
    collection: decisions.name,
    where: Object.fromEntries(equal.flatMap(([field, value]) => (value === undefined ? [] : [[field, value]]))),
    prefix: {},
    bounds: [...bound('atLeast', from), ...bound('below', to)],
    order: 'newest-first',
    limit,
  } as const;
};

/**
 * Returns the first millisecond that is not before a time, which may be finer than that. Times up to the year 9999
 * compare as text; a later one is after all events.
 */
const millisecondOf = (instant: string): string => {
  const isFiner = /\.\d{3}\d*[1-9]/.test(instant);
  const text = new Date(Date.parse(instant) + (isFiner ? 1 : 0)).toISOString();
  return text.startsWith('+') ? '9999-12-31T23:59:59.999Z' : text;
};

/** A decision with the present state of its persons, as far as they are known. */
interface Named {
  readonly decision: Decision;
  readonly user: UserName | undefined;
  readonly decidedBy: UserName | undefined;
}

const named = async ({ views }: Sources, found: readonly Decision[]): Promise<readonly Named[]> => {
  const users = await namesOf(
    views,
    found.flatMap(({ userId, decidedBy }) => [userId, decidedBy]),
  );
  return found.map((decision) => ({
    decision,
    user: users.get(decision.userId),
    decidedBy: users.get(decision.decidedBy),
  }));
};

const isOf =
  (institutionId: string | undefined) =>
  ({ user: of }: Named): boolean =>
    institutionId === undefined || (of?.institutionIds.includes(institutionId) ?? false);

// A page has at most 200 users.
const STREAMS_AT_ONCE = 8;

const withReasons = async ({ facts }: Sources, found: readonly Named[]): Promise<readonly ListedDecision[]> => {
  const limited = pLimit(STREAMS_AT_ONCE);
  const userIds = [...new Set(found.map(({ decision }) => decision.userId))];
  const ofUser = (userId: string) => found.flatMap(({ decision }) => (decision.userId === userId ? [decision] : []));
  const read = await Promise.all(userIds.map((id) => limited(() => reasonsOf(facts, id, ofUser(id)))));
  const reasons = new Map(read.flatMap((each) => [...each]));
  return found.map((each) => listed(each, reasons.get(each.decision.position) ?? null));
};

/** Returns the reasons of decisions on the profiles of a user, by position. */
const reasonsOf = async (facts: Sources['facts'], userId: string, wanted: readonly Decision[]) => {
  const revisions = wanted.map(({ revision }) => revision);
  const last = Math.max(...revisions);
  const reasons = new Map<Position, string | null>();
  for await (const event of facts.readStream(streamName(user.aggregate, userId), Math.min(...revisions))) {
    if (revisions.includes(event.revision)) {
      reasons.set(event.position, (interpretable(event).data as { readonly reason: string | null }).reason);
    }
    if (event.revision >= last) break;
  }
  return reasons;
};

const listed = ({ decision, user: of, decidedBy }: Named, reason: string | null): ListedDecision => ({
  at: decision.at,
  type: decision.type,
  reason,
  decidedBy: { id: decision.decidedBy, name: nameOf(decidedBy) },
  user: { id: decision.userId, name: nameOf(of) },
  profileId: decision.profileId,
  profileType: decision.profileType,
  before: decision.before,
  after: decision.after,
  revision: decision.revision,
});

/** Yields pages of decisions as JSON lines, one text per page. */
export async function* decisionLines(pages: AsyncIterable<readonly ListedDecision[]>): AsyncGenerator<string> {
  for await (const items of pages) yield items.map((item) => `${JSON.stringify(item)}\n`).join('');
}

const COLUMNS: Readonly<Record<string, (decision: ListedDecision) => string | number | null>> = {
  at: ({ at }) => at,
  type: ({ type }) => type,
  reason: ({ reason }) => reason,
  decidedById: ({ decidedBy }) => decidedBy.id,
  decidedByName: ({ decidedBy }) => decidedBy.name,
  userId: ({ user: of }) => of.id,
  userName: ({ user: of }) => of.name,
  profileId: ({ profileId }) => profileId,
  profileType: ({ profileType }) => profileType,
  before: ({ before }) => before,
  after: ({ after }) => after,
  revision: ({ revision }) => revision,
};

/** Yields pages of decisions as CSV (RFC 4180) with a header line, and before it a byte order mark if `isMarked`. */
export async function* decisionTable(
  pages: AsyncIterable<readonly ListedDecision[]>,
  isMarked = false,
): AsyncGenerator<string> {
  const row = (values: readonly (string | number | null)[]) => `${values.map(cellOf).join(',')}\r\n`;
  yield `${isMarked ? '\uFEFF' : ''}${row(Object.keys(COLUMNS))}`;
  for await (const items of pages)
    yield items.map((item) => row(Object.values(COLUMNS).map((of) => of(item)))).join('');
}

// Some spreadsheets separate cells at semicolons or tabs, and then see no quotes inside a line. Without separators and
// line ends in texts, they show each decision in one cell, which begins with its time.
const SEPARATORS = /\r\n|[;\p{Cc}\u2028\u2029]/gu;
// A spreadsheet takes a text that begins like this for a formula, also after characters that it does not show.
const FORMULA = /^[\s\p{C}\p{DI}\u2800]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212]/u;

/** Returns a cell of CSV. */
const cellOf = (value: string | number | null): string => {
  const text = `${value ?? ''}`.replace(SEPARATORS, ' ').replace(FORMULA, "'$&");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
