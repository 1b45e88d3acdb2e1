import { describe, expect, it } from 'vitest';
import { UserFields } from '../../../src/domain/user/state.js';
import { user } from '../../../src/domain/user/user.js';
import { NOW, specification, uuidOf } from '../../support/specification.js';
import { UNKNOWN_ID } from '../support/protocol-samples.js';
import { fieldsIn, INSTITUTION_ID, profileAdded, registered, UNITY_ID } from '../support/user-samples.js';

const { given } = specification(user);

describe('a user, when attached', () => {
  const toInstitution = {
    type: 'AttachToInstitution',
    data: { institutionId: INSTITUTION_ID, name: 'Clinic' },
  } as const;
  const toUnity = {
    type: 'AttachToUnity',
    data: { institutionId: INSTITUTION_ID, institutionName: 'Clinic', unityId: UNITY_ID, name: 'Ward' },
  } as const;
  const attached = { type: 'UserAttachedToInstitution', data: toInstitution.data } as const;
  const inUnity = {
    type: 'UserAttachedToUnity',
    data: { institutionId: INSTITUTION_ID, unityId: UNITY_ID, name: 'Ward' },
  } as const;

  it('belongs to the institution under its current name', () => given(registered).when(toInstitution).then(attached));
  it('belongs to a unity and also to its institution', () => {
    given(registered).when(toUnity).then(attached, inUnity);
    given(registered, attached).when(toUnity).then(inUnity);
  });
  it('is attached only once, even if the name has changed', () => {
    given(registered, attached, inUnity).when(toUnity).then();
    given(registered, attached)
      .when({ ...toInstitution, data: { ...toInstitution.data, name: 'Renamed' } })
      .then();
  });
  it('is shown as attached once, even if the log repeats the attachment', () =>
    expect(fieldsIn(given(registered, attached, attached, inUnity, inUnity).state())).toMatchObject({
      institutions: [{ id: INSTITUTION_ID, name: 'Clinic' }],
      unities: [{ id: UNITY_ID, name: 'Ward' }],
    }));
  it('has all the fields that responses show, and no others', () => {
    const fields = fieldsIn(given(registered, profileAdded(), attached, inUnity).state());
    expect(UserFields.parse(fields)).toStrictEqual(fields);
  });
  it('may belong to several unities', () => {
    const other = { ...toUnity, data: { ...toUnity.data, unityId: UNKNOWN_ID, name: 'Lab' } };
    const inOther = { ...inUnity, data: { ...inUnity.data, unityId: UNKNOWN_ID, name: 'Lab' } };
    given(registered, attached, inUnity).when(other).then(inOther);
  });
  it('may belong to several institutions', () =>
    given(registered, attached)
      .when({ type: 'AttachToInstitution', data: { institutionId: UNKNOWN_ID, name: 'Other' } })
      .thenState((state) =>
        expect(fieldsIn(state)?.institutions).toEqual([
          { id: INSTITUTION_ID, name: 'Clinic' },
          { id: UNKNOWN_ID, name: 'Other' },
        ]),
      ));
});

describe('a user, when detached', () => {
  const [OTHER_INSTITUTION_ID, OTHER_UNITY_ID, FOREIGN_UNITY_ID] = [uuidOf(0xe02), uuidOf(0xf02), uuidOf(0xf03)];
  const toInstitution = (institutionId: string) =>
    ({ type: 'UserAttachedToInstitution', data: { institutionId, name: 'Clinic' } }) as const;
  const toUnity = (institutionId: string, unityId: string) =>
    ({ type: 'UserAttachedToUnity', data: { institutionId, unityId, name: 'Ward' } }) as const;
  const attached = [
    registered,
    toInstitution(INSTITUTION_ID),
    toUnity(INSTITUTION_ID, UNITY_ID),
    toInstitution(OTHER_INSTITUTION_ID),
    toUnity(OTHER_INSTITUTION_ID, FOREIGN_UNITY_ID),
    toUnity(INSTITUTION_ID, OTHER_UNITY_ID),
  ] as const;
  const fromInstitution = { type: 'DetachFromInstitution', data: { institutionId: INSTITUTION_ID } } as const;
  const fromUnity = { type: 'DetachFromUnity', data: { institutionId: INSTITUTION_ID, unityId: UNITY_ID } } as const;
  const leftInstitution = { type: 'UserDetachedFromInstitution', data: fromInstitution.data } as const;
  const leftUnity = (unityId: string) =>
    ({ type: 'UserDetachedFromUnity', data: { institutionId: INSTITUTION_ID, unityId } }) as const;

  it('leaves the institution and, in the same append, all of its unities, but no unity of another institution', () => {
    const outcome = given(...attached).when(fromInstitution);
    outcome.then(leftUnity(UNITY_ID), leftUnity(OTHER_UNITY_ID), leftInstitution);
    outcome.thenState((state) =>
      expect(fieldsIn(state)).toMatchObject({
        institutions: [{ id: OTHER_INSTITUTION_ID }],
        unities: [{ id: FOREIGN_UNITY_ID }],
        updatedAt: NOW,
      }),
    );
  });
  it('leaves a unity, but not its institution', () => {
    const outcome = given(...attached).when(fromUnity);
    outcome.then(leftUnity(UNITY_ID));
    outcome.thenState((state) =>
      expect(fieldsIn(state)).toMatchObject({
        institutions: [{ id: INSTITUTION_ID }, { id: OTHER_INSTITUTION_ID }],
        unities: [{ id: FOREIGN_UNITY_ID }, { id: OTHER_UNITY_ID }],
        updatedAt: NOW,
      }),
    );
  });
  it('records nothing if the user is not attached, or is detached a second time', () => {
    given(registered).when(fromInstitution).then();
    given(registered, toInstitution(INSTITUTION_ID)).when(fromUnity).then();
    given(...attached)
      .when(fromUnity, fromUnity)
      .then(leftUnity(UNITY_ID));
    given(registered, toInstitution(INSTITUTION_ID)).when(fromInstitution, fromInstitution).then(leftInstitution);
  });
  it('can be attached again, under the present names', () =>
    given(...attached, leftUnity(UNITY_ID), leftUnity(OTHER_UNITY_ID), leftInstitution)
      .when({
        type: 'AttachToUnity',
        data: { institutionId: INSTITUTION_ID, institutionName: 'Hospital', unityId: UNITY_ID, name: 'Wing' },
      })
      .thenState((state) =>
        expect(fieldsIn(state)).toMatchObject({
          institutions: [{ id: OTHER_INSTITUTION_ID }, { id: INSTITUTION_ID, name: 'Hospital' }],
          unities: [{ id: FOREIGN_UNITY_ID }, { id: UNITY_ID, name: 'Wing' }],
        }),
      ));
});
