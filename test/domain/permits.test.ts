// Shows which events the check of the log accepts after which history. The tests of the aggregates show that it accepts
// everything that was decided (test/support/specification.ts).
import { describe, expect, it } from 'vitest';
import { auditRead } from '../../src/domain/audit-read.js';
import { type Decider, fold, type Of, type Schemas } from '../../src/domain/decider.js';
import { institution } from '../../src/domain/institution.js';
import { protocol } from '../../src/domain/protocol/protocol.js';
import { specialty } from '../../src/domain/specialty.js';
import { user } from '../../src/domain/user/user.js';
import { AGGREGATE_ID, ANONYMOUS, NOW, uuidOf } from '../support/specification.js';
import {
  approved,
  erased,
  INSTITUTION_ID,
  noPersonalFields,
  PROFILE_ID,
  profileAdded,
  registered,
  rejected,
  UNITY_ID,
  type UserEvent,
} from './user/samples.js';

/** Returns whether the last of the events is permitted after the events before it. */
const isPermitted = <S, E extends Schemas, C extends Schemas>(
  decider: Decider<S, E, C>,
  events: readonly Of<E>[],
  actorId = ANONYMOUS,
): boolean => {
  const before = events.slice(0, -1);
  const on = { id: AGGREGATE_ID, at: NOW };
  const state = before.reduce((was, event) => fold(decider, was, event, on), decider.initialState);
  const [last] = events.slice(-1);
  if (last === undefined) throw new Error('pass at least one event');
  return decider.permits[last.type]?.(state, last.data as never, actorId) ?? false;
};

const added = profileAdded();
const resubmitted: UserEvent = {
  type: 'UserProfileResubmitted',
  data: {
    profileId: PROFILE_ID,
    documentDoctor: null,
    documentDoctorState: null,
    documentDoctorUpdatedAt: null,
    specialties: [],
  },
};
const revised = (enabled: boolean): UserEvent => ({
  type: 'UserRevised',
  data: { ...noPersonalFields, enabled, signInEmail: null },
});
const attached: UserEvent = {
  type: 'UserAttachedToInstitution',
  data: { institutionId: INSTITUTION_ID, name: 'Hospital' },
};
const inUnity: UserEvent = {
  type: 'UserAttachedToUnity',
  data: { institutionId: INSTITUTION_ID, unityId: UNITY_ID, name: 'Ward' },
};
const phoneChanged: UserEvent = { type: 'UserPhoneChanged', data: { dialingCode: null, phone: null } };
const activated: UserEvent = { type: 'UserActivated', data: {} };
const passwordChanged: UserEvent = { type: 'UserPasswordChanged', data: { by: 'reset' } };
const changed = (isReviewed = false): UserEvent => ({
  type: 'UserProfileChangedSinceApproval',
  data: { profileId: PROFILE_ID, changed: ['name'], isReviewed },
});
const returned: UserEvent = { type: 'UserProfileReturnedToAnalysis', data: { profileId: PROFILE_ID } };
const signInEmailChanged: UserEvent = {
  type: 'UserSignInEmailChanged',
  data: { email: 'new@example.org', by: 'code', operator: null },
};
const profileErased: UserEvent = { type: 'UserProfileErased', data: { profileId: PROFILE_ID } };

describe('the log of a user', () => {
  it.each<[string, readonly UserEvent[]]>([
    ['a registration', [registered]],
    ['an approval of a profile in analysis', [registered, added, approved]],
    ['an approval of a rejected profile', [registered, added, rejected, approved]],
    ['a rejection of an approved profile', [registered, added, approved, rejected]],
    ['a resubmission of a rejected profile', [registered, added, rejected, resubmitted]],
    ['a rejection of a resubmitted profile', [registered, added, rejected, resubmitted, rejected]],
    ['a second approval of a profile that changed since the first', [registered, added, approved, changed(), approved]],
    [
      'a return to analysis of a profile that changed since its approval',
      [registered, added, approved, changed(), returned],
    ],
    ['another sign-in address', [registered, signInEmailChanged, activated]],
    ['a second profile', [registered, added, profileAdded(uuidOf(0xb02))]],
    ['an attachment to a unity of the institution', [registered, attached, inUnity]],
    ['an activation after a reset', [registered, passwordChanged, activated]],
    ['an erasure after the erasure of the profile', [registered, added, approved, profileErased, erased]],
  ])('may have %s', (_, events) => expect(isPermitted(user, events)).toBe(true));

  it.each<[string, readonly UserEvent[]]>([
    ['a second registration', [registered, registered]],
    ['a second approval of an unchanged profile', [registered, added, approved, approved]],
    ['a second rejection', [registered, added, rejected, rejected]],
    ['a change since approval of a profile in analysis', [registered, added, changed()]],
    ['a return to analysis without a change', [registered, added, approved, returned]],
    ['a return to analysis after a reviewed change', [registered, added, approved, changed(true), returned]],
    [
      'a return to analysis of an administrator',
      [registered, profileAdded(PROFILE_ID, 'ADMINISTRATOR'), approved, changed(), returned],
    ],
    ['a decision on an unknown profile', [registered, approved]],
    ['a resubmission of a profile in analysis', [registered, added, resubmitted]],
    ['a resubmission of an approved profile', [registered, added, approved, resubmitted]],
    ['a profile with an id that is taken', [registered, added, added]],
    ['the same attachment twice', [registered, attached, attached]],
    ['the same attachment to a unity twice', [registered, attached, inUnity, inUnity]],
    ['an attachment to a unity without its institution', [registered, inUnity]],
    ['a second activation', [registered, activated, activated]],
    ['an erasure of an unknown profile', [registered, profileErased]],
  ])('may not have %s', (_, events) => expect(isPermitted(user, events)).toBe(false));

  const later = [
    ...[revised(true), added, approved, rejected, resubmitted, attached, inUnity],
    ...[phoneChanged, activated, passwordChanged, changed(), returned, signInEmailChanged, profileErased, erased],
  ];
  it.each(later)('may not begin with $type', (event) => expect(isPermitted(user, [event])).toBe(false));
  it.each([registered, ...later])('may not have $type after the erasure', (event) =>
    expect(isPermitted(user, [registered, added, erased, event])).toBe(false),
  );

  it('may not have a decision of users on their own profile', () => {
    for (const events of [
      [registered, added, approved],
      [registered, added, rejected],
    ]) {
      expect(isPermitted(user, events, uuidOf(7))).toBe(true);
      expect(isPermitted(user, events, AGGREGATE_ID)).toBe(false);
    }
  });

  it('may not have a user who enables themselves', () => {
    const events = [registered, revised(false), revised(true)];
    expect(isPermitted(user, events, uuidOf(7))).toBe(true);
    expect(isPermitted(user, events, AGGREGATE_ID)).toBe(false);
    expect(isPermitted(user, [registered, revised(true)], AGGREGATE_ID)).toBe(true);
  });
});

describe('the log of a protocol', () => {
  type Event = Of<typeof protocol.events>;
  const [form, second, question, option] = [uuidOf(1), uuidOf(2), uuidOf(3), uuidOf(4)];
  const created: Event = {
    type: 'ProtocolCreated',
    data: { institutionId: INSTITUTION_ID, name: 'Pain', prompt: null },
  };
  const renamed: Event = { type: 'ProtocolRevised', data: { name: 'Pains', prompt: null } };
  const version = (number: number, formId: string, copiedFrom: string | null): Event => ({
    type: 'ProtocolFormVersionCreated',
    data: { formId, version: number, copiedFrom, questions: [], scoreRanges: [] },
  });
  const content = {
    id: question,
    copiedFrom: null,
    questionText: 'Where?',
    responseType: 'SELECT',
    responseTypeInferred: false,
    metadata: {},
    required: false,
    weight: 1,
    position: 1,
  } as const;
  const asked: Event = {
    type: 'ProtocolQuestionAdded',
    data: { formId: form, question: { ...content, options: [] }, moved: [] },
  };
  const reworded: Event = {
    type: 'ProtocolQuestionRevised',
    data: { formId: form, question: { ...content, questionText: 'Where now?' }, moved: [] },
  };
  const choice = { id: option, copiedFrom: null, optionText: 'Head', score: 1, position: 1 };
  const offered = (responseType: 'SELECT' | 'DATE'): Event => ({
    type: 'ProtocolOptionAdded',
    data: { formId: form, questionId: question, responseType, option: choice, moved: [] },
  });
  const rescored: Event = {
    type: 'ProtocolOptionRevised',
    data: { formId: form, questionId: question, option: { ...choice, score: 2 }, moved: [] },
  };
  const replaced: Event = {
    type: 'ProtocolQuestionnaireReplaced',
    data: { formId: form, name: 'Pain', prompt: null, questions: [], scoreRanges: [] },
  };
  const begun = [created, version(1, form, null)];
  const inOrder = (...questionIds: readonly string[]): Event => ({
    type: 'ProtocolQuestionsReordered',
    data: { formId: form, questionIds: [...questionIds] },
  });
  const optionsInOrder = (...optionIds: readonly string[]): Event => ({
    type: 'ProtocolOptionsReordered',
    data: { formId: form, questionId: question, optionIds: [...optionIds] },
  });

  it.each<[string, readonly Event[]]>([
    ['a revision', [created, renamed]],
    ['a second version', [...begun, version(2, second, form)]],
    ['a question and its revision', [...begun, asked, reworded]],
    ['an option and its revision', [...begun, asked, offered('SELECT'), rescored]],
    ['a replacement', [...begun, asked, replaced]],
    ['an order of its questions', [...begun, asked, inOrder(question)]],
    ['an order of its options', [...begun, asked, offered('SELECT'), optionsInOrder(option)]],
  ])('may have %s', (_, events) => expect(isPermitted(protocol, events)).toBe(true));

  it.each<[string, readonly Event[]]>([
    ['a second creation', [created, created]],
    ['a revision first', [renamed]],
    ['a version first', [version(1, form, null)]],
    ['a version that is not the next', [...begun, version(3, second, form)]],
    ['a version that is not a copy of the latest', [...begun, version(2, second, null)]],
    ['a version with an id that is taken', [...begun, version(2, form, form)]],
    ['a question of an unknown form', [created, asked]],
    ['the same question twice', [...begun, asked, asked]],
    ['a revision of an unknown question', [...begun, reworded]],
    ['an option of an unknown question', [...begun, offered('SELECT')]],
    ['an option of a question whose type takes none', [...begun, asked, offered('DATE')]],
    ['the same option twice', [...begun, asked, offered('SELECT'), offered('SELECT')]],
    ['a revision of an unknown option', [...begun, asked, rescored]],
    ['a replacement of an unknown form', [created, replaced]],
    ['an order of an unknown form', [created, inOrder()]],
    ['an order that lacks a question', [...begun, asked, inOrder()]],
    ['an order with a foreign question', [...begun, asked, inOrder(question, option)]],
    ['an order with a question twice', [...begun, asked, inOrder(question, question)]],
    ['an order of the options of an unknown question', [...begun, optionsInOrder()]],
    ['an order that lacks an option', [...begun, asked, offered('SELECT'), optionsInOrder()]],
  ])('may not have %s', (_, events) => expect(isPermitted(protocol, events)).toBe(false));
});

describe('the log of an institution', () => {
  type Event = Of<typeof institution.events>;
  const content = { name: 'Hospital', document: null, email: null, phone: null, address: null };
  const created: Event = { type: 'InstitutionCreated', data: content };
  const revised: Event = { type: 'InstitutionRevised', data: { ...content, name: 'Clinic' } };
  const unity = (type: 'UnityAdded' | 'UnityRevised'): Event => ({
    type,
    data: { unityId: UNITY_ID, name: 'Ward', address: null },
  });

  it('may have revisions and unities', () => {
    for (const events of [
      [created, revised],
      [created, unity('UnityAdded'), unity('UnityRevised')],
    ]) {
      expect(isPermitted(institution, events)).toBe(true);
    }
  });

  it('may not have an event before its creation, a duplicate, or a revision of an unknown unity', () => {
    for (const events of [
      [created, created],
      [revised],
      [unity('UnityAdded')],
      [created, unity('UnityAdded'), unity('UnityAdded')],
      [created, unity('UnityRevised')],
    ]) {
      expect(isPermitted(institution, events)).toBe(false);
    }
  });
});

describe('the log of a specialty', () => {
  const content = { name: 'Cardiology', description: null, enabled: true };
  const created: Of<typeof specialty.events> = { type: 'SpecialtyCreated', data: content };
  const revised: Of<typeof specialty.events> = { type: 'SpecialtyRevised', data: content };

  it('has one creation, at its beginning', () => {
    expect(isPermitted(specialty, [created, revised])).toBe(true);
    for (const events of [[created, created], [revised]]) expect(isPermitted(specialty, events)).toBe(false);
  });
});

describe('the log of audit reads', () => {
  it('has each read only once', () => {
    const read = { type: 'AuditTrailRead', data: { what: 'events', filter: {} } } as const;
    expect(isPermitted(auditRead, [read])).toBe(true);
    expect(isPermitted(auditRead, [read, read])).toBe(false);
  });
});
