// The life of a profile in words: what each step changed, who took it, and from where.
import type { components } from '../api/schema.js';
import type { Texts } from '../texts/en.js';

export type User = components['schemas']['User'];
export type UserProfile = components['schemas']['UserProfile'];
export type Step = components['schemas']['ProfileHistoryStep'];

/** The sign and the shade of every type of event in the life of a profile. */
const EVENTS = {
  UserProfileAdded: ['clock', 'waiting'],
  UserProfileApproved: ['check', 'approved'],
  UserProfileRejected: ['cross', 'rejected'],
  UserProfileDecisionExplained: ['more', 'quiet'],
  UserProfileChangedSinceApproval: ['warning', 'waiting'],
  UserProfileReturnedToAnalysis: ['clock', 'waiting'],
  UserProfileResubmitted: ['clock', 'waiting'],
  UserProfileErased: ['cross', 'quiet'],
} as const satisfies Readonly<Record<string, readonly [sign: string, shade: string]>>;

export type ProfileEvent = keyof typeof EVENTS;
export const profileEvents = Object.keys(EVENTS) as readonly ProfileEvent[];

const isKnown = (type: string): type is ProfileEvent => Object.hasOwn(EVENTS, type);

/** Returns the sign, the shade and the name of a step. A type that the console does not know shows its own name. */
export const titleOf = ({ timeline }: Texts, { type }: Pick<Step, 'type'>) => {
  const [sign, shade] = isKnown(type) ? EVENTS[type] : (['more', 'quiet'] as const);
  return { sign, shade, title: isKnown(type) ? timeline.events[type] : type };
};

/** What the values of a profile are shown with. */
export interface Words {
  readonly texts: Texts;
  readonly day: (date: string) => string;
  readonly specialty: (id: string) => string;
}

// These fields never change, or follow from others.
type Unshown = 'id' | 'userId' | 'enabled' | 'createdAt' | 'updatedAt';
export type ProfileField = Exclude<keyof UserProfile, Unshown>;
type Show = (profile: UserProfile, words: Words) => string | null;

const FIELDS: { readonly [F in ProfileField]: Show } = {
  approvalStatus: ({ approvalStatus }, { texts }) => texts.statuses[approvalStatus],
  type: ({ type }, { texts }) => texts.profileTypes[type],
  documentDoctor: ({ documentDoctor }) => documentDoctor,
  documentDoctorState: ({ documentDoctorState }) => documentDoctorState,
  documentDoctorUpdatedAt: ({ documentDoctorUpdatedAt: date }, { day }) => date && day(date),
  specialties: ({ specialties }, { specialty }) =>
    specialties.map(({ specialtyId }) => specialty(specialtyId)).join(', ') || null,
  changedSinceApproval: ({ changedSinceApproval }, { texts }) => (changedSinceApproval ? texts.timeline.yes : null),
};

export interface Change {
  readonly field: ProfileField;
  readonly from: string | null;
  readonly to: string | null;
}

/** Returns what differs between two states of a profile, in words. A value that is not there is null. */
export const changesOf = (words: Words, { before, after }: Pick<Step, 'before' | 'after'>): readonly Change[] => {
  const shown = (profile: UserProfile | null, field: ProfileField) => profile && FIELDS[field](profile, words);
  return (Object.keys(FIELDS) as ProfileField[])
    .map((field) => ({ field, from: shown(before, field), to: shown(after, field) }))
    .filter(({ from, to }) => from !== to);
};

/** Returns who took a step. An actor without a name is the operator, somebody who did not sign in, or was erased. */
export const whoOf = ({ timeline }: Texts, { actor }: Pick<Step, 'actor'>, userId: string): string => {
  if (actor.id === userId) return timeline.self;
  const others: Readonly<Record<string, string>> = timeline.actors;
  return actor.name ?? others[actor.id] ?? timeline.unnamed(actor.id);
};

/** Returns from where a step was taken, as far as it is recorded. */
export const sourcesOf = ({ timeline }: Texts, { origin, address, sessionId }: Step): readonly string[] =>
  [
    origin && timeline.origin(origin),
    address && timeline.address(address),
    sessionId && timeline.session(sessionId),
  ].filter((source) => typeof source === 'string');

/** Returns the name of a person. An erased person has none. */
export const nameOf = (
  { approvals }: Texts,
  person: Readonly<Record<'firstName' | 'lastName', string | null>>,
): string => [person.firstName, person.lastName].filter(Boolean).join(' ') || approvals.erased;
