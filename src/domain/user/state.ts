// The state of a user: the fold of its events, and the lookup of profiles.
import type { z } from 'zod';
import { type Dated, type EventContext, type Evolve, type Known, stateOf, type Unknown } from '../decider.js';
import { DomainError } from '../errors.js';
import { type Credentials, endsSessions, Person, type profileTypes, type userEvents } from './events.js';

export const approvalStatuses = ['ANALYSING', 'APPROVED', 'REJECTED'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];
export type ProfileType = (typeof profileTypes)[number];
export type PersonFields = z.infer<typeof Person>;

interface ProfileSpecialty extends Dated {
  readonly userProfileId: string;
  readonly specialtyId: string;
  readonly enabled: true;
}

type RecordedCredentials = z.infer<typeof Credentials>;

/** A profile as responses show it. It is `enabled` only while it is approved. */
export interface UserProfile extends Omit<RecordedCredentials, 'specialties'>, Dated {
  readonly userId: string;
  readonly approvalStatus: ApprovalStatus;
  readonly type: ProfileType;
  readonly enabled: boolean;
  /** Whether a field that the approval depends on has changed since the last approval. */
  readonly changedSinceApproval: boolean;
  readonly specialties: readonly ProfileSpecialty[];
}

export interface UserAuth {
  readonly type: 'USERPASS';
  readonly userId: string;
  readonly externalAuthId: string;
  readonly email: string | null;
}

/** An institution or unity that a user is attached to, with its name at that time. */
interface Attachment {
  readonly id: string;
  readonly name: string;
}

/** A user as responses show it. An erased user has null in all personal fields and cannot sign in. */
export interface UserFields extends PersonFields, Dated {
  readonly enabled: boolean;
  readonly profiles: readonly UserProfile[];
  readonly auth: readonly UserAuth[];
  readonly ratings: readonly never[];
  readonly unities: readonly Attachment[];
  readonly institutions: readonly Attachment[];
}

export interface RegisteredUser extends Known<UserFields, 'active' | 'erased'> {
  /** The number of events that ended all sessions of the user. */
  readonly sessionEpoch: number;
  /** Whether the user proved ownership of a contact address. */
  readonly isActivated: boolean;
}

export type User = Unknown | RegisteredUser;

const specialtyItems = (
  items: RecordedCredentials['specialties'],
  userProfileId: string,
  { at, before = [] }: { readonly at: string; readonly before?: readonly ProfileSpecialty[] },
): readonly ProfileSpecialty[] =>
  items.map(({ id, specialtyId }) => {
    const dates = { createdAt: at, updatedAt: at };
    const item = { id, userProfileId, specialtyId, enabled: true as const, ...dates };
    return before.find((previous) => previous.id === id && previous.specialtyId === specialtyId) ?? item;
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

type ProfileEvent = Extract<keyof typeof userEvents, `UserProfile${string}`>;

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
  UserProfileChangedSinceApproval: (profile, { isReviewed }, { at }) =>
    profile && { ...profile, changedSinceApproval: profile.changedSinceApproval || !isReviewed, updatedAt: at },
  UserProfileReturnedToAnalysis: decided('ANALYSING'),
  UserProfileResubmitted: (profile, { profileId, specialties, ...credentials }, on) => {
    const analysing = decided('ANALYSING')(profile, undefined, on);
    const items = specialtyItems(specialties, profileId, { at: on.at, before: profile?.specialties ?? [] });
    return analysing && { ...analysing, ...credentials, specialties: items };
  },
  UserProfileErased: (profile, _, { at }) =>
    profile && {
      ...profile,
      documentDoctor: null,
      documentDoctorState: null,
      documentDoctorUpdatedAt: null,
      enabled: false,
      updatedAt: at,
    },
};

type Fields = UserFields | undefined;

const inProfile =
  <T extends ProfileEvent>(type: T) =>
  (fields: Fields, data: z.infer<(typeof userEvents)[T]>, on: EventContext): Fields =>
    fields && {
      ...fields,
      updatedAt: on.at,
      profiles: fields.profiles.map((profile) =>
        profile.id === data.profileId ? (evolveProfile[type](profile, data as never, on) ?? profile) : profile,
      ),
    };

const withSignInEmail = (auth: readonly UserAuth[], email: string | null): readonly UserAuth[] =>
  auth.map((each) => ({ ...each, email }));

const attached = (to: readonly Attachment[], attachment: Attachment): readonly Attachment[] =>
  to.some(({ id }) => id === attachment.id) ? to : [...to, attachment];

const personFrom = (value: (field: keyof PersonFields) => PersonFields[keyof PersonFields]): PersonFields =>
  Object.fromEntries(Person.keyof().options.map((field) => [field, value(field)])) as PersonFields;

export const personOf = (fields: PersonFields): PersonFields => personFrom((field) => fields[field]);

const erasedPerson = personFrom(() => null);

/** Folds a user and its profiles. An unknown user stays unknown until UserRegistered. */
export const evolveUserFields: Evolve<Fields, typeof userEvents> = {
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
  UserProfileApproved: inProfile('UserProfileApproved'),
  UserProfileRejected: inProfile('UserProfileRejected'),
  UserProfileChangedSinceApproval: inProfile('UserProfileChangedSinceApproval'),
  UserProfileReturnedToAnalysis: inProfile('UserProfileReturnedToAnalysis'),
  UserProfileResubmitted: inProfile('UserProfileResubmitted'),
  UserAttachedToInstitution: (fields, { institutionId, name }, { at }) =>
    fields && { ...fields, updatedAt: at, institutions: attached(fields.institutions, { id: institutionId, name }) },
  UserAttachedToUnity: (fields, { unityId, name }, { at }) =>
    fields && { ...fields, updatedAt: at, unities: attached(fields.unities, { id: unityId, name }) },
  UserPhoneChanged: (fields, phone, { at }) => fields && { ...fields, ...phone, updatedAt: at },
  // These two events change no field that responses show.
  UserActivated: (fields) => fields,
  UserPasswordChanged: (fields) => fields,
  UserProfileErased: inProfile('UserProfileErased'),
  UserErased: (fields, _, on) => fields && { ...fields, ...erasedPerson, enabled: false, auth: [], updatedAt: on.at },
};

export const evolveUser = stateOf<UserFields, typeof userEvents, RegisteredUser>(
  evolveUserFields,
  (fields, state, event) => {
    const previous =
      state.status === 'unknown' ? ({ status: 'active', sessionEpoch: 0, isActivated: false } as const) : state;
    return {
      status: event.type === 'UserErased' ? 'erased' : previous.status,
      fields,
      sessionEpoch: previous.sessionEpoch + (endsSessions(event) ? 1 : 0),
      isActivated: previous.isActivated || event.type === 'UserActivated',
    };
  },
);

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
