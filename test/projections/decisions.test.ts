import { describe, expect, it } from 'vitest';
import { type Decision, profileDecisions } from '../../src/projections/decisions.js';
import { users } from '../../src/projections/users.js';
import {
  approved,
  OTHER_PROFILE_ID,
  PROFILE_ID,
  profileAdded,
  registered,
  rejected,
} from '../domain/support/user-samples.js';
import { at } from '../infrastructure/views/support/harness.js';
import { AGGREGATE_ID } from '../support/specification.js';
import { instant, log } from './support/recorded.js';
import { folded } from './support/replay.js';

type Sample = Parameters<typeof log>[1];

const explained: Sample = {
  type: 'UserProfileDecisionExplained',
  data: { profileId: PROFILE_ID, reason: 'It has lapsed.' },
};
const returned: Sample = { type: 'UserProfileReturnedToAnalysis', data: { profileId: PROFILE_ID } };

/** The decisions after these events, in the order of the list. */
const decisionsAfter = (...events: readonly Sample[]) => {
  const documents = [
    ...(folded(users, log('user', ...events))
      .get(profileDecisions.name)
      ?.values() ?? []),
  ];
  return documents
    .toSorted((a, b) => (a.created > b.created ? -1 : 1))
    .map(({ document, created }) => ({ ...(document as Decision), created }));
};

describe('the decisions in the read model of users', () => {
  it('has each decision with the status before and after, and neither names nor reasons', () => {
    const found = decisionsAfter(registered, profileAdded(), rejected, explained, approved, approved);
    const common = { decidedBy: 'anonymous', userId: AGGREGATE_ID, profileId: PROFILE_ID };
    const rows = [
      [6, 'UserProfileApproved', 'APPROVED', 'APPROVED'],
      [5, 'UserProfileApproved', 'REJECTED', 'APPROVED'],
      [4, 'UserProfileDecisionExplained', 'REJECTED', 'REJECTED'],
      [3, 'UserProfileRejected', 'ANALYSING', 'REJECTED'],
    ] as const;
    expect(found).toEqual(
      rows.map(([n, type, before, after]) => ({
        ...{ at: instant(n), type, ...common, profileType: 'DOCTOR_GENERALIST', before, after },
        ...{ revision: n - 1, position: at(n), created: at(n) },
      })),
    );
  });

  it('follows each profile by itself, and its return to analysis', () => {
    const events = [registered, profileAdded(), profileAdded(OTHER_PROFILE_ID, 'NURSE'), approved, returned, rejected];
    const [last, ...others] = decisionsAfter(...events);
    expect(last).toMatchObject({ before: 'ANALYSING', after: 'REJECTED' });
    expect(others).toMatchObject([{ before: 'ANALYSING', after: 'APPROVED' }]);
    const other = { type: 'UserProfileRejected', data: { profileId: OTHER_PROFILE_ID, reason: null } };
    expect(decisionsAfter(...events, other)[0]).toMatchObject({ profileType: 'NURSE', before: 'ANALYSING' });
  });
});
