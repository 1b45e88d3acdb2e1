import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evolveProfile, type UserProfile } from '../../src/domain/user/state.js';
import type { RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import type { Period } from '../../src/infrastructure/views/views.js';
import { profileStatusesCollection } from '../../src/projections/profile-statuses.js';
import { users } from '../../src/projections/users.js';
import {
  approved,
  credentials,
  erased,
  OTHER_PROFILE_ID,
  PROFILE_ID,
  person,
  profileAdded,
  registered,
  rejected,
} from '../domain/user/samples.js';
import { AGGREGATE_ID } from '../support/specification.js';
import { instant, log } from './recorded.js';
import { folded } from './replay.js';

type Sample = Parameters<typeof log>[1];

const changed = (isReviewed: boolean): Sample => ({
  type: 'UserProfileChangedSinceApproval',
  data: { profileId: PROFILE_ID, changed: ['name'], isReviewed },
});
const returned: Sample = { type: 'UserProfileReturnedToAnalysis', data: { profileId: PROFILE_ID } };
const resubmitted: Sample = {
  type: 'UserProfileResubmitted',
  data: { profileId: PROFILE_ID, ...credentials, specialties: [] },
};
const profileErased: Sample = { type: 'UserProfileErased', data: { profileId: PROFILE_ID } };

const documentsAfter = (events: readonly RecordedEvent[]) => folded(users, events).get('profileStatuses');
const documentAfter = (events: readonly RecordedEvent[], id = PROFILE_ID) => documentsAfter(events)?.get(id)?.document;
const indexOf = (document: unknown) =>
  profileStatusesCollection.index(document as never) as Record<
    'approvalStatus' | 'changedSinceApproval',
    readonly Period[]
  >;
/** Returns the value of a field at a time, undefined if there was no profile. */
const valueAt = (periods: readonly Period[], at: string) => {
  const then = periods.filter(({ since, until }) => since <= at && at < until);
  expect(then.length).toBeLessThanOrEqual(1);
  return then[0]?.value;
};

describe('the statuses of profiles', () => {
  it('are periods without gaps, and the last period has no end', () => {
    const document = documentAfter(log('user', registered, profileAdded(), approved, changed(false), rejected));
    expect(document).toMatchObject({ profileId: PROFILE_ID, userId: AGGREGATE_ID, type: 'DOCTOR_GENERALIST' });
    expect(indexOf(document).approvalStatus).toEqual([
      { value: 'ANALYSING', since: instant(2), until: instant(3) },
      { value: 'APPROVED', since: instant(3), until: instant(4) },
      { value: 'APPROVED', since: instant(4), until: instant(5) },
      { value: 'REJECTED', since: instant(5), until: '~' },
    ]);
  });

  it('are kept for each profile', () => {
    const events = log('user', registered, profileAdded(), profileAdded(OTHER_PROFILE_ID, 'NURSE'), approved);
    expect(valueAt(indexOf(documentAfter(events)).approvalStatus, instant(4))).toBe('APPROVED');
    expect(valueAt(indexOf(documentAfter(events, OTHER_PROFILE_ID)).approvalStatus, instant(4))).toBe('ANALYSING');
  });

  it('hold no personal data', () => {
    const events = log('user', registered, profileAdded(), approved, resubmitted, profileErased, erased);
    const everything = JSON.stringify([...(documentsAfter(events)?.values() ?? [])]);
    for (const value of [...Object.values(person), ...Object.values(credentials)]) {
      expect(everything).not.toContain(`"${value}"`);
    }
  });

  it('match the profile at every time, even if several events share a timestamp', () => {
    const events = fc.array(
      fc.tuple(
        fc.constantFrom(approved, rejected, changed(false), changed(true), returned, resubmitted, profileErased),
        fc.integer({ min: 0, max: 1 }),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(events, (drawn) => {
        const times = drawn.map((_, index) =>
          instant(drawn.slice(0, index + 1).reduce((second, [, step]) => second + step, 2)),
        );
        const recorded = log('user', registered, profileAdded(), ...drawn.map(([event]) => event)).map(
          (event, index) =>
            index < 2 ? event : { ...event, metadata: { ...event.metadata, at: times[index - 2] ?? '' } },
        );
        const { approvalStatus, changedSinceApproval } = indexOf(documentAfter(recorded));
        for (const at of new Set(times)) {
          const profile = profileAt(recorded, at);
          expect(valueAt(approvalStatus, at)).toBe(profile?.approvalStatus);
          expect(valueAt(changedSinceApproval, at)).toBe(`${profile?.changedSinceApproval}`);
        }
        expect(valueAt(approvalStatus, instant(1))).toBeUndefined();
      }),
    );
  });
});

/** Returns the profile as its aggregate folds it, up to a time. */
const profileAt = (events: readonly RecordedEvent[], at: string): UserProfile | undefined => {
  const folds: Readonly<Record<string, (profile: never, data: never, on: object) => unknown>> = evolveProfile as never;
  return events
    .filter(({ metadata }) => metadata.at <= at)
    .reduce<unknown>(
      (profile, { type, data, metadata }) =>
        folds[type]?.(profile as never, data as never, { id: AGGREGATE_ID, at: metadata.at }) ?? profile,
      undefined,
    ) as UserProfile | undefined;
};
