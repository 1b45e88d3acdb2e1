// The history of a profile, decision by decision. It shows auditors who approved whom, when and why.
import { z } from 'zod';
import type { EventContext } from '../domain/decider.js';
import { evolveProfile, UserProfile } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { type Facts, interpretable, type RecordedEvent } from '../infrastructure/facts/facts.js';
import { streamName } from '../infrastructure/stream-name.js';
import type { Views } from '../infrastructure/views/views.js';
import { namesOf, type UserName } from '../projections/users.js';
import { firstPage, historyOf, type Span } from './history.js';

/** An event of a profile with its actor, and the profile before and after the event. */
export const ProfileStep = z.object({
  type: z.string(),
  at: z.iso.datetime(),
  clock: z.iso
    .datetime()
    .nullable()
    .describe('The time of the clock of the process, if it was more than a minute behind `at`; else null.'),
  actor: z.object({ id: z.string(), roles: z.array(z.string()).readonly() }),
  origin: z.string().nullable(),
  sessionId: z.string().nullable().describe('The session in which a profile was approved or rejected.'),
  address: z
    .string()
    .nullable()
    .describe('The IPv4 address or the IPv6 /64 network of the decision. Null if the actor was erased.'),
  reason: z.string().nullable(),
  revision: z.int(),
  position: z.string(),
  before: UserProfile.nullable(),
  after: UserProfile.nullable(),
});
export type ProfileStep = z.infer<typeof ProfileStep>;

/** A step with the current name of its actor; null if the actor is not a user or was erased. */
export interface NamedStep extends ProfileStep {
  readonly actor: ProfileStep['actor'] & { readonly name: string | null };
}

type History = Pick<Facts, 'readStream'>;

/** A profile of a user. */
interface Ids {
  readonly userId: string;
  readonly profileId: string;
}

/** Yields the steps of a profile, oldest first; none if the profile does not exist. A span must not begin after its first. */
export async function* profileHistory(
  facts: History,
  { userId, profileId }: Ids,
  span?: Span,
): AsyncGenerator<ProfileStep> {
  let profile: UserProfile | undefined;
  for await (const event of historyOf(facts, streamName(user.aggregate, userId), span)) {
    if (!isOf(event, profileId)) continue;
    const before = profile ?? null;
    const { type, data, metadata } = interpretable(event);
    profile = folds[type]?.(profile, data as never, { id: userId, at: metadata.at });
    yield stepOf(event, before, profile ?? null);
  }
}

/** The place of a page after the first: the revisions of its first step and of the first step of the profile. */
export const STEP_PLACE = /^\d{1,15}-\d{1,15}$/;

/**
 * Returns a page of the steps of a profile; undefined if the profile does not exist. `next` is the place of the next
 * page. Each step shows the profile as all steps before it left it, so a page reads from the first step on.
 */
export const profilePage = async (
  facts: History,
  ids: Ids,
  {
    place,
    limit,
    asOf,
  }: { readonly place: string | undefined; readonly limit: number; readonly asOf: string | undefined },
): Promise<{ readonly items: readonly ProfileStep[]; readonly next: string | undefined } | undefined> => {
  const [from = 0, begin] = place?.split('-').map(Number) ?? [];
  const { items, next } = await firstPage(stepsFrom(from, profileHistory(facts, ids, { from: begin, asOf })), limit);
  const [first] = items;
  if (first === undefined) return undefined;
  return { items, next: next === undefined ? undefined : `${next}-${begin ?? first.revision}` };
};

async function* stepsFrom(revision: number, steps: AsyncIterable<ProfileStep>): AsyncGenerator<ProfileStep> {
  for await (const step of steps) if (step.revision >= revision) yield step;
}

type Fold = (profile: UserProfile | undefined, data: never, on: EventContext) => UserProfile | undefined;
const folds: Readonly<Record<string, Fold>> = evolveProfile;

const isOf = ({ type, data }: RecordedEvent, profileId: string): boolean =>
  Object.hasOwn(folds, type) && (data as { profileId?: unknown }).profileId === profileId;

// The session and the address are those of a decision. The address and the reason are null, too, once the person was
// erased.
const stepOf = (
  { type, data, metadata, revision, position }: RecordedEvent,
  before: UserProfile | null,
  after: UserProfile | null,
) => ({
  type,
  at: metadata.at,
  clock: metadata.clock ?? null,
  actor: metadata.actor,
  origin: metadata.origin ?? null,
  sessionId: metadata.sessionId ?? null,
  address: metadata.address ?? null,
  reason: (data as { reason?: string | null }).reason ?? null,
  revision,
  position,
  before,
  after,
});

/** Returns steps with the names of their actors, for readers who may see the names. An event holds only an id. */
export const withActorNames = async (
  views: Pick<Views, 'getAll'>,
  steps: readonly ProfileStep[],
): Promise<readonly NamedStep[]> => {
  const names = await namesOf(
    views,
    steps.map(({ actor }) => actor.id),
  );
  return steps.map((step) => ({ ...step, actor: { ...step.actor, name: nameOf(names.get(step.actor.id)) } }));
};

/** Returns first and last name; null if the person is unknown or was erased. */
export const nameOf = (name: Pick<UserName, 'firstName' | 'lastName'> | undefined): string | null =>
  [name?.firstName, name?.lastName].filter((part) => part).join(' ') || null;
