import { describe, expect, it } from 'vitest';
import { signInEmailOf, userOf } from '../../../src/domain/user/state.js';
import { uniqueValuesOf, user } from '../../../src/domain/user/user.js';
import { AGGREGATE_ID, specification } from '../../support/specification.js';
import { erased, fieldsIn, person, registered, revisedTo, type UserEvent } from '../support/user-samples.js';

const { given } = specification(user);
const NEW = 'new@example.org';
const activated: UserEvent = { type: 'UserActivated', data: {} };
const pending = revisedTo({ email: NEW });
const confirm = { type: 'ConfirmSignInEmail', data: { email: NEW } } as const;
const confirmed: UserEvent = { type: 'UserSignInEmailChanged', data: { email: NEW, by: 'code', operator: null } };
const set = { type: 'SetSignInEmail', data: { email: NEW, operator: 'Rui Alves' } } as const;

describe('a sign-in address', () => {
  it('becomes the contact address once its code is redeemed, which also activates the user', () =>
    given(registered, pending).when(confirm).then(confirmed, activated));

  it('is confirmed once', () => given(registered, pending, confirmed, activated).when(confirm).then());

  it('is also the contact address after its confirmation', () =>
    expect(fieldsIn(given(registered, pending, confirmed).state())).toMatchObject({
      email: NEW,
      auth: [{ email: NEW }],
    }));

  it('is not confirmed by the code of an address that is no longer the contact address', () =>
    given(registered, pending, revisedTo({ email: 'third@example.org' }))
      .when(confirm)
      .thenRefuses('email-not-pending', { userId: AGGREGATE_ID }));

  it('survives a revision of other fields while another address is pending', () =>
    given(registered, pending)
      .when({ type: 'ReviseUser', data: { lastName: 'Lima' } })
      .then(revisedTo({ email: NEW, lastName: 'Lima' })));

  it('is set by an operator, whose name is recorded', () =>
    given(registered)
      .when(set)
      .then(
        { type: 'UserSignInEmailChanged', data: { email: NEW, by: 'operator', operator: 'Rui Alves' } },
        activated,
      ));

  it('that an operator sets activates the user only once', () =>
    given(registered, activated)
      .when(set)
      .then({ type: 'UserSignInEmailChanged', data: { email: NEW, by: 'operator', operator: 'Rui Alves' } }));

  it('must be unique, while a pending address need not be', () => {
    const state = given(registered, pending).state();
    expect(user.unique?.values(state)).toEqual(uniqueValuesOf(person));
    expect(signInEmailOf(userOf(state))).toBe(person.email);
  });

  it('and a document are personal values, and a taken one has a refusal of its own', () =>
    expect(user.unique).toMatchObject({ refusal: 'user-taken', isPerson: true }));

  it('and a document are unique as they are compared, if the user has them', () => {
    expect(uniqueValuesOf(person)).toEqual([
      { kind: 'user-email', value: 'ana.souza@example.org', path: ['email'] },
      { kind: 'user-document', value: '52998224725', path: ['document'] },
    ]);
    expect(uniqueValuesOf({ email: null, document: null })).toEqual([]);
  });

  it.each([[[]], [[registered, erased]]])('is free if no user has it: %j', (events) =>
    expect(user.unique?.values(given(...events).state())).toEqual([]),
  );
});
