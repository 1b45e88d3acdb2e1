// Sample events of users. A test names only the fields that matter to it.
import type { Of } from '../../../src/domain/decider.js';
import type { userEvents } from '../../../src/domain/user/events.js';
import { type ApprovalStatus, profileOf, type User, type UserProfile, userOf } from '../../../src/domain/user/state.js';
import type { userCommands } from '../../../src/domain/user/user.js';
import { type Sent, uuidOf } from '../../support/specification.js';

export type UserEvent = Of<typeof userEvents>;
export type UserCommand = Sent<typeof userCommands>;

export const AUTH_ID = uuidOf(0xa01);
export const PROFILE_ID = uuidOf(0xb01);
export const OTHER_PROFILE_ID = uuidOf(0xb02);
export const SPECIALTY_ID = uuidOf(0xc01);
export const OTHER_SPECIALTY_ID = uuidOf(0xc02);
export const ITEM_ID = uuidOf(0xd01);
export const INSTITUTION_ID = uuidOf(0xe01);
export const UNITY_ID = uuidOf(0xf01);

export const person = {
  firstName: 'Ana',
  lastName: 'Souza',
  gender: 'FEMININE',
  document: '529.982.247-25',
  birthDate: '1980-02-29',
  dialingCode: '55',
  phone: '11 91234-5678',
  email: 'Ana.Souza@example.org',
} as const;

export const noPersonalFields = {
  firstName: null,
  lastName: null,
  gender: null,
  document: null,
  birthDate: null,
  dialingCode: null,
  phone: null,
  email: null,
} as const;

export const credentials = {
  documentDoctor: 'CRM/SP 123456',
  documentDoctorState: 'SP',
  documentDoctorUpdatedAt: '2025-12-31',
} as const;

export const registered: UserEvent = {
  type: 'UserRegistered',
  data: { ...person, enabled: true, externalAuthId: AUTH_ID, acceptedTerms: false },
};
/** Returns a revision of the sample person, which keeps the sign-in address of the registration. */
export const revisedTo = (changes: Partial<Extract<UserEvent, { type: 'UserRevised' }>['data']>): UserEvent => ({
  type: 'UserRevised',
  data: { ...person, enabled: true, signInEmail: person.email, ...changes },
});
export const profileAdded = (profileId = PROFILE_ID, type: UserProfile['type'] = 'DOCTOR_GENERALIST'): UserEvent => ({
  type: 'UserProfileAdded',
  data: { profileId, type, ...credentials, specialties: [{ id: ITEM_ID, specialtyId: SPECIALTY_ID }] },
});
const decision = { profileId: PROFILE_ID, reason: null };
export const approved: UserEvent = { type: 'UserProfileApproved', data: decision };
export const rejected: UserEvent = { type: 'UserProfileRejected', data: decision };
export const erased: UserEvent = { type: 'UserErased', data: { reason: 'asked for' } };

/** Maps a status to the events of a user whose profile has that status. */
export const withProfile: Readonly<Record<ApprovalStatus, readonly UserEvent[]>> = {
  ANALYSING: [registered, profileAdded()],
  APPROVED: [registered, profileAdded(), approved],
  REJECTED: [registered, profileAdded(), rejected],
};

export const fieldsIn = (state: User) => (state.status === 'unknown' ? undefined : state.fields);
export const profileIn = (state: User, profileId = PROFILE_ID) => profileOf(userOf(state), profileId);
