import { describe, expect, it } from 'vitest';
import {
  isActivated,
  isEnabled,
  profileOf,
  recordedReason,
  signInEmailOf,
  userOf,
} from '../../../src/domain/user/state.js';
import { profileLimit, user } from '../../../src/domain/user/user.js';
import { AGGREGATE_ID, EARLIER, NOW, specification, uuidOf } from '../../support/specification.js';
import { upTo } from '../support/protocol-samples.js';
import {
  AUTH_ID,
  credentials,
  erased,
  fieldsIn,
  INSTITUTION_ID,
  noPersonalFields,
  OTHER_PROFILE_ID,
  PROFILE_ID,
  person,
  profileAdded,
  registered,
  revisedTo,
  SPECIALTY_ID,
  UNITY_ID,
  type UserCommand,
  withProfile,
} from '../support/user-samples.js';

const { given, sending } = specification(user);
const commands: readonly UserCommand[] = [
  { type: 'RegisterUser', data: { ...person, acceptedTerms: true } },
  { type: 'ReviseUser', data: { enabled: false } },
  { type: 'AddProfile', data: {} },
  { type: 'ApproveProfile', data: { profileId: PROFILE_ID } },
  { type: 'RejectProfile', data: { profileId: PROFILE_ID } },
  { type: 'ResubmitProfile', data: { profileId: PROFILE_ID } },
  { type: 'AttachToInstitution', data: { institutionId: INSTITUTION_ID, name: 'Clinic' } },
  {
    type: 'AttachToUnity',
    data: { institutionId: INSTITUTION_ID, institutionName: 'Clinic', unityId: UNITY_ID, name: 'Ward' },
  },
  { type: 'DetachFromInstitution', data: { institutionId: INSTITUTION_ID } },
  { type: 'DetachFromUnity', data: { institutionId: INSTITUTION_ID, unityId: UNITY_ID } },
  { type: 'ChangePhone', data: { dialingCode: '351', phone: '912 345 678' } },
  { type: 'ConfirmSignInEmail', data: { email: 'new@example.org' } },
  { type: 'SetSignInEmail', data: { email: 'new@example.org', operator: 'Rui Alves' } },
  { type: 'Activate', data: {} },
  { type: 'ChangePassword', data: { by: 'reset' } },
  { type: 'EraseUser', data: { reason: 'asked for' } },
];
const commandsBut = (...types: readonly string[]) => commands.filter(({ type }) => !types.includes(type));

const reasoned = { profileId: PROFILE_ID, reason: 'a reason' };
const needed = { firstName: 'Ana', lastName: 'Souza', email: 'ana@example.org' };

describe('a user, when registered', () => {
  it('has the content that was sent, is enabled and has a new sign-in', () =>
    given()
      .when({ type: 'RegisterUser', data: { ...person, acceptedTerms: true } })
      .then({
        type: 'UserRegistered',
        data: { ...person, enabled: true, externalAuthId: uuidOf(1), acceptedTerms: true },
      }));
  it('has its profiles in the same append', () => {
    const profiles = [{ ...credentials, specialties: [SPECIALTY_ID] }, { type: 'NURSE' as const }];
    const command = { type: 'RegisterUser', data: { ...needed, acceptedTerms: false, profiles } } as const;
    const bare = { ...noPersonalFields, ...needed, enabled: true, externalAuthId: uuidOf(1), acceptedTerms: false };
    const none = { documentDoctor: null, documentDoctorState: null, documentDoctorUpdatedAt: null, specialties: [] };
    given()
      .when(command)
      .then(
        { type: 'UserRegistered', data: bare },
        {
          type: 'UserProfileAdded',
          data: {
            profileId: uuidOf(2),
            type: 'DOCTOR_GENERALIST',
            ...credentials,
            specialties: [{ id: uuidOf(3), specialtyId: SPECIALTY_ID }],
          },
        },
        { type: 'UserProfileAdded', data: { profileId: uuidOf(4), type: 'NURSE', ...none } },
      );
  });
  it('has all fields of a user', () => {
    const dates = { createdAt: EARLIER, updatedAt: EARLIER };
    const of = { userProfileId: PROFILE_ID, specialtyId: SPECIALTY_ID };
    expect(given(registered, profileAdded()).state()).toStrictEqual({
      status: 'active',
      fields: {
        id: AGGREGATE_ID,
        ...person,
        enabled: true,
        ...dates,
        profiles: [
          {
            id: PROFILE_ID,
            userId: AGGREGATE_ID,
            approvalStatus: 'ANALYSING',
            type: 'DOCTOR_GENERALIST',
            ...credentials,
            enabled: false,
            changedSinceApproval: false,
            ...dates,
            specialties: [{ id: uuidOf(0xd01), ...of, enabled: true, ...dates }],
          },
        ],
        auth: [{ type: 'USERPASS', userId: AGGREGATE_ID, externalAuthId: AUTH_ID, email: person.email }],
        ratings: [],
        unities: [],
        institutions: [],
      },
      sessionEpoch: 0,
      isActivated: false,
      reasons: {},
      institutionsOfUnities: {},
    });
  });
  it('reports all invalid fields at once', () =>
    sending('RegisterUser', {
      firstName: ' ',
      email: 'ana souza@example.org',
      gender: 'OTHER',
      document: '\u200b',
      birthDate: '2023-02-29',
      phone: 5,
      profiles: [{ type: 'BAKER', specialties: ['cardiology'] }],
    }).isRefusedFor(
      '/firstName blank',
      '/lastName invalid_type',
      '/email invalid_format',
      '/gender invalid_value',
      '/document blank',
      '/birthDate invalid_format',
      '/phone invalid_type',
      '/acceptedTerms invalid_type',
      '/profiles/0/type invalid_value',
      '/profiles/0/specialties/0 invalid_format',
    ));
  it('may be registered with at most 20 profiles', () => {
    const profiles = (count: number) => ({ ...needed, acceptedTerms: true, profiles: upTo(count).map(() => ({})) });
    sending('RegisterUser', profiles(profileLimit)).isAccepted();
    sending('RegisterUser', profiles(profileLimit + 1)).isRefusedFor('/profiles too_big');
  });
});

describe('a user, when revised', () => {
  it.each([
    { firstName: 'Bia' },
    { lastName: 'Lima' },
    { gender: null },
    { document: 'A-1' },
    { birthDate: null },
    { dialingCode: '351' },
    { phone: null },
    { email: 'ana.souza@example.org' },
    { enabled: false },
  ])('changes only the fields that are sent: %o', (changes) =>
    given(registered).when({ type: 'ReviseUser', data: changes }).then(revisedTo(changes)),
  );
  it('records nothing if nothing changes', () => {
    given(registered).when({ type: 'ReviseUser', data: {} }).then();
    given(registered)
      .when({ type: 'ReviseUser', data: { ...person, enabled: true } })
      .then();
  });
  it('can be enabled again only by others, while anybody may send the current value back', () => {
    const disabled = revisedTo({ enabled: false });
    const enable = { type: 'ReviseUser', data: { enabled: true } } as const;
    given(registered, disabled).whenBy(AGGREGATE_ID, enable).thenRefuses('own-enabling', { userId: AGGREGATE_ID });
    given(registered, disabled).whenBy('another', enable).then(revisedTo({}));
    given(registered).whenBy(AGGREGATE_ID, enable).then();
    given(registered)
      .whenBy(AGGREGATE_ID, { type: 'ReviseUser', data: { enabled: false } })
      .then(disabled);
  });
  it('keeps its sign-in address, its profiles and its createdAt', () =>
    given(...withProfile.APPROVED)
      .when({ type: 'ReviseUser', data: { email: 'new@example.org' } })
      .thenState((state) =>
        expect(fieldsIn(state)).toMatchObject({
          createdAt: EARLIER,
          updatedAt: NOW,
          email: 'new@example.org',
          auth: [{ email: person.email }],
          profiles: [{ approvalStatus: 'APPROVED', updatedAt: EARLIER }],
        }),
      ));
  it('cannot lose a name or the e-mail address', () =>
    sending('ReviseUser', { firstName: null, lastName: null, email: null }).isRefusedFor(
      '/firstName invalid_type',
      '/lastName invalid_type',
      '/email invalid_type',
    ));
});

describe('a user, when erased', () => {
  const erase = { type: 'EraseUser', data: { reason: 'asked for' } } as const;
  it('is recorded as erased, and so is each of its profiles', () =>
    given(registered, profileAdded(), profileAdded(OTHER_PROFILE_ID))
      .when(erase)
      .then(
        { type: 'UserProfileErased', data: { profileId: PROFILE_ID } },
        { type: 'UserProfileErased', data: { profileId: OTHER_PROFILE_ID } },
        erased,
      ));
  it('has no personal fields, no sign-in and no roles, but keeps the decisions on profiles', () =>
    given(...withProfile.APPROVED)
      .when(erase)
      .thenState((state) => {
        expect(state).toMatchObject({ status: 'erased', fields: { ...noPersonalFields, enabled: false, auth: [] } });
        expect(profileOf(userOf(state), PROFILE_ID)).toMatchObject({
          approvalStatus: 'APPROVED',
          enabled: false,
          documentDoctor: null,
          documentDoctorState: null,
          documentDoctorUpdatedAt: null,
        });
      }));
  it.each([[[]], [[registered, profileAdded(), { type: 'UserProfileApproved', data: reasoned }, erased]]] as const)(
    'has no reason, no sign-in address and no activation, like a user that was never registered: %j',
    (events) => {
      const state = given(...events).state();
      expect(state.status === 'erased' ? state.reasons : {}).toEqual({});
      expect([recordedReason(state, PROFILE_ID), isActivated(state), isEnabled(state)]).toEqual([null, false, false]);
      expect(signInEmailOf(fieldsIn(state) ?? { auth: [] })).toBeNull();
    },
  );
  it('is erased only once', () => given(registered, erased).when(erase).then());
  it.each(commandsBut('EraseUser', 'RegisterUser'))('no longer accepts $type', (command) =>
    given(...withProfile.REJECTED, erased)
      .when(command)
      .thenRefuses('user-erased', { userId: AGGREGATE_ID }),
  );
});

describe('a user that was never registered', () => {
  it.each(commandsBut('RegisterUser'))('refuses $type', (command) =>
    given().when(command).thenRefuses('user-not-found', {}),
  );
  it('has no other commands than these', () =>
    expect(commands.map(({ type }) => type).toSorted()).toEqual(Object.keys(user.commands).toSorted()));
});
