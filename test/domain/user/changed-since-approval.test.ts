import { describe, expect, it } from 'vitest';
import { user } from '../../../src/domain/user/user.js';
import { AGGREGATE_ID, specification } from '../../support/specification.js';
import {
  approved,
  OTHER_PROFILE_ID,
  PROFILE_ID,
  profileAdded,
  profileIn,
  registered,
  rejected,
  revisedTo,
  type UserEvent,
  withProfile,
} from '../support/user-samples.js';

const { given } = specification(user);
const rename = { type: 'ReviseUser', data: { lastName: 'Lima' } } as const;
const renamed = revisedTo({ lastName: 'Lima' });
const changed = (particulars: readonly ('name' | 'document')[] = ['name'], isReviewed = false): UserEvent => ({
  type: 'UserProfileChangedSinceApproval',
  data: { profileId: PROFILE_ID, changed: [...particulars], isReviewed },
});
const returned: UserEvent = { type: 'UserProfileReturnedToAnalysis', data: { profileId: PROFILE_ID } };
const withReapproval = { type: 'ReviseUser', data: { lastName: 'Lima', reapproval: true } } as const;
const approve = { type: 'ApproveProfile', data: { profileId: PROFILE_ID } } as const;
const isListed = (...events: readonly UserEvent[]) => profileIn(given(...events).state()).changedSinceApproval;

describe('an approved profile', () => {
  it('records that the name of its user changed', () =>
    given(...withProfile.APPROVED)
      .when(rename)
      .then(renamed, changed()));

  it('records that the document of its user changed', () =>
    given(...withProfile.APPROVED)
      .when({ type: 'ReviseUser', data: { document: 'A-1', firstName: 'Anna' } })
      .then(revisedTo({ document: 'A-1', firstName: 'Anna' }), changed(['name', 'document'])));

  it('does not record that a document changed which was never given', () =>
    given(registered, profileAdded(), revisedTo({ document: null }), approved)
      .when(rename)
      .then(revisedTo({ lastName: 'Lima', document: null }), changed()));

  it.each([{ document: '52998224725' }, { phone: '11 4002-8922' }, { email: 'new@example.org' }, { gender: null }])(
    'does not depend on other fields: %o',
    (data) =>
      given(...withProfile.APPROVED)
        .when({ type: 'ReviseUser', data })
        .then(revisedTo(data)),
  );

  it('that changed is listed until the next decision', () => {
    expect(isListed(...withProfile.APPROVED, renamed, changed())).toBe(true);
    expect(isListed(...withProfile.APPROVED, renamed, changed(), approved)).toBe(false);
    expect(isListed(...withProfile.APPROVED, renamed, changed(), rejected)).toBe(false);
  });

  it('that changed can be approved again, but only once', () => {
    const history = [...withProfile.APPROVED, renamed, changed()];
    given(...history)
      .whenBy('another', approve)
      .then(approved);
    given(...history, approved)
      .whenBy('another', approve)
      .then();
  });

  it('is returned to analysis if the service asks for reapproval', () =>
    given(...withProfile.APPROVED)
      .whenBy(AGGREGATE_ID, withReapproval)
      .then(renamed, changed(), returned));

  it('that is returned is in analysis, and not enabled', () =>
    expect(profileIn(given(...withProfile.APPROVED, returned).state())).toMatchObject({
      approvalStatus: 'ANALYSING',
      enabled: false,
    }));

  it('counts as reviewed if an administrator changed another user', () => {
    given(...withProfile.APPROVED)
      .whenByAdministrator('another', withReapproval)
      .then(renamed, changed(['name'], true));
    expect(isListed(...withProfile.APPROVED, renamed, changed(['name'], true))).toBe(false);
    expect(isListed(...withProfile.APPROVED, renamed, changed(), changed(['name'], true))).toBe(true);
  });

  it('does not count as reviewed if an administrator changed themselves', () =>
    given(...withProfile.APPROVED)
      .whenByAdministrator(AGGREGATE_ID, withReapproval)
      .then(renamed, changed(), returned));

  it('of an administrator is listed but never returned', () =>
    given(registered, profileAdded(PROFILE_ID, 'ADMINISTRATOR'), approved)
      .whenBy(AGGREGATE_ID, withReapproval)
      .then(renamed, changed()));
});

describe('a profile that is not approved', () => {
  it.each(['ANALYSING', 'REJECTED'] as const)('does not record the change: %s', (status) =>
    given(...withProfile[status])
      .when(withReapproval)
      .then(renamed),
  );
  it('beside an approved profile does not record the change', () =>
    given(...withProfile.APPROVED, profileAdded(OTHER_PROFILE_ID))
      .when(rename)
      .then(renamed, changed()));
});
