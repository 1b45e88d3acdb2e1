import { describe, expect, it } from 'vitest';
import { users } from '../../src/projections/users.js';
import {
  approved,
  credentials,
  erased,
  INSTITUTION_ID,
  noPersonalFields,
  OTHER_PROFILE_ID,
  PROFILE_ID,
  person,
  profileAdded,
  registered,
  revisedTo,
  UNITY_ID,
} from '../domain/support/user-samples.js';
import { at } from '../infrastructure/views/support/harness.js';
import { AGGREGATE_ID, uuidOf } from '../support/specification.js';
import { documentsOf } from './support/documents.js';
import { instant, log } from './support/recorded.js';
import { folded } from './support/replay.js';

const attached = [
  { type: 'UserAttachedToInstitution', data: { institutionId: INSTITUTION_ID, name: 'Clinic' } },
  { type: 'UserAttachedToUnity', data: { institutionId: INSTITUTION_ID, unityId: UNITY_ID, name: 'Ward' } },
  { type: 'UserAttachedToInstitution', data: { institutionId: uuidOf(0xe02), name: 'Other' } },
];
const erasing = [{ type: 'UserProfileErased', data: { profileId: PROFILE_ID } }, erased];

const documentsAfter = documentsOf(users);

describe('the read model of users', () => {
  it('holds a user as responses show it, indexed by comparable values', () => {
    const found = documentsAfter(registered, profileAdded(), ...attached)('users', AGGREGATE_ID);
    expect(found).toMatchObject({
      document: {
        id: AGGREGATE_ID,
        ...person,
        createdAt: instant(1),
        updatedAt: instant(5),
        institutions: [{ name: 'Clinic' }, { name: 'Other' }],
        unities: [{ id: UNITY_ID, name: 'Ward' }],
        profiles: [{ id: PROFILE_ID, approvalStatus: 'ANALYSING' }],
      },
      ...{ revision: 4, position: at(5), created: at(1) },
    });
    expect(found?.index).toEqual({
      email: ['ana.souza@example.org'],
      name: 'ana souza',
      institutionId: [INSTITUTION_ID, uuidOf(0xe02)],
      unityId: [UNITY_ID],
    });
  });

  it('no longer finds a detached user by the institution and the unity', () => {
    const institutionId = INSTITUTION_ID;
    const find = documentsAfter(
      registered,
      ...attached,
      { type: 'UserDetachedFromUnity', data: { institutionId, unityId: UNITY_ID } },
      { type: 'UserDetachedFromInstitution', data: { institutionId } },
    );
    expect(find('users', AGGREGATE_ID)?.index).toMatchObject({ institutionId: [uuidOf(0xe02)], unityId: [] });
    expect(find('userNames', AGGREGATE_ID)?.document).toMatchObject({ institutionIds: [uuidOf(0xe02)] });
  });

  it('finds a user by the contact address and by the sign-in address', () => {
    const found = documentsAfter(registered, revisedTo({ email: 'New@example.org' }))('users', AGGREGATE_ID);
    expect(found?.index).toMatchObject({ email: ['new@example.org', 'ana.souza@example.org'] });
  });

  it('finds a user with one name by this name alone', () => {
    const named = (name: Parameters<typeof revisedTo>[0]) =>
      documentsAfter(registered, revisedTo(name))('users', AGGREGATE_ID)?.index;
    expect(named({ lastName: null })).toMatchObject({ name: 'ana' });
    expect(named({ firstName: null })).toMatchObject({ name: 'souza' });
  });

  it('also holds each profile separately, as the user shows it', () => {
    const find = documentsAfter(registered, profileAdded(), profileAdded(OTHER_PROFILE_ID, 'NURSE'), approved);
    const profiles = [PROFILE_ID, OTHER_PROFILE_ID].map((id) => find('profiles', id));
    expect(profiles).toMatchObject([
      { created: at(2), position: at(4), document: { approvalStatus: 'APPROVED', updatedAt: instant(4) } },
      { created: at(3), position: at(3), document: { approvalStatus: 'ANALYSING' } },
    ]);
    expect(find('users', AGGREGATE_ID)?.document).toMatchObject({
      profiles: profiles.map((profile) => profile?.document),
    });
    expect(profiles[0]?.index).toEqual({
      approvalStatus: 'APPROVED',
      type: 'DOCTOR_GENERALIST',
      changedSinceApproval: 'false',
    });
  });

  it('follows the phone, and the revision through events that responses do not show', () => {
    const find = documentsAfter(
      registered,
      { type: 'UserPhoneChanged', data: { dialingCode: '351', phone: '912 345 678' } },
      { type: 'UserActivated', data: {} },
      { type: 'UserPasswordChanged', data: { by: 'reset' } },
    );
    expect(find('users', AGGREGATE_ID)).toMatchObject({
      document: { dialingCode: '351', phone: '912 345 678', updatedAt: instant(2) },
      ...{ revision: 3, position: at(4) },
    });
  });

  it('keeps only the decisions on an erased user, and no personal data in any collection', () => {
    const events = [registered, profileAdded(), approved, ...attached, ...erasing];
    const found = documentsAfter(...events)('users', AGGREGATE_ID);
    expect(found).toMatchObject({
      document: {
        id: AGGREGATE_ID,
        ...noPersonalFields,
        enabled: false,
        auth: [],
        profiles: [{ id: PROFILE_ID, approvalStatus: 'APPROVED', enabled: false, documentDoctor: null }],
      },
      index: { email: [''], name: '' },
    });
    const documents = folded(users, log('user', ...events)).values();
    const everything = JSON.stringify([...documents].map((collection) => [...collection.values()]));
    for (const value of [...Object.values(person), ...Object.values(credentials)]) {
      expect(everything).not.toContain(`"${value}"`);
    }
  });
});
