import { describe, expect, it } from 'vitest';
import { type ApprovalStatus, approvalStatuses, evolveProfile, rolesOf } from '../../../src/domain/user/state.js';
import { profileLimit, user } from '../../../src/domain/user/user.js';
import { AGGREGATE_ID, EARLIER, NOW, specification, uuidOf } from '../../support/specification.js';
import { UNKNOWN_ID, upTo } from '../support/protocol-samples.js';
import {
  approved,
  credentials,
  erased,
  ITEM_ID,
  OTHER_PROFILE_ID,
  OTHER_SPECIALTY_ID,
  PROFILE_ID,
  profileAdded,
  profileIn,
  registered,
  SPECIALTY_ID,
  type UserCommand,
  type UserEvent,
  withProfile,
} from '../support/user-samples.js';

const { given, sending } = specification(user);
const profileId = PROFILE_ID;
const resubmitted = {
  profileId,
  ...credentials,
  specialties: [{ id: ITEM_ID, specialtyId: SPECIALTY_ID }],
};

const decisions = ['ApproveProfile', 'RejectProfile', 'ResubmitProfile'] as const;
type Deciding = (typeof decisions)[number];
const commandOf = (type: Deciding): UserCommand =>
  type === 'ResubmitProfile' ? { type, data: { profileId } } : { type, data: { profileId, reason: 'a reason' } };
/** The same decision without a reason. */
const bare = (type: Deciding): UserCommand => ({ type, data: { profileId } });

/** The result of each decision on a profile in each status: the next status, no change, or a refusal. */
const outcomes: Record<ApprovalStatus, Record<Deciding, ApprovalStatus | 'nothing' | 'refused'>> = {
  ANALYSING: { ApproveProfile: 'APPROVED', RejectProfile: 'REJECTED', ResubmitProfile: 'refused' },
  APPROVED: { ApproveProfile: 'nothing', RejectProfile: 'REJECTED', ResubmitProfile: 'refused' },
  REJECTED: { ApproveProfile: 'APPROVED', RejectProfile: 'nothing', ResubmitProfile: 'ANALYSING' },
};
const rows = approvalStatuses.flatMap((status) =>
  decisions.map((type) => ({ status, type, outcome: outcomes[status][type] })),
);

const EVENTS = {
  ApproveProfile: { type: 'UserProfileApproved', data: { profileId, reason: 'a reason' } },
  RejectProfile: { type: 'UserProfileRejected', data: { profileId, reason: 'a reason' } },
  ResubmitProfile: { type: 'UserProfileResubmitted', data: resubmitted },
} as const;

describe('a decision on a profile', () => {
  it.each(rows)('that is $status, by $type: $outcome', ({ status, type, outcome }) => {
    const command = outcome === 'nothing' ? bare(type) : commandOf(type);
    const when = () => given(...withProfile[status]).when(command);
    if (outcome === 'refused') {
      when().thenRefuses('profile-not-rejected', { profileId, approvalStatus: status });
      return;
    }
    when().then(...(outcome === 'nothing' ? [] : [EVENTS[type]]));
    const next = outcome === 'nothing' ? status : outcome;
    when().thenState((state) =>
      expect(profileIn(state)).toMatchObject({ approvalStatus: next, enabled: next === 'APPROVED' }),
    );
  });

  it.each(['ApproveProfile', 'RejectProfile'] as const)(
    'cannot be taken by users on their own profiles: %s',
    (type) => {
      for (const status of approvalStatuses) {
        given(...withProfile[status])
          .whenBy(AGGREGATE_ID, commandOf(type))
          .thenRefuses('own-profile', { profileId });
      }
      given(...withProfile.ANALYSING)
        .whenBy(uuidOf(0x999), commandOf(type))
        .then(EVENTS[type]);
    },
  );

  it('may be taken by the users themselves if it is a resubmission', () =>
    given(...withProfile.REJECTED)
      .whenBy(AGGREGATE_ID, commandOf('ResubmitProfile'))
      .then(EVENTS.ResubmitProfile));

  it.each(decisions)('is refused on a profile that the user does not have: %s', (type) => {
    const command = { type, data: { profileId: UNKNOWN_ID } } as UserCommand;
    given(...withProfile.REJECTED)
      .when(command)
      .thenRefuses('profile-not-found', { profileId: UNKNOWN_ID });
  });

  it('changes only that profile', () =>
    given(registered, profileAdded(), profileAdded(OTHER_PROFILE_ID))
      .when(commandOf('ApproveProfile'))
      .thenState((state) => {
        expect(profileIn(state)).toMatchObject({ createdAt: EARLIER, updatedAt: NOW });
        expect(profileIn(state, OTHER_PROFILE_ID)).toMatchObject({ approvalStatus: 'ANALYSING', updatedAt: EARLIER });
      }));

  it('needs no reason, and limits the length of a reason', () => {
    given(...withProfile.ANALYSING)
      .when({ type: 'RejectProfile', data: { profileId } })
      .then({ type: 'UserProfileRejected', data: { profileId, reason: null } });
    sending('RejectProfile', { profileId, reason: ' ' }).isRefusedFor('/reason blank');
    sending('ApproveProfile', { profileId, reason: 'x'.repeat(2_001) }).isRefusedFor('/reason too_big');
  });
});

describe('a decision that repeats the status of a profile', () => {
  const explained = (reason: string | null): UserEvent => ({
    type: 'UserProfileDecisionExplained',
    data: { profileId, reason },
  });
  const repeats = [
    { type: 'ApproveProfile', status: 'APPROVED' },
    { type: 'RejectProfile', status: 'REJECTED' },
  ] as const;

  it.each(repeats)('records another reason, and changes nothing else: $type', ({ type, status }) => {
    const when = () => given(...withProfile[status]).when(commandOf(type));
    when().then(explained('a reason'));
    when().thenState((state) =>
      expect(profileIn(state)).toMatchObject({ approvalStatus: status, createdAt: EARLIER, updatedAt: EARLIER }),
    );
  });

  it.each(repeats)('records nothing with the reason of the decision or of the last explanation: $type', (row) => {
    const decided = withProfile[row.status].slice(0, -1);
    given(...decided, EVENTS[row.type])
      .when(commandOf(row.type))
      .then();
    const twice = [...withProfile[row.status], explained('first'), explained('a reason')];
    given(...twice)
      .when(commandOf(row.type))
      .then();
    given(...twice, explained('third'))
      .when(commandOf(row.type))
      .then(explained('a reason'));
    given(...twice)
      .when(bare(row.type))
      .then();
  });

  it('compares with the reason of the last decision on this profile only', () => {
    const other: UserEvent = { type: 'UserProfileApproved', data: { profileId: OTHER_PROFILE_ID, reason: 'a reason' } };
    given(...withProfile.APPROVED, profileAdded(OTHER_PROFILE_ID), other)
      .when(commandOf('ApproveProfile'))
      .then(explained('a reason'));
    given(...withProfile.ANALYSING, EVENTS.RejectProfile, approved)
      .when(commandOf('ApproveProfile'))
      .then(explained('a reason'));
  });
});

describe('a profile, when it is added', () => {
  it('is in analysis, and by default for a generalist', () =>
    given(registered)
      .when({ type: 'AddProfile', data: { ...credentials, specialties: [SPECIALTY_ID] } })
      .then({
        type: 'UserProfileAdded',
        data: {
          profileId: uuidOf(1),
          type: 'DOCTOR_GENERALIST',
          ...credentials,
          specialties: [{ id: uuidOf(2), specialtyId: SPECIALTY_ID }],
        },
      }));
  it('is refused above the limit', () => {
    const profiles = upTo(profileLimit).map((n) => profileAdded(uuidOf(0x1000 + n)));
    given(registered, ...profiles)
      .when({ type: 'AddProfile', data: {} })
      .thenRefuses('too-many-profiles', { limit: profileLimit });
    given(registered, ...profiles.slice(1))
      .when({ type: 'AddProfile', data: {} })
      .thenState((state) => expect(state).toMatchObject({ fields: { profiles: { length: profileLimit } } }));
  });
});

describe('a profile, when its documents are sent again', () => {
  it.each([
    { documentDoctor: 'CRM/RJ 9' },
    { documentDoctor: null },
    { documentDoctorState: 'RJ' },
    { documentDoctorUpdatedAt: '2026-01-31' },
  ])('changes only the fields that are sent: %o', (changes) =>
    given(...withProfile.REJECTED)
      .when({ type: 'ResubmitProfile', data: { profileId, ...changes } })
      .then({ type: 'UserProfileResubmitted', data: { ...resubmitted, ...changes } }),
  );
  it('keeps the item of a specialty that stays, with its dates', () => {
    const specialties = [OTHER_SPECIALTY_ID, SPECIALTY_ID];
    const when = () =>
      given(...withProfile.REJECTED).when({ type: 'ResubmitProfile', data: { profileId, specialties } });
    when().then({
      type: 'UserProfileResubmitted',
      data: {
        ...resubmitted,
        specialties: [
          { id: uuidOf(1), specialtyId: OTHER_SPECIALTY_ID },
          { id: ITEM_ID, specialtyId: SPECIALTY_ID },
        ],
      },
    });
    when().thenState((state) =>
      expect(profileIn(state).specialties).toMatchObject([
        { id: uuidOf(1), createdAt: NOW },
        { id: ITEM_ID, createdAt: EARLIER, updatedAt: EARLIER },
      ]),
    );
  });
});

it.each([
  { id: ITEM_ID, specialtyId: OTHER_SPECIALTY_ID },
  { id: uuidOf(0xd02), specialtyId: SPECIALTY_ID },
])('a specialty of a profile has the id and the specialty that the log gives it: %j', (item) => {
  const again: UserEvent = { type: 'UserProfileResubmitted', data: { ...resubmitted, specialties: [item] } };
  expect(profileIn(given(...withProfile.REJECTED, again).state()).specialties).toMatchObject([item]);
});

it('a profile stays the same when its decision is explained', () => {
  const profile = profileIn(given(...withProfile.REJECTED).state());
  const data = { profileId, reason: 'a reason' };
  expect(evolveProfile.UserProfileDecisionExplained(profile, data, { id: AGGREGATE_ID, at: NOW })).toBe(profile);
});

const { UserProfileAdded: _, ...later } = evolveProfile;
it.each(Object.entries(later))('a profile that was never added stays unknown after %s', (_, fold) => {
  const data = { ...resubmitted, reason: null, changed: [], isReviewed: false };
  expect(fold(undefined, data as never, { id: AGGREGATE_ID, at: NOW })).toBeUndefined();
});

describe('the roles of a user', () => {
  const roles = (...events: readonly UserEvent[]) => rolesOf(given(...events).state());
  const nurse = (id: string) => [
    profileAdded(id, 'NURSE'),
    { type: 'UserProfileApproved', data: { profileId: id, reason: null } } as const,
  ];

  it('are the types of its approved profiles, each once', () => {
    const second = profileAdded(OTHER_PROFILE_ID, 'ADMINISTRATOR');
    expect(roles(...withProfile.APPROVED, second)).toEqual(['DOCTOR_GENERALIST']);
    expect(roles(...withProfile.APPROVED, ...nurse(uuidOf(0xb03)), ...nurse(uuidOf(0xb04)))).toEqual([
      'DOCTOR_GENERALIST',
      'NURSE',
    ]);
  });
  it('do not include profiles that are in analysis, rejected, revoked or erased', () => {
    expect(roles()).toEqual([]);
    expect(roles(...withProfile.ANALYSING)).toEqual([]);
    expect(roles(...withProfile.REJECTED)).toEqual([]);
    expect(roles(...withProfile.APPROVED, ...withProfile.REJECTED.slice(2))).toEqual([]);
    expect(roles(registered, profileAdded(), approved, erased)).toEqual([]);
  });
});
