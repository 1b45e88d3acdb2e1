// Invariants of users, for any sequence of commands.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApprovalStatus, isActivated, rolesOf, type User } from '../../../src/domain/user/state.js';
import { user } from '../../../src/domain/user/user.js';
import { expectRecordable } from '../../support/specification.js';
import { userMachine } from '../support/machines.js';
import { played } from '../support/play.js';
import { fieldsIn, noPersonalFields } from '../support/user-samples.js';

const commands = fc
  .tuple(userMachine.beginning, fc.array(userMachine.later, { maxLength: 40, size: 'max' }))
  .map(([registration, later]) => [registration, ...later]);

const holdsAfterEachCommand = (check: (state: User, before: User) => void) =>
  fc.assert(
    fc.property(commands, (sent) => {
      for (const { state, before, events } of played(userMachine, sent)) {
        for (const event of events) expectRecordable(user, event);
        check(state, before);
      }
    }),
  );

const statusesIn = (state: User): ReadonlyMap<string, ApprovalStatus> =>
  new Map((fieldsIn(state)?.profiles ?? []).map((profile) => [profile.id, profile.approvalStatus]));

const ALLOWED: Readonly<Record<ApprovalStatus | 'none', readonly ApprovalStatus[]>> = {
  none: ['ANALYSING'],
  ANALYSING: ['ANALYSING', 'APPROVED', 'REJECTED'],
  // A change of the name or the document can return an approved profile to analysis.
  APPROVED: ['APPROVED', 'REJECTED', 'ANALYSING'],
  REJECTED: ['REJECTED', 'APPROVED', 'ANALYSING'],
};

describe('users, after any commands', () => {
  it('change the status of a profile only by allowed transitions', () =>
    holdsAfterEachCommand((state, before) => {
      const was = statusesIn(before);
      for (const [each, status] of statusesIn(state)) expect(ALLOWED[was.get(each) ?? 'none']).toContain(status);
    }));

  it('have only the roles of their approved profiles, and none once erased', () =>
    holdsAfterEachCommand((state) => {
      const profiles = state.status === 'active' ? state.fields.profiles : [];
      const approved = profiles.filter(({ approvalStatus }) => approvalStatus === 'APPROVED');
      const enabled = (fieldsIn(state)?.profiles ?? []).filter((profile) => profile.enabled);
      expect(enabled).toEqual(approved);
      expect(new Set(rolesOf(state))).toEqual(new Set(approved.map(({ type }) => type)));
    }));

  it('are erased permanently, with all their personal fields', () =>
    holdsAfterEachCommand((state, before) => {
      if (before.status === 'erased') expect(state).toEqual(before);
      if (state.status !== 'erased') return;
      expect(state.fields).toMatchObject({ ...noPersonalFields, enabled: false, auth: [] });
      for (const { documentDoctor } of state.fields.profiles) expect(documentDoctor).toBeNull();
    }));

  it('stay activated until they are erased', () =>
    holdsAfterEachCommand((state, before) => {
      if (state.status === 'active' && isActivated(before)) expect(isActivated(state)).toBe(true);
    }));

  it('record events of every type', () => {
    const events = fc
      .sample(commands, { numRuns: 300, seed: 1 })
      .flatMap((sent) => played(userMachine, sent).flatMap((step) => step.events.map(({ type }) => type)));
    expect(new Set(events)).toEqual(new Set(Object.keys(user.events)));
  });
});
