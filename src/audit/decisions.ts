// The list of decisions on profiles, newest first. The read model has no personal data: the names come from the read
// model of users and the reasons from the log, so that an erasure removes them at once.
import { z } from 'zod';
import { boundOf, comparableInstant } from '../domain/comparable.js';
import { present, uuid } from '../domain/fields.js';
import { decisionTypes } from '../domain/user/consequences.js';
import { profileTypes } from '../domain/user/events.js';
import { approvalStatuses } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { type Facts, interpretable, type Position } from '../infrastructure/facts/facts.js';
import { PAGE, pagesOf } from '../infrastructure/pages.js';
import { streamName } from '../infrastructure/stream-name.js';
import { readEach } from '../infrastructure/turns.js';
import { type Bound, listPages, type Views } from '../infrastructure/views/views.js';
import { type Decision, profileDecisions } from '../projections/decisions.js';
import { namesOf, type UserName } from '../projections/users.js';
import { nameOf } from './profile-history.js';

const name = z.string().nullable();

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

// A page of the response examines at most 10,240 decisions.
const MOST_READS = 40;

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
  const query = queryOf(filter, institutionId === undefined ? limit : PAGE.items);
  const found: Named[] = [];
  let [next, reads] = [after, 0];
  for await (const page of listPages(sources.views, { ...query, after })) {
    const matching = (await named(sources, JSON.parse(page.json))).filter(isOf(institutionId));
    const room = limit - found.length;
    found.push(...matching.slice(0, room));
    next = matching.length > room ? found.at(-1)?.decision.position : page.next;
    reads += 1;
    if (found.length === limit || reads === MOST_READS) break;
  }
  return { items: await withReasons(sources, found), next };
};

/** Yields the matching decisions after a place, at most `limit`, page by page. */
export async function* decisionPages(
  sources: Sources,
  filter: DecisionFilter,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): AsyncGenerator<readonly ListedDecision[]> {
  let room = limit;
  const read = (place: string | undefined) =>
    decisionPage(sources, filter, { after: place, limit: Math.min(room, PAGE.items) });
  for await (const { items } of pagesOf(read, ({ next }) => next, { from: after })) {
    yield items;
    room -= items.length;
    if (room <= 0) return;
  }
}

const queryOf = ({ from, to, decidedBy, approvalStatus, profileType }: DecisionFilter, limit: number) => {
  const bound = (is: Bound['is'], instant: string | undefined): readonly Bound[] =>
    instant === undefined
      ? []
      : [{ field: 'at', is, value: comparableInstant(new Date(boundOf(instant)).toISOString()) }];
  return {
    collection: profileDecisions.name,
    where: present({ decidedBy, approvalStatus, profileType }),
    bounds: [...bound('atLeast', from), ...bound('below', to)],
    order: 'newest-first',
    limit,
  } as const;
};

/** A decision with the present state of its persons, as far as they are known. */
interface Named {
  readonly decision: Decision;
  readonly user: UserName | undefined;
  readonly decidedBy: UserName | undefined;
}

const named = async ({ views }: Sources, found: readonly Decision[]): Promise<readonly Named[]> => {
  const ids = found.flatMap(({ userId, decidedBy }) => [userId, decidedBy]);
  const names = await namesOf(views, ids);
  return found.map((decision) => {
    const [of, by] = [names.get(decision.userId), names.get(decision.decidedBy)];
    return { decision, user: of, decidedBy: by };
  });
};

const isOf =
  (institutionId: string | undefined) =>
  ({ user: of }: Named): boolean =>
    institutionId === undefined || (of?.institutionIds.includes(institutionId) ?? false);

const withReasons = async ({ facts }: Sources, found: readonly Named[]): Promise<readonly ListedDecision[]> => {
  const userIds = [...new Set(found.map(({ decision }) => decision.userId))];
  const ofUser = (userId: string) => found.flatMap(({ decision }) => (decision.userId === userId ? [decision] : []));
  const read = await readEach(userIds, (id) => reasonsOf(facts, id, ofUser(id)));
  const reasons = new Map(read.flatMap((each) => [...each]));
  return found.map((each) => listed(each, reasons.get(each.decision.position) ?? null));
};

/** Returns the reasons of decisions on the profiles of a user, by position. */
const reasonsOf = async (facts: Sources['facts'], userId: string, wanted: readonly Decision[]) => {
  const revisions = wanted.map(({ revision }) => revision);
  const reasons = new Map<Position, string | null>();
  for (const range of rangesOf(revisions)) {
    for await (const event of facts.readStream(streamName(user.aggregate, userId), range)) {
      if (!revisions.includes(event.revision)) continue;
      reasons.set(event.position, (interpretable(event).data as { readonly reason: string | null }).reason);
    }
  }
  return reasons;
};

/** Returns ranges with all of these revisions. Between two that are more than a page apart, a user may have very many. */
const rangesOf = (revisions: readonly number[]) => {
  const ranges: { from: number; to: number }[] = [];
  for (const revision of revisions.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && revision - last.to <= PAGE.items) last.to = revision;
    else ranges.push({ from: revision, to: revision });
  }
  return ranges;
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

const cellOf = (value: string | number | null): string => {
  const text = `${value ?? ''}`.replace(SEPARATORS, ' ').replace(FORMULA, "'$&");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
