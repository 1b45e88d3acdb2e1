// The state of a user: the fold of its events, and the lookup of profiles.
import { z } from 'zod';
import { derived, type EventContext, type Evolve, type Known, type Of, stateOf, type Unknown } from '../decider.js';
import { DomainError } from '../errors.js';
import { dated, uuid } from '../fields.js';
import { endsSessions, isDecision, type ProfileEvent } from './consequences.js';
import { Credentials, Person, profileTypes, type userEvents } from './events.js';

export const approvalStatuses = ['ANALYSING', 'APPROVED', 'REJECTED'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];
export type ProfileType = (typeof profileTypes)[number];
export type PersonFields = z.infer<typeof Person>;

const ProfileSpecialty = z
  .object(dated({ userProfileId: uuid(), specialtyId: uuid(), enabled: z.boolean() }))
  .meta({ id: 'UserProfileSpecialty' });
type ProfileSpecialty = z.infer<typeof ProfileSpecialty>;

/** A profile as responses show it. */
export const UserProfile = z
  .object({
    ...dated({
      userId: uuid(),
      approvalStatus: z.enum(approvalStatuses),
      ...Credentials.shape,
      documentDoctor: Credentials.shape.documentDoctor.describe('The professional registration number.'),
      type: z.enum(profileTypes),
      enabled: z.boolean().describe('True while the profile is approved.'),
      changedSinceApproval: z
        .boolean()
        .describe('Whether the name or document of the user has changed since the approval.'),
    }),
    specialties: z.array(ProfileSpecialty).readonly(),
  })
  .meta({ id: 'UserProfile' });
export type UserProfile = z.infer<typeof UserProfile>;

const UserAuth = z
  .object({ type: z.literal('USERPASS'), userId: uuid(), externalAuthId: uuid(), email: Person.shape.email })
  .meta({ id: 'UserAuth' });
export type UserAuth = z.infer<typeof UserAuth>;

/** An institution or unity that a user is attached to. The fold has its name at the time of the attachment. */
const Attachment = z
  .object({ id: uuid(), name: z.string().describe('The present name; with `asOf`, the name at that time.') })
  .meta({ id: 'UserAttachment' });
type Attachment = z.infer<typeof Attachment>;

/** A user as responses show it. An erased user cannot sign in. */
export const UserFields = z
  .object({
    ...dated({ ...Person.shape, enabled: z.boolean() }),
    profiles: z.array(UserProfile).readonly(),
    auth: z.array(UserAuth).readonly(),
    ratings: z.array(z.unknown()).readonly().describe('Always empty.'),
    unities: z.array(Attachment).readonly(),
    institutions: z.array(Attachment).readonly(),
  })
  .meta({ id: 'User', description: 'Personal fields are null if they were never given or were erased.' });
export type UserFields = z.infer<typeof UserFields>;

export interface RegisteredUser extends Known<UserFields, 'active' | 'erased'> {
  /** The number of events that ended all sessions of the user. */
  readonly sessionEpoch: number;
  /** Whether the user proved ownership of a contact address. */
  readonly isActivated: boolean;
  /** The last recorded reason of the last decision on each profile, by the id of the profile. */
  readonly reasons: Readonly<Record<string, string | null>>;
  /** The institution of each unity that the user is or was attached to, by the id of the unity. */
  readonly institutionsOfUnities: Readonly<Record<string, string>>;
}

export type User = Unknown | RegisteredUser;

const specialtyItems = (
  items: z.infer<typeof Credentials>['specialties'],
  userProfileId: string,
  { at, before = [] }: { readonly at: string; readonly before?: readonly ProfileSpecialty[] },
): readonly ProfileSpecialty[] =>
  items.map(({ id, specialtyId }) => {
    const item = { id, userProfileId, specialtyId, enabled: true, createdAt: at, updatedAt: at };
    return before.find((previous) => previous.id === id && previous.specialtyId === specialtyId) ?? item;
  });

/** Returns a profile without its personal fields. */
export const withoutCredentials = (profile: UserProfile): UserProfile => ({
  ...profile,
  documentDoctor: null,
  documentDoctorState: null,
  documentDoctorUpdatedAt: null,
});

const decided =
  (approvalStatus: ApprovalStatus) =>
  (profile: UserProfile | undefined, _: unknown, { at }: EventContext): UserProfile | undefined =>
    profile && {
      ...profile,
      approvalStatus,
      enabled: approvalStatus === 'APPROVED',
      changedSinceApproval: false,
      updatedAt: at,
    };

/** Folds a profile. The state of a user, the read model of profiles and the profile history share this table. */
export const evolveProfile: Evolve<UserProfile | undefined, Pick<typeof userEvents, ProfileEvent>> = {
  UserProfileAdded: (_, { profileId, type, specialties, ...credentials }, { id, at }) => ({
    id: profileId,
    userId: id,
    approvalStatus: 'ANALYSING',
    ...credentials,
    type,
    enabled: false,
    changedSinceApproval: false,
    createdAt: at,
    updatedAt: at,
    specialties: specialtyItems(specialties, profileId, { at }),
  }),
  UserProfileApproved: decided('APPROVED'),
  UserProfileRejected: decided('REJECTED'),
  UserProfileDecisionExplained: (profile) => profile,
  UserProfileChangedSinceApproval: (profile, { isReviewed }, { at }) =>
    profile && { ...profile, changedSinceApproval: profile.changedSinceApproval || !isReviewed, updatedAt: at },
  UserProfileReturnedToAnalysis: decided('ANALYSING'),
  UserProfileResubmitted: (profile, { profileId, specialties, ...credentials }, on) => {
    const analysing = decided('ANALYSING')(profile, undefined, on);
    if (analysing === undefined) return undefined;
    const items = specialtyItems(specialties, profileId, { at: on.at, before: analysing.specialties });
    return { ...analysing, ...credentials, specialties: items };
  },
  UserProfileErased: (profile, _, { at }) =>
    profile && { ...withoutCredentials(profile), enabled: false, updatedAt: at },
};

type Fields = UserFields | undefined;

/** Folds the events of a user's profiles. */
const evolveProfiles = derived(
  evolveProfile,
  (fold) =>
    (fields: Fields, data: { readonly profileId: string }, on): Fields =>
      fields && {
        ...fields,
        updatedAt: on.at,
        profiles: fields.profiles.map((profile) =>
          profile.id === data.profileId ? (fold(profile, data as never, on) ?? profile) : profile,
        ),
      },
);

const withSignInEmail = (auth: readonly UserAuth[], email: string | null): readonly UserAuth[] =>
  auth.map((each) => ({ ...each, email }));

const attached = (to: readonly Attachment[], attachment: Attachment): readonly Attachment[] =>
  to.some(({ id }) => id === attachment.id) ? to : [...to, attachment];

const detached = (from: readonly Attachment[], id: string): readonly Attachment[] =>
  from.filter((attachment) => attachment.id !== id);

const personFrom = (value: (field: keyof PersonFields) => PersonFields[keyof PersonFields]): PersonFields =>
  Object.fromEntries(Person.keyof().options.map((field) => [field, value(field)])) as PersonFields;

export const personOf = (fields: PersonFields): PersonFields => personFrom((field) => fields[field]);

const erasedPerson = personFrom(() => null);

/** Folds a user and its profiles. An unknown user stays unknown until UserRegistered. */
export const evolveUserFields: Evolve<Fields, typeof userEvents> = {
  ...evolveProfiles,
  UserRegistered: (_, { externalAuthId, acceptedTerms: __, ...content }, { id, at }) => ({
    id,
    ...content,
    createdAt: at,
    updatedAt: at,
    profiles: [],
    auth: [{ type: 'USERPASS', userId: id, externalAuthId, email: content.email }],
    ratings: [],
    unities: [],
    institutions: [],
  }),
  UserRevised: (fields, { enabled, signInEmail, ...person }, { at }) =>
    fields && { ...fields, ...person, auth: withSignInEmail(fields.auth, signInEmail), enabled, updatedAt: at },
  UserSignInEmailChanged: (fields, { email }, { at }) =>
    fields && { ...fields, email, auth: withSignInEmail(fields.auth, email), updatedAt: at },
  UserProfileAdded: (fields, data, on) => {
    const profile = evolveProfile.UserProfileAdded(undefined, data, on);
    return fields && profile && { ...fields, updatedAt: on.at, profiles: [...fields.profiles, profile] };
  },
  UserAttachedToInstitution: (fields, { institutionId, name }, { at }) =>
    fields && { ...fields, updatedAt: at, institutions: attached(fields.institutions, { id: institutionId, name }) },
  UserAttachedToUnity: (fields, { unityId, name }, { at }) =>
    fields && { ...fields, updatedAt: at, unities: attached(fields.unities, { id: unityId, name }) },
  UserDetachedFromInstitution: (fields, { institutionId }, { at }) =>
    fields && { ...fields, updatedAt: at, institutions: detached(fields.institutions, institutionId) },
  UserDetachedFromUnity: (fields, { unityId }, { at }) =>
    fields && { ...fields, updatedAt: at, unities: detached(fields.unities, unityId) },
  UserPhoneChanged: (fields, phone, { at }) => fields && { ...fields, ...phone, updatedAt: at },
  // These three events change no field that responses show.
  UserProfileDecisionExplained: (fields) => fields,
  UserActivated: (fields) => fields,
  UserPasswordChanged: (fields) => fields,
  UserErased: (fields, _, on) => fields && { ...fields, ...erasedPerson, enabled: false, auth: [], updatedAt: on.at },
};

export const evolveUser = stateOf<UserFields, typeof userEvents, RegisteredUser>(
  evolveUserFields,
  (fields, state, event) => {
    const previous =
      state.status === 'unknown'
        ? ({ status: 'active', sessionEpoch: 0, isActivated: false, reasons: {}, institutionsOfUnities: {} } as const)
        : state;
    return {
      status: event.type === 'UserErased' ? 'erased' : previous.status,
      fields,
      sessionEpoch: previous.sessionEpoch + (endsSessions(event) ? 1 : 0),
      isActivated: previous.isActivated || event.type === 'UserActivated',
      reasons: reasonsAfter(event, previous.reasons),
      institutionsOfUnities: institutionsAfter(event, previous.institutionsOfUnities),
    };
  },
);

const reasonsAfter = (event: Of<typeof userEvents>, reasons: RegisteredUser['reasons']): RegisteredUser['reasons'] => {
  if (event.type === 'UserErased') return {};
  const { type, data } = event;
  return isDecision(type) && 'reason' in data ? { ...reasons, [data.profileId]: data.reason } : reasons;
};

const institutionsAfter = (
  { type, data }: Of<typeof userEvents>,
  institutions: RegisteredUser['institutionsOfUnities'],
): RegisteredUser['institutionsOfUnities'] =>
  type === 'UserAttachedToUnity' ? { ...institutions, [data.unityId]: data.institutionId } : institutions;

/** Returns a user, active or erased. Throws `user-not-found` if the user does not exist. */
export const userOf = (state: User): UserFields => {
  if (state.status === 'unknown') throw new DomainError('user-not-found', {});
  return state.fields;
};

/** Returns a user. Throws `user-not-found` if the user does not exist, and `user-erased` if the user was erased. */
export const activeUserOf = (state: User): UserFields => {
  const fields = userOf(state);
  if (state.status === 'erased') throw new DomainError('user-erased', { userId: fields.id });
  return fields;
};

/** Returns the address that a user signs in with; null if the user was erased. */
export const signInEmailOf = ({ auth }: Pick<UserFields, 'auth'>): string | null => auth[0]?.email ?? null;

/** Returns the last recorded reason of the last decision on a profile; null if there is none. */
export const recordedReason = (state: User, profileId: string): string | null =>
  (state.status === 'active' && state.reasons[profileId]) || null;

/** Returns the institution of a unity that a user is or was attached to; undefined for any other unity. */
export const institutionOfUnity = (state: User, unityId: string): string | undefined =>
  state.status === 'unknown' ? undefined : state.institutionsOfUnities[unityId];

export const isActivated = (state: User): boolean => state.status === 'active' && state.isActivated;

/** Returns whether a user exists, is not erased, and is enabled. */
export const isEnabled = (state: User): state is RegisteredUser => state.status === 'active' && state.fields.enabled;

/** Returns a profile. Throws `profile-not-found` if it does not exist. */
export const profileOf = ({ profiles }: UserFields, profileId: string): UserProfile => {
  const profile = profiles.find(({ id }) => id === profileId);
  if (profile === undefined) throw new DomainError('profile-not-found', { profileId });
  return profile;
};

/** Returns the roles of a user: the types of the approved profiles, without duplicates. An erased user has none. */
export const rolesOf = (state: User): readonly ProfileType[] =>
  state.status === 'active'
    ? [...new Set(state.fields.profiles.filter(({ enabled }) => enabled).map(({ type }) => type))]
    : [];
