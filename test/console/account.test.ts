import { describe, expect, it } from 'vitest';
import { consequencesOf, differencesOf } from '../../console/src/account/changes.js';
import { reasonIn } from '../../console/src/account/reason.js';
import type { components } from '../../console/src/api/schema.js';

type User = components['schemas']['User'];
type Profile = components['schemas']['UserProfile'];

const at = '2026-11-27T10:00:00.000Z';
const profile: Profile = {
  id: 'a profile',
  userId: 'ana',
  approvalStatus: 'APPROVED',
  documentDoctor: null,
  documentDoctorState: null,
  documentDoctorUpdatedAt: null,
  specialties: [],
  type: 'NURSE',
  enabled: true,
  changedSinceApproval: false,
  createdAt: at,
  updatedAt: at,
};
const ana: User = {
  ...{ id: 'ana', firstName: 'Ana', lastName: 'Souza', gender: null, document: null, birthDate: null },
  ...{ dialingCode: null, phone: null, email: 'ana@example.org', enabled: true, createdAt: at, updatedAt: at },
  profiles: [profile],
  auth: [{ type: 'USERPASS', userId: 'ana', externalAuthId: 'x', email: 'ana@example.org' }],
  ...{ ratings: [], unities: [], institutions: [] },
};

describe('a change of the own data', () => {
  const consequences = (value: User, isMessageWithheld = false) => consequencesOf(ana, { value, isMessageWithheld });

  it('of a name alone does nothing else', () => expect(consequences({ ...ana, firstName: 'Bia' })).toEqual([]));
  it('of the e-mail sends a code', () => expect(consequences({ ...ana, email: 'bia@example.org' })).toEqual(['code']));
  it('of the e-mail says if the code was withheld', () =>
    expect(consequences({ ...ana, email: 'bia@example.org' }, true)).toEqual(['withheld']));
  it('of the case of the e-mail sends no code', () =>
    expect(consequences({ ...ana, email: 'Ana@example.org' })).toEqual([]));
  it('may need a look of an administrator', () =>
    expect(consequences({ ...ana, profiles: [{ ...profile, changedSinceApproval: true }] })).toEqual(['review']));
  it('may need a new approval', () =>
    expect(consequences({ ...ana, profiles: [{ ...profile, approvalStatus: 'ANALYSING' }] })).toEqual(['reapproval']));

  it('by somebody else is named field by field', () =>
    expect(differencesOf({ ...ana, phone: '1' }, { ...ana, lastName: 'Lima', updatedAt: 'later' })).toEqual([
      ['lastName', 'Lima'],
      ['phone', '–'],
    ]));

  it.each([
    [{ dialingCode: '+55', phone: '11 91234-5678' }, [['phone', '+55 11 91234-5678']]],
    [{ dialingCode: '55', phone: '' }, []],
    [{ dialingCode: '+351' }, []],
  ])('by somebody else names a phone in one form: %j', (changed, differences) =>
    expect(differencesOf(ana, { ...ana, ...changed })).toEqual(differences),
  );
});

describe('the reason of a rejection', () => {
  const step = (type: string, reason: string | null = null) => ({ type, reason });
  const added = step('UserProfileAdded');
  const rejected = (reason: string | null) => step('UserProfileRejected', reason);
  const read = (...pages: readonly (readonly ReturnType<typeof step>[])[]) =>
    reasonIn(async (cursor) => {
      const page = Number(cursor ?? 0);
      return { value: { items: pages[page] ?? [], nextCursor: page + 1 < pages.length ? `${page + 1}` : null } };
    });

  it('is that of the last rejection', async () =>
    expect(await read([added, rejected('one'), step('UserProfileResubmitted'), rejected('two')])).toEqual({
      text: 'two',
    }));
  it('is the one that was given later', async () =>
    expect(await read([added, rejected('one'), step('UserProfileDecisionExplained', 'better')])).toEqual({
      text: 'better',
    }));
  it('is nothing if the last rejection has none', async () =>
    expect(await read([added, rejected('one'), rejected(null)])).toEqual({ text: null }));
  it('is found on any page', async () => {
    expect(await read([added], [rejected('one')], [step('UserProfileChangedSinceApproval')])).toEqual({ text: 'one' });
    expect(await read([rejected('one')], [rejected('two')])).toEqual({ text: 'two' });
  });
});
