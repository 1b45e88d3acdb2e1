// The state of a user: how its events fold, and where to find a profile in it.
import type { z } from 'zod';
import { type Evolve, type Known, type Occasion, stateOf, type Unknown } from '../decider.js';
import { DomainError } from '../errors.js';
import { endsSessions } from '../session-ends.js';
import type { Credentials, Person, profileTypes, userEvents } from './events.js';

export const approvalStatuses = ['ANALYSING', 'APPROVED', 'REJECTED'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];
export type ProfileType = (typeof profileTypes)[number];
export type PersonFields = z.infer<typeof Person>;

interface Dated {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A specialty of a profile, as it is answered. */
export interface ProfileSpecialty extends Dated {
  readonly userProfileId: string;
  readonly specialtyId: string;
  readonly enabled: true;
}

type RecordedCredentials = z.infer<typeof Credentials>;

/** A profile as it is answered; `enabled` only while it is approved. */
export interface UserProfile extends Omit<RecordedCredentials, 'specialties'>, Dated {
  readonly userId: string;
  readonly approvalStatus: ApprovalStatus;
  readonly type: ProfileType;
  readonly enabled: boolean;
  /** Whether what the approval rests on has changed since, and nobody has approved the profile again. */
  readonly changedSinceApproval: boolean;
  readonly specialties: readonly ProfileSpecialty[];
}

/** A way to sign in. */
export interface UserAuth {
  readonly type: 'USERPASS';
  readonly userId: string;
  readonly externalAuthId: string;
  readonly email: string | null;
}

/** What a user is attached to, by the name that it had then. */
export interface Attachment {
  readonly id: string;
  readonly name: string;
}

/** A user as it is answered. Of an erased one the personal fields are null, and there is no sign-in. */
export interface UserFields extends PersonFields, Dated {
  readonly enabled: boolean;
  readonly profiles: readonly UserProfile[];
  readonly auth: readonly UserAuth[];
  readonly ratings: readonly never[];
  readonly unities: readonly Attachment[];
  readonly institutions: readonly Attachment[];
}

/** A user who was registered. */
export interface RegisteredUser extends Known<UserFields, 'active' | 'erased'> {
  /** How often a decision about the user ended all of the user's sessions. */
  readonly sessionEpoch: number;
  /** Whether the user proved a contact with a code. */
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
    return before.find((was) => was.id === id && was.specialtyId === specialtyId) ?? item;
  });

const decided =
  (approvalStatus: ApprovalStatus) =>
  (profile: UserProfile | undefined, _: unknown, { at }: Occasion): UserProfile | undefined =>
    profile && {
      ...profile,
      approvalStatus,
      enabled: approvalStatus === 'APPROVED',
      changedSinceApproval: false,
      updatedAt: at,
    };

type ProfileEvent = Extract<keyof typeof userEvents, `UserProfile${string}`>;

/** Folds one profile; the table serves the user's state, the read model of profiles and their history. */
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
  (fields: Fields, data: z.infer<(typeof userEvents)[T]>, on: Occasion): Fields =>
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

const nobody: PersonFields = {
  firstName: null,
  lastName: null,
  gender: null,
  document: null,
  birthDate: null,
  dialingCode: null,
  phone: null,
  email: null,
};

/** Folds a user with its profiles; every event but the first leaves an unknown user unknown. */
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
  // What is not answered changes nothing that is.
  UserActivated: (fields) => fields,
  UserPasswordChanged: (fields) => fields,
  UserProfileErased: inProfile('UserProfileErased'),
  UserErased: (fields, _, on) => fields && { ...fields, ...nobody, enabled: false, auth: [], updatedAt: on.at },
};

/** Folds a user. */
export const evolveUser = stateOf<UserFields, typeof userEvents, RegisteredUser>(
  evolveUserFields,
  (fields, state, event) => {
    const was =
      state.status === 'unknown' ? ({ status: 'active', sessionEpoch: 0, isActivated: false } as const) : state;
    return {
      status: event.type === 'UserErased' ? 'erased' : was.status,
      fields,
      sessionEpoch: was.sessionEpoch + (endsSessions(event) ? 1 : 0),
      isActivated: was.isActivated || event.type === 'UserActivated',
    };
  },
);

/** The user, active or erased, or a refusal where there is none. */
export const userOf = (state: User): UserFields => {
  if (state.status === 'unknown') throw new DomainError('user-not-found', {});
  return state.fields;
};

/** The user, or a refusal where there is none or its personal data were erased. */
export const activeUserOf = (state: User): UserFields => {
  const fields = userOf(state);
  if (state.status === 'erased') throw new DomainError('user-erased', { userId: fields.id });
  return fields;
};

/** Returns the address that a user signs in with; null if the user was erased. */
export const signInEmailOf = ({ auth }: Pick<UserFields, 'auth'>): string | null => auth[0]?.email ?? null;

/** Whether a user has proved a contact. */
export const isActivated = (state: User): boolean => state.status === 'active' && state.isActivated;

/** Whether a user is there, not erased, and enabled. */
export const isEnabled = (state: User): state is RegisteredUser => state.status === 'active' && state.fields.enabled;

/** The profile with this id, or a refusal. */
export const profileOf = ({ profiles }: UserFields, profileId: string): UserProfile => {
  const profile = profiles.find(({ id }) => id === profileId);
  if (profile === undefined) throw new DomainError('profile-not-found', { profileId });
  return profile;
};

/** What a user may act as: the types of its approved profiles, each once; nothing where it is not active. */
export const rolesOf = (state: User): readonly ProfileType[] =>
  state.status === 'active'
    ? [...new Set(state.fields.profiles.filter(({ enabled }) => enabled).map(({ type }) => type))]
    : [];

/** The fields of a person among those of a user. */
export const personOf = (fields: PersonFields): PersonFields => ({
  firstName: fields.firstName,
  lastName: fields.lastName,
  gender: fields.gender,
  document: fields.document,
  birthDate: fields.birthDate,
  dialingCode: fields.dialingCode,
  phone: fields.phone,
  email: fields.email,
});
