import { describe, expect, it } from 'vitest';
import { isActivated, isEnabled } from '../../../src/domain/user/state.js';
import { user } from '../../../src/domain/user/user.js';
import { EARLIER, NOW, specification } from '../../support/specification.js';
import {
  erased,
  fieldsIn,
  person,
  registered,
  revisedTo,
  type UserCommand,
  type UserEvent,
} from '../support/user-samples.js';

const { given, sending } = specification(user);
const phone = { dialingCode: '351', phone: '912 345 678' };
const changePhone: UserCommand = { type: 'ChangePhone', data: phone };
const phoneChanged: UserEvent = { type: 'UserPhoneChanged', data: phone };
const activate: UserCommand = { type: 'Activate', data: {} };
const activated: UserEvent = { type: 'UserActivated', data: {} };
const changePassword = (by: 'change' | 'reset'): UserCommand => ({ type: 'ChangePassword', data: { by } });
const passwordChanged = (by: 'change' | 'reset'): UserEvent => ({ type: 'UserPasswordChanged', data: { by } });

describe('the phone of a user, when it is changed', () => {
  it('is the new one with its dialing code, and nothing else changes', () => {
    given(registered).when(changePhone).then(phoneChanged);
    given(registered)
      .when(changePhone)
      .thenState((state) => expect(fieldsIn(state)).toMatchObject({ ...person, ...phone, updatedAt: NOW }));
  });
  it('records nothing if it is the same', () => given(registered, phoneChanged).when(changePhone).then());
  it('is a new one if only the dialing code differs', () =>
    given(registered, phoneChanged)
      .when({ type: 'ChangePhone', data: { ...phone, dialingCode: '55' } })
      .then({ type: 'UserPhoneChanged', data: { ...phone, dialingCode: '55' } }));
  it('requires both fields', () => {
    sending('ChangePhone', { dialingCode: null }).isRefusedFor('/dialingCode invalid_type', '/phone invalid_type');
    sending('ChangePhone', { dialingCode: '12345678901', phone: '1'.repeat(51) }).isRefusedFor(
      '/dialingCode too_big',
      '/phone too_big',
    );
    sending('ChangePhone', phone).isParsedAs(phone);
  });
});

describe('the activation of a user', () => {
  it('is recorded only once', () => given(registered).when(activate, activate).then(activated));
  it('does not show in the fields of the user', () =>
    expect(JSON.stringify(fieldsIn(given(registered, activated).state()))).toBe(
      JSON.stringify(fieldsIn(given(registered).state())),
    ));
  it.each([
    { events: [], activation: false, enabled: true },
    { events: [activated, revisedTo({ enabled: false })], activation: true, enabled: false },
    { events: [activated, erased], activation: false, enabled: false },
  ])('survives a revision that disables the user, but not the erasure: $events', ({ events, activation, enabled }) => {
    const state = given(registered, ...events).state();
    expect([isActivated(state), isEnabled(state)]).toEqual([activation, enabled]);
  });
});

describe('the password of a user, when it is changed', () => {
  it.each(['change', 'reset'] as const)('is recorded each time, with its kind: %s', (by) =>
    given(registered, activated, passwordChanged(by)).when(changePassword(by)).then(passwordChanged(by)),
  );
  it('activates the user if it is reset, because the code proves the e-mail address, but not if it is changed', () => {
    given(registered).when(changePassword('reset')).then(passwordChanged('reset'), activated);
    given(registered).when(changePassword('change')).then(passwordChanged('change'));
  });
  it('does not show in the fields of the user', () =>
    expect(given(registered, passwordChanged('change')).state()).toMatchObject({
      fields: { ...person, updatedAt: EARLIER },
    }));
  it('has only these two kinds', () => sending('ChangePassword', { by: 'guessing' }).isRefusedFor('/by invalid_value'));
});
