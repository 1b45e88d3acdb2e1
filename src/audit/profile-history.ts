// The history of a profile, decision by decision. It shows auditors who approved whom, when and why.
import { z } from 'zod';
import type { EventContext } from '../domain/decider.js';
import { evolveProfile, UserProfile } from '../domain/user/state.js';
import { user } from '../domain/user/user.js';
import { type Facts, interpretable, type RecordedEvent } from '../infrastructure/facts/facts.js';
import { streamName } from '../infrastructure/stream-name.js';
import type { ReadNames, UserName } from '../projections/users.js';
import { isAfter } from './history.js';

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

type Named<Step extends { readonly actor: object }> = Step & {
  readonly actor: Step['actor'] & { readonly name: string | null };
};
/** A step with the current name of its actor; null if the actor is not a user or was erased. */
export type NamedStep = Named<ProfileStep>;

type Span = { readonly [P in 'begin' | 'from']?: number | undefined } & { readonly asOf?: string | undefined };

/**
 * Yields the steps of a profile, oldest first; none if the profile does not exist. Each step shows the profile as all
 * steps before it left it: `begin` is the revision of the first of them, if known, and `from` of the first one to yield.
 */
export async function* profileHistory(
  facts: Pick<Facts, 'readStream'>,
  { userId, profileId }: { readonly userId: string; readonly profileId: string },
  { begin, from = 0, asOf }: Span = {},
): AsyncGenerator<ProfileStep> {
  let profile: UserProfile | undefined;
  for await (const event of facts.readStream(streamName(user.aggregate, userId), { from: begin })) {
    if (isAfter(event, asOf)) return;
    if (!isOf(event, profileId)) continue;
    const before = profile;
    const { type, data, metadata } = interpretable(event);
    profile = folds[type]?.(profile, data as never, { id: userId, at: metadata.at });
    if (event.revision >= from) yield stepOf(event, before, profile);
  }
}

type Fold = (profile: UserProfile | undefined, data: never, on: EventContext) => UserProfile | undefined;
const folds: Readonly<Record<string, Fold>> = evolveProfile;

const isOf = ({ type, data }: RecordedEvent, profileId: string): boolean =>
  Object.hasOwn(folds, type) && (data as { profileId?: unknown }).profileId === profileId;

// The session and the address are those of a decision. The address and the reason are null, too, once the person was
// erased.
const stepOf = (
  { type, data, metadata, revision, position }: RecordedEvent,
  before: UserProfile | undefined,
  after: UserProfile | undefined,
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
  before: before ?? null,
  after: after ?? null,
});

/** Returns steps with the names of their actors, for readers who may see the names. An event holds only an id. */
export const withActorNames = async <Step extends { readonly actor: { readonly id: string } }>(
  readNames: ReadNames,
  steps: readonly Step[],
): Promise<readonly Named<Step>[]> => {
  const names = await readNames(steps.map(({ actor }) => actor.id));
  return steps.map((step) => ({ ...step, actor: { ...step.actor, name: nameOf(names.get(step.actor.id)) } }));
};

/** Returns first and last name; null if the person is unknown or was erased. */
export const nameOf = (name: Pick<UserName, 'firstName' | 'lastName'> | undefined): string | null =>
  [name?.firstName, name?.lastName].filter((part) => part).join(' ') || null;
