// Invariants of users, for any sequence of commands and any order of events.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../../src/domain/decider.js';
import { DomainError } from '../../../src/domain/errors.js';
import { type ApprovalStatus, isActivated, rolesOf, type User } from '../../../src/domain/user/state.js';
import { user } from '../../../src/domain/user/user.js';
import { AGGREGATE_ID, countingIds, deepFreeze, expectRecordable, uuidOf } from '../../support/specification.js';
import {
  AUTH_ID,
  credentials,
  fieldsIn,
  noPersonalFields,
  person,
  SPECIALTY_ID,
  type UserCommand,
  type UserEvent,
} from './samples.js';

const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record<T>(model, { noNullPrototype: true });
const id = (from: number) => fc.integer({ min: 1, max: 4 }).map((n) => uuidOf(from + n));
const anyPerson = fc.constantFrom({ ...person }, { ...noPersonalFields });
const anyCredentials = record({
  documentDoctor: fc.constantFrom('CRM 1', null),
  documentDoctorState: fc.constant(null),
  documentDoctorUpdatedAt: fc.constant(null),
  specialties: fc.array(record({ id: id(0x500), specialtyId: id(0x600) }), { maxLength: 3 }),
});
const reason = fc.constantFrom('a reason', null);
const profileId = id(0);

const event = <T extends UserEvent['type']>(type: T, data: fc.Arbitrary<object>) =>
  data.map((each) => ({ type, data: each }) as UserEvent);

const anyEvent: fc.Arbitrary<UserEvent> = fc.oneof(
  event(
    'UserRegistered',
    anyPerson.map((each) => ({ ...each, enabled: true, externalAuthId: AUTH_ID, acceptedTerms: true })),
  ),
  event(
    'UserRevised',
    fc.tuple(anyPerson, fc.boolean()).map(([each, enabled]) => ({ ...each, enabled, signInEmail: each.email })),
  ),
  event(
    'UserProfileAdded',
    fc.tuple(profileId, anyCredentials).map(([of, each]) => ({ profileId: of, type: 'NURSE', ...each })),
  ),
  event('UserProfileApproved', record({ profileId, reason })),
  event('UserProfileRejected', record({ profileId, reason })),
  event(
    'UserProfileResubmitted',
    fc.tuple(profileId, anyCredentials).map(([of, each]) => ({ profileId: of, ...each })),
  ),
  event('UserAttachedToInstitution', record({ institutionId: id(0x700), name: fc.string() })),
  event('UserAttachedToUnity', record({ institutionId: id(0x700), unityId: id(0x800), name: fc.string() })),
  event('UserPhoneChanged', record({ dialingCode: fc.constantFrom('55', null), phone: fc.constantFrom('1', null) })),
  event(
    'UserProfileChangedSinceApproval',
    record({ profileId, isReviewed: fc.boolean() }).map((each) => ({ ...each, changed: ['name'] })),
  ),
  event('UserProfileReturnedToAnalysis', record({ profileId })),
  event(
    'UserSignInEmailChanged',
    record({ by: fc.constantFrom('code', 'operator') }).map((each) => ({
      ...each,
      email: 'new@example.org',
      operator: null,
    })),
  ),
  event('UserActivated', fc.constant({})),
  event('UserPasswordChanged', record({ by: fc.constantFrom('change', 'reset') })),
  event('UserProfileErased', record({ profileId })),
  event('UserErased', fc.constant({ reason: 'asked for' })),
);

// Ids are counted from 1, so the drawn ids include the ids of the first profiles.
const anyCommand: fc.Arbitrary<UserCommand> = fc.oneof(
  {
    weight: 4,
    arbitrary: record({ type: fc.constant('ApproveProfile' as const), data: record({ profileId, reason }) }),
  },
  {
    weight: 4,
    arbitrary: record({ type: fc.constant('RejectProfile' as const), data: record({ profileId, reason }) }),
  },
  {
    weight: 4,
    arbitrary: record({ type: fc.constant('ResubmitProfile' as const), data: record({ profileId }) }),
  },
  fc.constantFrom<UserCommand>(
    { type: 'AddProfile', data: { ...credentials, specialties: [SPECIALTY_ID] } },
    { type: 'ReviseUser', data: { enabled: false } },
    { type: 'ReviseUser', data: { email: 'new@example.org', enabled: true } },
    { type: 'ChangePhone', data: { dialingCode: '351', phone: '912 345 678' } },
    { type: 'Activate', data: {} },
    { type: 'ChangePassword', data: { by: 'change' } },
    { type: 'EraseUser', data: { reason: 'asked for' } },
  ),
);
const registration: UserCommand = {
  type: 'RegisterUser',
  data: { ...person, acceptedTerms: true, profiles: [{}, { type: 'NURSE' }, { type: 'ADMINISTRATOR' }] },
};

const on = (step: number) => ({ id: AGGREGATE_ID, at: new Date(Date.UTC(2026, 0, 1, 0, 0, step)).toISOString() });

const decided = (state: User, { type, data }: UserCommand, newId: () => string): readonly UserEvent[] => {
  const command = user.commands[type].parse(data);
  try {
    return user.decide[type](state, command as never, { now: on(0).at, newId, actor: { id: 'anonymous', roles: [] } });
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
};

/** Returns the states of a user before and after each of these commands. */
const statesAfter = (commands: readonly UserCommand[]): readonly User[] => {
  const newId = countingIds();
  const states: User[] = [user.initialState];
  for (const [step, command] of [registration, ...commands].entries()) {
    const before = states.at(-1) ?? user.initialState;
    const events = decided(before, command, newId);
    for (const each of events) expectRecordable(user, each);
    states.push(deepFreeze(events.reduce((state, each) => fold(user, state, each, on(step)), before)));
  }
  return states;
};

const statusesIn = (state: User): ReadonlyMap<string, ApprovalStatus> =>
  new Map((fieldsIn(state)?.profiles ?? []).map((profile) => [profile.id, profile.approvalStatus]));

const ALLOWED: Readonly<Record<ApprovalStatus | 'none', readonly ApprovalStatus[]>> = {
  none: ['ANALYSING'],
  ANALYSING: ['ANALYSING', 'APPROVED', 'REJECTED'],
  APPROVED: ['APPROVED', 'REJECTED'],
  REJECTED: ['REJECTED', 'APPROVED', 'ANALYSING'],
};

const holdsAfter = (check: (state: User, before: User) => void) =>
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 40 }), (commands) => {
      const states = statesAfter(commands);
      for (const [index, state] of states.slice(1).entries()) check(state, states[index] ?? user.initialState);
    }),
  );

describe('users, after any commands', () => {
  it('change the status of a profile only by allowed transitions', () =>
    holdsAfter((state, before) => {
      const was = statusesIn(before);
      for (const [each, status] of statusesIn(state)) expect(ALLOWED[was.get(each) ?? 'none']).toContain(status);
    }));

  it('have only the roles of their approved profiles, and none once erased', () =>
    holdsAfter((state) => {
      const profiles = state.status === 'active' ? state.fields.profiles : [];
      const approved = profiles.filter(({ approvalStatus }) => approvalStatus === 'APPROVED');
      const enabled = (fieldsIn(state)?.profiles ?? []).filter((profile) => profile.enabled);
      expect(enabled).toEqual(approved);
      expect(new Set(rolesOf(state))).toEqual(new Set(approved.map(({ type }) => type)));
    }));

  it('are erased permanently, with all their personal fields', () =>
    holdsAfter((state, before) => {
      if (before.status === 'erased') expect(state).toEqual(before);
      if (state.status !== 'erased') return;
      expect(state.fields).toMatchObject({ ...noPersonalFields, enabled: false, auth: [] });
      expect(state.fields.profiles.map(({ documentDoctor }) => documentDoctor)).toEqual(
        state.fields.profiles.map(() => null),
      );
    }));

  it('stay activated until they are erased', () =>
    holdsAfter((state, before) => {
      if (state.status === 'active' && isActivated(before)) expect(isActivated(state)).toBe(true);
    }));
});

describe('users, after events in any order', () => {
  it('can be folded', () =>
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        for (const each of events) expectRecordable(user, each);
        const state = events.reduce<User>(
          (before, each, step) => deepFreeze(fold(user, before, each, on(step))),
          user.initialState,
        );
        expect(state.status === 'unknown').toBe(!events.some(({ type }) => type === 'UserRegistered'));
        expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state);
      }),
    ));
});
