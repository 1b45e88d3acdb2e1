import { expect, it } from 'vitest';
import { allPersonalPaths } from '../../../src/domain/all.js';
import {
  consequences,
  consequencesOf,
  decidesStatus,
  decisionTypes,
  endsSessions,
  type ShownInEvidence,
} from '../../../src/domain/user/consequences.js';
import { userEvents } from '../../../src/domain/user/events.js';

const all = Object.entries(consequences);
const shownAs = (shown: ShownInEvidence) => all.flatMap(([type, { evidence }]) => (evidence === shown ? [type] : []));
const personalIn = (type: string) => (allPersonalPaths.get(type) ?? []).map(String);

it('an event that is always sealed has a personal field', () => {
  const sealed = all.filter(([, { isAlwaysSealed }]) => isAlwaysSealed).map(([type]) => type);
  expect(sealed).toEqual(['UserRegistered', 'UserPhoneChanged', 'UserSignInEmailChanged']);
  expect(sealed.filter((type) => personalIn(type).length === 0)).toEqual([]);
});

it('evidence shows decisions with their reasons, and all personal fields of a profile and every name', () => {
  expect(decisionTypes).toEqual(['UserProfileApproved', 'UserProfileRejected', 'UserProfileDecisionExplained']);
  const others = all.map(([type]) => type).filter((type) => !shownAs('name').includes(type));
  const credentials = ['documentDoctor', 'documentDoctorState', 'documentDoctorUpdatedAt'];
  expect(others.filter((type) => personalIn(type).join() === credentials.join())).toEqual(shownAs('credentials'));
  expect(others.filter((type) => personalIn(type).includes('firstName'))).toEqual([]);
});

it('four events decide on the status of a profile', () =>
  expect(Object.keys(userEvents).filter((type) => decidesStatus({ type }))).toEqual([
    'UserProfileApproved',
    'UserProfileRejected',
    'UserProfileReturnedToAnalysis',
    'UserProfileResubmitted',
  ]));

it('evidence shows the payload of every event of a profile, which is named so', () => {
  const ofProfiles = all.flatMap(([type, { ofProfile }]) => (ofProfile ? [type] : []));
  expect(Object.keys(userEvents).filter((type) => /^UserProfile/.test(type))).toEqual(ofProfiles);
  const shown = all.flatMap(([type, { evidence }]) =>
    /^(payload|credentials|decision)$/.test(evidence) ? [type] : [],
  );
  expect(shown).toEqual(ofProfiles);
});

it('evidence shows the erasure of the user, but no attachment, contact or sign-in', () => {
  expect(shownAs('erasure')).toEqual(['UserErased']);
  expect(shownAs('nothing')).toEqual([
    'UserAttachedToInstitution',
    'UserAttachedToUnity',
    'UserDetachedFromInstitution',
    'UserDetachedFromUnity',
    'UserPhoneChanged',
    'UserSignInEmailChanged',
    'UserActivated',
    'UserPasswordChanged',
  ]);
});

it('nothing follows from a name that every object has', () => {
  expect(consequencesOf('constructor')).toBeUndefined();
  expect(endsSessions({ type: 'constructor', data: {} })).toBe(false);
});
