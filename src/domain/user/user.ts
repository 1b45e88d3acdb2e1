// A user: personal data, profiles that administrators approve or reject, and attachments to institutions and unities.
import { z } from 'zod';
import { comparableDocument, comparableEmail } from '../comparable.js';
import type { Circumstances, Decider, Of } from '../decider.js';
import { DomainError } from '../errors.js';
import { documentText, nameText, present, same, uuid } from '../fields.js';
import type { UniqueValue } from '../unique.js';
import { attachedToInstitution, attachedToUnity, detachedFromInstitution, detachedFromUnity } from './attachments.js';
import { type approvedParticulars, Credentials, Person, profileTypes, userEvents } from './events.js';
import {
  activeUserOf,
  evolveUser,
  isActivated,
  type PersonFields,
  personOf,
  profileOf,
  recordedReason,
  signInEmailOf,
  type User,
  type UserFields,
  type UserProfile,
} from './state.js';

export const profileLimit = 20;

const person = Person.shape;
const credentials = Credentials.shape;
const specialties = z.array(uuid()).max(50);

const sentPerson = {
  firstName: nameText(200),
  lastName: nameText(200),
  email: person.email.unwrap(),
  gender: person.gender,
  document: documentText(100).nullable(),
  birthDate: person.birthDate,
  dialingCode: person.dialingCode,
  phone: person.phone,
};

const NewProfile = z.object({
  type: z.enum(profileTypes).default('DOCTOR_GENERALIST'),
  documentDoctor: credentials.documentDoctor.default(null),
  documentDoctorState: credentials.documentDoctorState.default(null),
  documentDoctorUpdatedAt: credentials.documentDoctorUpdatedAt.default(null),
  specialties: specialties.default([]),
});
const Decision = z.object({ profileId: uuid(), reason: userEvents.UserProfileApproved.shape.reason.default(null) });

export const userCommands = {
  RegisterUser: z.object({
    ...sentPerson,
    gender: person.gender.default(null),
    document: sentPerson.document.default(null),
    birthDate: person.birthDate.default(null),
    dialingCode: person.dialingCode.default(null),
    phone: person.phone.default(null),
    enabled: z.boolean().default(true),
    acceptedTerms: z.boolean(),
    profiles: z.array(NewProfile).max(profileLimit).default([]),
  }),
  /** `reapproval`: whether a change of a field that an approval depends on requires a new approval. */
  ReviseUser: z.object({ ...sentPerson, enabled: z.boolean(), reapproval: z.boolean() }).partial(),
  AddProfile: NewProfile,
  ApproveProfile: Decision,
  RejectProfile: Decision,
  ResubmitProfile: z
    .object({ ...credentials, specialties })
    .partial()
    .extend({ profileId: uuid() }),
  AttachToInstitution: userEvents.UserAttachedToInstitution,
  AttachToUnity: userEvents.UserAttachedToUnity.extend({ institutionName: z.string() }),
  DetachFromInstitution: userEvents.UserDetachedFromInstitution,
  DetachFromUnity: userEvents.UserDetachedFromUnity,
  ChangePhone: z.object({ dialingCode: person.dialingCode.unwrap(), phone: person.phone.unwrap() }),
  ConfirmSignInEmail: z.object({ email: person.email.unwrap() }),
  SetSignInEmail: z.object({ email: person.email.unwrap(), operator: nameText(200) }),
  Activate: userEvents.UserActivated,
  ChangePassword: userEvents.UserPasswordChanged,
  EraseUser: userEvents.UserErased,
};

type UserEvent = Of<typeof userEvents>;

const profileAdded = ({ specialties, ...sent }: z.infer<typeof NewProfile>, newId: () => string): UserEvent => ({
  type: 'UserProfileAdded',
  data: { profileId: newId(), ...sent, specialties: specialties.map((specialtyId) => ({ id: newId(), specialtyId })) },
});

const DECISIONS = { UserProfileApproved: 'APPROVED', UserProfileRejected: 'REJECTED' } as const;

/**
 * Decides on a profile in any status. If the profile already has the status of this decision, records only a reason
 * that differs from the recorded one.
 */
const decides =
  (type: keyof typeof DECISIONS) =>
  (state: User, data: z.infer<typeof Decision>, { actor }: Circumstances): readonly UserEvent[] => {
    const { profileId } = data;
    const fields = activeUserOf(state);
    const { approvalStatus, changedSinceApproval } = profileOf(fields, profileId);
    if (actor.id === fields.id) throw new DomainError('own-profile', { profileId });
    const isDecided = approvalStatus === DECISIONS[type] && !changedSinceApproval;
    return isDecided ? explained(state, data) : [{ type, data }];
  };

const explained = (state: User, data: z.infer<typeof Decision>): readonly UserEvent[] => {
  const isKnown = data.reason === null || data.reason === recordedReason(state, data.profileId);
  return isKnown ? [] : [{ type: 'UserProfileDecisionExplained', data }];
};

type Particulars = Pick<PersonFields, 'firstName' | 'lastName' | 'document'>;

const changedParticulars = (before: Particulars, after: Particulars) => [
  ...(before.firstName === after.firstName && before.lastName === after.lastName ? [] : ['name' as const]),
  ...(comparableDocument(before.document ?? '') === comparableDocument(after.document ?? '')
    ? []
    : ['document' as const]),
];

/** Returns the events of approved profiles after a change of the particulars that their approval depends on. */
const profileChanges = (
  { id, profiles }: UserFields,
  changed: readonly (typeof approvedParticulars)[number][],
  { actor, reapproval }: Pick<Circumstances, 'actor'> & { readonly reapproval: boolean },
): readonly UserEvent[] => {
  if (changed.length === 0) return [];
  const isReviewed = actor.id !== id && actor.roles.includes('ADMINISTRATOR');
  return profiles
    .filter(({ approvalStatus }) => approvalStatus === 'APPROVED')
    .flatMap(({ id: profileId, type }): readonly UserEvent[] => {
      const data = { profileId, changed: [...changed], isReviewed };
      const event = { type: 'UserProfileChangedSinceApproval' as const, data };
      const isReturned = reapproval && !isReviewed && type !== 'ADMINISTRATOR';
      return isReturned ? [event, { type: 'UserProfileReturnedToAnalysis', data: { profileId } }] : [event];
    });
};

const credentialsOf = ({ documentDoctor, documentDoctorState, documentDoctorUpdatedAt }: UserProfile) => ({
  documentDoctor,
  documentDoctorState,
  documentDoctorUpdatedAt,
});

/** Returns the items of a profile for some specialties. A specialty that the profile already has keeps its item id. */
const itemsFor = (specialtyIds: readonly string[], { specialties }: UserProfile, newId: () => string) =>
  specialtyIds.map((specialtyId) => ({
    id: specialties.find((was) => was.specialtyId === specialtyId)?.id ?? newId(),
    specialtyId,
  }));

/** Returns the values that no two users may share: the e-mail in lower case, and the document's letters and digits. */
export const uniqueValuesOf = ({ email, document }: Pick<PersonFields, 'email' | 'document'>): readonly UniqueValue[] =>
  [
    { kind: 'user-email', value: comparableEmail(email ?? ''), path: ['email'] },
    { kind: 'user-document', value: comparableDocument(document ?? ''), path: ['document'] },
  ].filter(({ value }) => value !== '');

/** Returns the unique values of a user: the document and the sign-in address, but not the contact address. */
export const uniqueValuesOfUser = (fields: Pick<UserFields, 'auth' | 'document'>): readonly UniqueValue[] =>
  uniqueValuesOf({ email: signInEmailOf(fields), document: fields.document });

export const user: Decider<User, typeof userEvents, typeof userCommands> = {
  aggregate: 'user',
  events: userEvents,
  commands: userCommands,
  initialState: { status: 'unknown' },
  evolve: evolveUser,

  unique: {
    refusal: 'user-taken',
    isPerson: true,
    values: (state) => (state.status === 'active' ? uniqueValuesOfUser(state.fields) : []),
  },

  decide: {
    RegisterUser: (_, { profiles, ...content }, { newId }) => [
      { type: 'UserRegistered', data: { ...content, externalAuthId: newId() } },
      ...profiles.map((profile) => profileAdded(profile, newId)),
    ],
    ReviseUser: (state, { reapproval = false, ...changes }, { actor }) => {
      const fields = activeUserOf(state);
      const current: PersonFields & { enabled: boolean } = { ...personOf(fields), enabled: fields.enabled };
      const content = { ...current, ...present(changes) };
      const isEnabling = content.enabled && !current.enabled;
      if (isEnabling && actor.id === fields.id) throw new DomainError('own-enabling', { userId: fields.id });
      if (same(content, current)) return [];
      const changed = changedParticulars(current, content);
      return [
        { type: 'UserRevised', data: { ...content, signInEmail: signInEmailOf(fields) } },
        ...profileChanges(fields, changed, { actor, reapproval }),
      ];
    },
    AddProfile: (state, profile, { newId }) => {
      const { profiles } = activeUserOf(state);
      if (profiles.length >= profileLimit) throw new DomainError('too-many-profiles', { limit: profileLimit });
      return [profileAdded(profile, newId)];
    },
    ApproveProfile: decides('UserProfileApproved'),
    RejectProfile: decides('UserProfileRejected'),
    ResubmitProfile: (state, { profileId, specialties, ...sent }, { newId }) => {
      const profile = profileOf(activeUserOf(state), profileId);
      const { approvalStatus } = profile;
      if (approvalStatus !== 'REJECTED') throw new DomainError('profile-not-rejected', { profileId, approvalStatus });
      const wantedIds = specialties ?? profile.specialties.map(({ specialtyId }) => specialtyId);
      const data = { ...credentialsOf(profile), ...present(sent), specialties: itemsFor(wantedIds, profile, newId) };
      return [{ type: 'UserProfileResubmitted', data: { profileId, ...data } }];
    },
    AttachToInstitution: attachedToInstitution,
    AttachToUnity: attachedToUnity,
    DetachFromInstitution: detachedFromInstitution,
    DetachFromUnity: detachedFromUnity,
    ChangePhone: (state, changed) => {
      const { dialingCode, phone } = activeUserOf(state);
      return same(changed, { dialingCode, phone }) ? [] : [{ type: 'UserPhoneChanged', data: changed }];
    },
    ConfirmSignInEmail: (state, { email }) => {
      const fields = activeUserOf(state);
      const isContact = comparableEmail(fields.email ?? '') === comparableEmail(email);
      if (!isContact) throw new DomainError('email-not-pending', { userId: fields.id });
      const changed = { type: 'UserSignInEmailChanged', data: { email, by: 'code', operator: null } } as const;
      return [
        ...(signInEmailOf(fields) === email ? [] : [changed]),
        ...(isActivated(state) ? [] : [{ type: 'UserActivated' as const, data: {} }]),
      ];
    },
    SetSignInEmail: (state, { email, operator }) => {
      activeUserOf(state);
      return [
        { type: 'UserSignInEmailChanged', data: { email, by: 'operator', operator } },
        ...(isActivated(state) ? [] : [{ type: 'UserActivated' as const, data: {} }]),
      ];
    },
    Activate: (state) => {
      activeUserOf(state);
      return isActivated(state) ? [] : [{ type: 'UserActivated', data: {} }];
    },
    ChangePassword: (state, { by }) => {
      activeUserOf(state);
      const changed = { type: 'UserPasswordChanged', data: { by } } as const;
      // The reset code was sent to the user's e-mail address, so redeeming it proves ownership.
      return by === 'reset' && !isActivated(state) ? [changed, { type: 'UserActivated', data: {} }] : [changed];
    },
    EraseUser: (state, { reason }) => {
      if (state.status === 'erased') return [];
      const erased = activeUserOf(state).profiles.map(({ id }) => ({ profileId: id }));
      return [
        ...erased.map((data) => ({ type: 'UserProfileErased' as const, data })),
        { type: 'UserErased', data: { reason } },
      ];
    },
  },
};
