import { describe, expect, it } from 'vitest';
import { userEvents } from '../../src/domain/user/events.js';
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
} from '../domain/user/samples.js';
import { at } from '../infrastructure/views/support/harness.js';
import { AGGREGATE_ID, uuidOf } from '../support/specification.js';
import { instant, log } from './recorded.js';
import { folded } from './replay.js';

const attached = [
  { type: 'UserAttachedToInstitution', data: { institutionId: INSTITUTION_ID, name: 'Clinic' } },
  { type: 'UserAttachedToUnity', data: { institutionId: INSTITUTION_ID, unityId: UNITY_ID, name: 'Ward' } },
  { type: 'UserAttachedToInstitution', data: { institutionId: uuidOf(0xe02), name: 'Other' } },
];
const erasing = [{ type: 'UserProfileErased', data: { profileId: PROFILE_ID } }, erased];

const documentsAfter = (...events: Parameters<typeof log>[1][]) => folded(users, log('user', ...events));
const indexOf = (name: string, document: unknown) =>
  users.folded.find((collection) => collection.name === name)?.index(document as never);

describe('the read model of users', () => {
  it('handles every event of a user', () => {
    const handled = new Set(users.folded.flatMap(({ when }) => Object.keys(when)));
    expect(handled).toEqual(new Set(Object.keys(userEvents)));
    expect(users.aggregates).toEqual(['user']);
  });

  it('holds a user as responses show it, indexed by comparable values', () => {
    const document = documentsAfter(registered, profileAdded(), ...attached)
      .get('users')
      ?.get(AGGREGATE_ID);
    expect(document).toMatchObject({ revision: 4, position: at(5), created: at(1) });
    expect(document?.document).toMatchObject({
      id: AGGREGATE_ID,
      ...person,
      createdAt: instant(1),
      updatedAt: instant(5),
      institutions: [{ name: 'Clinic' }, { name: 'Other' }],
      unities: [{ id: UNITY_ID, name: 'Ward' }],
      profiles: [{ id: PROFILE_ID, approvalStatus: 'ANALYSING' }],
    });
    expect(indexOf('users', document?.document)).toEqual({
      email: ['ana.souza@example.org'],
      name: 'ana souza',
      institutionId: [INSTITUTION_ID, uuidOf(0xe02)],
      unityId: [UNITY_ID],
    });
  });

  it('finds a user by the contact address and by the sign-in address', () => {
    const document = documentsAfter(registered, revisedTo({ email: 'New@example.org' }))
      .get('users')
      ?.get(AGGREGATE_ID);
    expect(indexOf('users', document?.document)).toMatchObject({ email: ['new@example.org', 'ana.souza@example.org'] });
  });

  it('also holds each profile separately, as the user shows it', () => {
    const after = documentsAfter(registered, profileAdded(), profileAdded(OTHER_PROFILE_ID, 'NURSE'), approved);
    const profiles = [PROFILE_ID, OTHER_PROFILE_ID].map((id) => after.get('profiles')?.get(id));
    expect(profiles).toMatchObject([
      { created: at(2), position: at(4), document: { approvalStatus: 'APPROVED', updatedAt: instant(4) } },
      { created: at(3), position: at(3), document: { approvalStatus: 'ANALYSING' } },
    ]);
    expect(after.get('users')?.get(AGGREGATE_ID)?.document).toMatchObject({
      profiles: profiles.map((profile) => profile?.document),
    });
    expect(indexOf('profiles', profiles[0]?.document)).toEqual({
      approvalStatus: 'APPROVED',
      type: 'DOCTOR_GENERALIST',
      changedSinceApproval: 'false',
    });
  });

  it('follows the phone, and the revision through events that responses do not show', () => {
    const after = documentsAfter(
      registered,
      { type: 'UserPhoneChanged', data: { dialingCode: '351', phone: '912 345 678' } },
      { type: 'UserActivated', data: {} },
      { type: 'UserPasswordChanged', data: { by: 'reset' } },
    );
    const user = after.get('users')?.get(AGGREGATE_ID);
    expect(user).toMatchObject({ revision: 3, position: at(4) });
    expect(user?.document).toMatchObject({ dialingCode: '351', phone: '912 345 678', updatedAt: instant(2) });
  });

  it('keeps only the decisions on an erased user, and no personal data in any collection', () => {
    const after = documentsAfter(registered, profileAdded(), approved, ...attached, ...erasing);
    const document = after.get('users')?.get(AGGREGATE_ID)?.document;
    expect(document).toMatchObject({
      id: AGGREGATE_ID,
      ...noPersonalFields,
      enabled: false,
      auth: [],
      profiles: [{ id: PROFILE_ID, approvalStatus: 'APPROVED', enabled: false, documentDoctor: null }],
    });
    expect(indexOf('users', document)).toMatchObject({ email: [''], name: '' });
    const everything = JSON.stringify([...after.values()].map((documents) => [...documents.values()]));
    for (const value of [...Object.values(person), ...Object.values(credentials)]) {
      expect(everything).not.toContain(`"${value}"`);
    }
  });
});
