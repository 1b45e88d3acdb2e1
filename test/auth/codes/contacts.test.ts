import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactBy, maySendSms, phoneNumberOf } from '../../../src/auth/codes/contacts.js';
import { AUTH_ID, noPersonalFields, person } from '../../domain/support/user-samples.js';
import { AGGREGATE_ID } from '../../support/specification.js';

describe('a phone number', () => {
  it.each([
    ['55', '11 91234-5678', '+5511912345678'],
    ['+55', '(011) 4002-8922', '+551140028922'],
    ['55', '+55 11 91234-5678', '+5511912345678'],
    [null, '+351 912 345 678', '+351912345678'],
    ['', '+351 912 345 678', '+351912345678'],
    [null, '11 91234-5678', undefined],
    ['55', '+351 912 345 678', undefined],
    ['351', '912345678', '+351912345678'],
    ['1', '212 555 0100', '+12125550100'],
    ['800', '1234 5678', '+80012345678'],
    ['55', '123', undefined],
    ['55', '11 91234-56789999', undefined],
    ['55', '5511912345678', undefined],
    ['551', '1912345678', undefined],
    ['999', '11 91234-5678', undefined],
    ['55', 'call me at 11 91234-5678', undefined],
    ['55', '+', undefined],
    ['0', '11 91234-5678', undefined],
    ['55', '\u061C11 91234\u200E5678', '+5511912345678'],
    ['55', '\uFEFF11 91234-5678\u{E0101}', '+5511912345678'],
    ['55', '\u2068+55 11 91234-5678\u2069', '+5511912345678'],
    [null, '\u202D\uFE0E+351 912 345 678', '+351912345678'],
    ['55', '11\u202F91234\u2009\t5678\n', '+5511912345678'],
    ['55', '\uFF0B55 11 91234-5678', '+5511912345678'],
    ['55', '\u200B\u2060', undefined],
    ['5+5', '11 91234-5678', undefined],
    [null, ' \uFF0B55 11 91234-5678', '+5511912345678'],
  ])('%s %s is %s in E.164', (dialingCode, phone, number) => expect(phoneNumberOf(dialingCode, phone)).toBe(number));

  it('is parsed without an error, whatever the text', () =>
    fc.assert(
      fc.property(fc.stringMatching(/^\+?\d{1,4}$/), fc.string({ unit: 'binary' }), (code, phone) => {
        expect(phoneNumberOf(code, phone) ?? '').toBeTypeOf('string');
      }),
    ));
});

describe('an SMS', () => {
  it.each<[string, readonly string[] | undefined, boolean]>([
    ['+5511912345678', undefined, true],
    ['+351912345678', undefined, true],
    ['+80012345678', undefined, false],
    ['+881612345678', undefined, false],
    ['+5511912345678', ['55', '351'], true],
    ['+351912345678', ['55', '351'], true],
    ['+12125550100', ['55', '351'], false],
    ['+351912345678', ['35', '3'], false],
    ['+80012345678', ['800'], true],
    ['not a number', undefined, false],
  ])('to %s, with the calling codes %j, may be sent: %s', (number, codes, may) =>
    expect(maySendSms(number, codes)).toBe(may),
  );
});

describe('a person', () => {
  it('is reached at the sign-in address and at the phone', () => {
    const auth = [
      { type: 'USERPASS' as const, userId: AGGREGATE_ID, externalAuthId: AUTH_ID, email: 'in@example.org' },
    ];
    const known = { ...person, auth };
    const unknown = { ...noPersonalFields, auth: [] };
    expect([contactBy.EMAIL(known), contactBy.SMS(known)]).toEqual(['in@example.org', '+5511912345678']);
    expect([contactBy.EMAIL(unknown), contactBy.SMS(unknown)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['+55', '11 91234-5678', '+5511912345678'],
    ['55', '+55 (11) 91234-5678', '+5511912345678'],
    ['+55', '+55 11 91234-5678', '+5511912345678'],
    [null, '+55 11 91234-5678', '+5511912345678'],
    ['+55', null, undefined],
    ['55', '', undefined],
    ['+55', ' +55 ', undefined],
    ['0055', '11 91234-5678', undefined],
  ])('is reached at one form of a phone, or at none: %s %s', (dialingCode, phone, number) =>
    expect(contactBy.SMS({ ...person, auth: [], dialingCode, phone })).toBe(number),
  );
});
