// Finds in the stream of a user which decision on each profile is the last one.
import { emptyOf, withRecorded } from '../../commands/loaded.js';
import { decidesStatus } from '../../domain/user/consequences.js';
import type { ApprovalStatus, ProfileType, User, UserProfile } from '../../domain/user/state.js';
import { user } from '../../domain/user/user.js';
import type { Facts, RecordedEvent } from '../../infrastructure/facts/facts.js';
import { streamName } from '../../infrastructure/stream-name.js';

/** How long a decision may be corrected before its message is sent. */
export const CORRECTION_MS = 120_000;

/** The last decision on a profile, or the person's own resubmission after it. */
export interface LastDecision {
  readonly event: RecordedEvent;
  /** Whether the person resubmitted the profile. */
  readonly isOwn: boolean;
  readonly profileType: ProfileType;
  /** The status before the first of the decisions that followed each other within the time for corrections. */
  readonly from: ApprovalStatus;
  readonly to: ApprovalStatus;
}

const profileIn = (state: User, profileId: string): UserProfile | undefined =>
  state.status === 'unknown' ? undefined : state.fields.profiles.find(({ id }) => id === profileId);

/** Returns when an event was recorded, in epoch milliseconds, even if the clock of an earlier event was ahead. */
export const timeOf = ({ metadata }: RecordedEvent): number => Date.parse(metadata.clock ?? metadata.at);

// After a clock was ahead, nobody knows how long it took.
const isSoonAfter = (later: number, earlier: number): boolean => later >= earlier && later - earlier <= CORRECTION_MS;

/** Returns the decision that an event records; undefined if the event decides on no status. */
const decisionIn = (
  event: RecordedEvent,
  [before, after]: readonly [User, User],
  decisions: ReadonlyMap<string, LastDecision>,
): readonly [string, LastDecision] | undefined => {
  if (!decidesStatus(event)) return undefined;
  const { profileId } = event.data as { readonly profileId: string };
  const [was, is] = [profileIn(before, profileId), profileIn(after, profileId)];
  if (was === undefined || is === undefined) return undefined;
  const isOwn =
    event.type === 'UserProfileResubmitted' && streamName(user.aggregate, event.metadata.actor.id) === event.stream;
  const previous = decisions.get(profileId);
  // What the person does is no decision, so the next decision corrects nothing.
  const mayCorrect = previous !== undefined && !previous.isOwn && !isOwn;
  const isCorrection = mayCorrect && isSoonAfter(timeOf(event), timeOf(previous.event));
  const from = isCorrection ? previous.from : was.approvalStatus;
  return [profileId, { event, isOwn, profileType: is.type, from, to: is.approvalStatus }];
};

/** Returns the user as loaded, the event with an id if the stream has it, and the last decision on each profile. */
export const lastDecisionsOf = async (facts: Pick<Facts, 'readStream'>, userId: string, eventId: string) => {
  let loaded = emptyOf(user);
  let found: RecordedEvent | undefined;
  const decisions = new Map<string, LastDecision>();
  for await (const event of facts.readStream(streamName(user.aggregate, userId))) {
    const before = loaded.state;
    loaded = withRecorded(user, userId, loaded, event);
    if (event.id === eventId) found = event;
    const decision = decisionIn(event, [before, loaded.state], decisions);
    if (decision !== undefined) decisions.set(...decision);
  }
  return { loaded, found, decisions: [...decisions.values()] };
};
