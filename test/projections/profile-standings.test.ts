import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evolveProfile, type UserProfile } from '../../src/domain/user/state.js';
import type { RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import type { DocumentWrite, Views } from '../../src/infrastructure/views/views.js';
import { foldPage } from '../../src/projections/fold-page.js';
import { type ProfileStanding, profileStandings } from '../../src/projections/profile-standings.js';
import { users } from '../../src/projections/users.js';
import {
  approved,
  credentials,
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

/** The standings after these events, in order of time. */
const standingsAfter = (events: readonly RecordedEvent[], profileId = PROFILE_ID) => {
  const documents = folded(users, events).get(profileStandings.name)?.values() ?? [];
  const all = [...documents].map(({ document }) => document as ProfileStanding);
  return all.filter((each) => each.profileId === profileId).toSorted((a, b) => (a.since < b.since ? -1 : 1));
};
/** The standing at a time; undefined if there was no profile. */
const standingAt = (standings: readonly ProfileStanding[], at: string) => {
  const then = standings.filter(({ since, until }) => since <= at && at < until);
  expect(then.length).toBeLessThanOrEqual(1);
  return then[0];
};

describe('the standings of a profile', () => {
  it('are periods without a gap, the last without an end', () => {
    const standings = standingsAfter(log('user', registered, profileAdded(), approved, changed(false), rejected));
    expect(standings[0]).toMatchObject({ profileId: PROFILE_ID, userId: AGGREGATE_ID, type: 'DOCTOR_GENERALIST' });
    expect(standings.map((each) => [each.approvalStatus, each.changedSinceApproval, each.since, each.until])).toEqual([
      ['ANALYSING', false, instant(2), instant(3)],
      ['APPROVED', false, instant(3), instant(4)],
      ['APPROVED', true, instant(4), instant(5)],
      ['REJECTED', false, instant(5), '~'],
    ]);
  });

  it('are those of one profile, and are listed in the order in which the profiles were added', () => {
    const events = log('user', registered, profileAdded(), profileAdded(OTHER_PROFILE_ID, 'NURSE'), approved);
    expect(standingAt(standingsAfter(events), instant(4))?.approvalStatus).toBe('APPROVED');
    expect(standingAt(standingsAfter(events, OTHER_PROFILE_ID), instant(4))?.approvalStatus).toBe('ANALYSING');
    const documents = folded(users, events);
    for (const { document, created } of documents.get(profileStandings.name)?.values() ?? []) {
      expect(created).toBe(documents.get('profiles')?.get((document as ProfileStanding).profileId)?.created);
    }
  });

  it('are at every instant what the profile was then, also if several events share an instant', () => {
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
        const standings = standingsAfter(recorded);
        for (const at of new Set(times)) {
          const profile = profileAt(recorded, at);
          const { approvalStatus, changedSinceApproval } = standingAt(standings, at) ?? {};
          expect(approvalStatus).toBe(profile?.approvalStatus);
          expect(changedSinceApproval).toBe(profile?.changedSinceApproval);
        }
        expect(standingAt(standings, instant(1))).toBeUndefined();
      }),
    );
  });
});

describe('the writes of a decision', () => {
  const generation = { projection: users.name, number: 1 };
  /** What each event writes, each in a batch of its own. */
  const writesOf = async (events: readonly RecordedEvent[]) => {
    const stored = new Map<string, DocumentWrite>();
    const load: Views['load'] = async (_, collection, ids) =>
      [...stored.values()].filter((write) => write.collection === collection && ids.includes(write.id));
    const batches: (readonly DocumentWrite[])[] = [];
    for (const event of events) {
      const { writes } = await foldPage({ load }, generation, users, {
        events: [event],
        position: event.position,
        atEnd: true,
      });
      for (const write of writes) stored.set(`${write.collection} ${write.id}`, write);
      batches.push(writes);
    }
    return batches;
  };

  it('have the same size, however many decisions came before', async () => {
    const decisions = Array.from({ length: 300 }, (_, n) => (n % 2 ? rejected : approved));
    const batches = await writesOf(log('user', registered, profileAdded(), ...decisions));
    const sizes = batches.map((writes) => writes.reduce((sum, write) => sum + JSON.stringify(write).length, 0));
    // The revision has three digits from here on.
    const [early, late] = [sizes.slice(102, 104), sizes.slice(-2)];
    expect(late).toEqual(early);
  });

  it('come before the profile that they follow from, and are those of one batch for all events', async () => {
    const events = log('user', registered, profileAdded(), approved, rejected);
    const names = users.collections.map(({ name }) => name);
    expect(names.indexOf(profileStandings.name)).toBeLessThan(names.indexOf('profiles'));
    const apart = new Map((await writesOf(events)).flat().map((write) => [`${write.collection} ${write.id}`, write]));
    const page = { events, position: at(4), atEnd: true };
    const { writes } = await foldPage({ load: async () => [] }, generation, users, page);
    expect(new Map(writes.map((write) => [`${write.collection} ${write.id}`, write]))).toEqual(apart);
  });
});

/** The profile as its own table folds it, up to an instant. */
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
