// The life of a profile in words.
import { describe, expect, it } from 'vitest';
import {
  changesOf,
  nameOf,
  profileEvents,
  type Step,
  sourcesOf,
  titleOf,
  type UserProfile,
  whoOf,
} from '../../console/src/approvals/timeline.js';
import { en } from '../../console/src/texts/en.js';
import { pt } from '../../console/src/texts/pt.js';
import { evolveProfile } from '../../src/domain/user/state.js';

const SPECIALTY = { id: 'item', userProfileId: 'profile', enabled: true, createdAt: '', updatedAt: '' };
const waiting: UserProfile = {
  id: 'profile',
  userId: 'ana',
  approvalStatus: 'ANALYSING',
  documentDoctor: 'CRM-1',
  documentDoctorState: 'SP',
  documentDoctorUpdatedAt: '2024-01-15',
  type: 'DOCTOR_SPECIALIST',
  enabled: false,
  changedSinceApproval: false,
  createdAt: '2026-11-24T10:00:00.000Z',
  updatedAt: '2026-11-24T10:00:00.000Z',
  specialties: [{ ...SPECIALTY, specialtyId: 'heart' }],
};
const approved: UserProfile = { ...waiting, approvalStatus: 'APPROVED', enabled: true, updatedAt: 'later' };
const words = { texts: en, day: (date: string) => `day ${date}`, specialty: (id: string) => `the ${id}` };
const step = (more: Partial<Step>): Step => ({
  ...{ type: 'UserProfileApproved', at: '2026-11-24T10:00:00.000Z', clock: null, reason: null, revision: 1 },
  ...{ actor: { id: 'helena', roles: [], name: 'Helena' }, origin: null, before: waiting, after: approved },
  ...more,
});

describe('the steps of a profile', () => {
  it('knows every type of event that a profile has', () => {
    expect([...profileEvents].sort()).toEqual(Object.keys(evolveProfile).sort());
  });

  it('names each type in both languages', () => {
    for (const type of profileEvents) {
      expect(titleOf(en, { type }).title).toBe(en.timeline.events[type]);
      expect(titleOf(pt, { type }).title).toBe(pt.timeline.events[type]);
    }
  });

  it('shows an unknown type by its name, also a name of Object.prototype', () => {
    expect(titleOf(en, { type: 'UserProfilePraised' })).toEqual({
      sign: 'more',
      shade: 'quiet',
      title: 'UserProfilePraised',
    });
    expect(titleOf(en, { type: 'constructor' }).title).toBe('constructor');
  });
});

describe('what a step changed', () => {
  it('shows the state before and after a decision, and nothing that follows from it', () => {
    expect(changesOf(words, step({}))).toEqual([{ field: 'approvalStatus', from: 'Waiting', to: 'Approved' }]);
  });

  it('shows every value of a new profile that is there', () => {
    const bare = { ...waiting, documentDoctorState: null, specialties: [] };
    expect(changesOf(words, { before: null, after: bare })).toEqual([
      { field: 'approvalStatus', from: null, to: 'Waiting' },
      { field: 'type', from: null, to: 'Specialist' },
      { field: 'documentDoctor', from: null, to: 'CRM-1' },
      { field: 'documentDoctorUpdatedAt', from: null, to: 'day 2024-01-15' },
    ]);
  });

  it('compares specialties by their names, not by their items', () => {
    const again = { ...waiting, specialties: [{ ...SPECIALTY, id: 'another item', specialtyId: 'heart' }] };
    expect(changesOf(words, { before: waiting, after: again })).toEqual([]);
    const none = { ...waiting, specialties: [] };
    expect(changesOf(words, { before: waiting, after: none })).toEqual([
      { field: 'specialties', from: 'the heart', to: null },
    ]);
  });

  it('shows that an approved person has changed', () => {
    const changed = { ...approved, changedSinceApproval: true };
    expect(changesOf(words, { before: approved, after: changed })).toEqual([
      { field: 'changedSinceApproval', from: null, to: 'yes' },
    ]);
  });

  it('shows nothing if the profile is unknown or unchanged', () => {
    expect(changesOf(words, { before: null, after: null })).toEqual([]);
    expect(changesOf(words, { before: approved, after: approved })).toEqual([]);
  });
});

describe('who took a step, and from where', () => {
  it('names the actor', () => {
    expect(whoOf(en, step({}), 'ana')).toBe('Helena');
  });

  it('says so if the person took the step, the operator, or nobody who was signed in', () => {
    expect(whoOf(en, step({ actor: { id: 'ana', roles: [], name: 'Ana' } }), 'ana')).toBe('the person');
    expect(whoOf(en, step({ actor: { id: 'operator', roles: [] } }), 'ana')).toBe('the operator of the service');
    expect(whoOf(en, step({ actor: { id: 'anonymous', roles: [], name: null } }), 'ana')).toBe('without a sign-in');
  });

  it('shows the id of an actor whose name is gone', () => {
    expect(whoOf(en, step({ actor: { id: '018f', roles: [], name: null } }), 'ana')).toContain('018f');
  });

  it('lists the sources that are recorded', () => {
    expect(sourcesOf(en, step({}))).toEqual([]);
    expect(sourcesOf(en, step({ origin: 'web', address: '10.0.0.1', sessionId: 's1' }))).toEqual([
      'origin web',
      'address 10.0.0.1',
      'session s1',
    ]);
  });

  it('names a person, and an erased person', () => {
    expect(nameOf(en, { firstName: 'Ana', lastName: 'Souza' })).toBe('Ana Souza');
    expect(nameOf(en, { firstName: null, lastName: null })).toBe('Erased person');
  });
});
