import { describe, expect, it } from 'vitest';
import { user } from '../../src/domain/user/user.js';
import { specification } from '../support/specification.js';
import {
  approved,
  erased,
  PROFILE_ID,
  profileAdded,
  registered,
  rejected,
  revisedTo,
  type UserEvent,
} from './support/user-samples.js';

const { given } = specification(user);
const revised = (enabled: boolean): UserEvent => revisedTo({ enabled });
const signInEmailBy = (by: 'code' | 'operator'): UserEvent => ({
  type: 'UserSignInEmailChanged',
  data: { email: 'new@example.org', by, operator: by === 'code' ? null : 'Rui Alves' },
});
const harmless: readonly UserEvent[] = [
  { type: 'UserProfileDecisionExplained', data: { profileId: PROFILE_ID, reason: 'a reason' } },
  { type: 'UserActivated', data: {} },
  signInEmailBy('code'),
  { type: 'UserPhoneChanged', data: { dialingCode: '351', phone: '912 345 678' } },
];
const epochAfter = (...events: readonly UserEvent[]) => {
  const state = given(...events).state();
  return state.status === 'unknown' ? -1 : state.sessionEpoch;
};

describe('the sessions of a user', () => {
  it.each([
    ['the rejection of a profile', rejected],
    ['the user being disabled', revised(false)],
    ['a change of the password', { type: 'UserPasswordChanged', data: { by: 'reset' } } as const],
    ['the erasure of the user', erased],
    [
      'the return of a profile to analysis',
      { type: 'UserProfileReturnedToAnalysis', data: { profileId: PROFILE_ID } } as const,
    ],
    ['a change of the sign-in address by an operator', signInEmailBy('operator')],
  ])('all end with %s', (_, event) => {
    expect(epochAfter(registered, profileAdded(), event)).toBe(1);
    expect(epochAfter(registered, profileAdded(), event, event)).toBe(2);
  });

  it('survive all other events', () =>
    expect(epochAfter(registered, profileAdded(), approved, revised(true), ...harmless)).toBe(0));

  it('stay ended when the user is enabled again', () =>
    expect(epochAfter(registered, revised(false), revised(true))).toBe(1));
});
