import { describe, expect, it } from 'vitest';
import { contactBy, phoneNumberOf } from '../../src/auth/contacts.js';
import { isCommonPassword, isOfEmail } from '../../src/auth/password-rules.js';
import { nobody, person } from '../domain/user-samples.js';

describe('a phone number', () => {
  it.each([
    ['55', '11 91234-5678', '+5511912345678'],
    ['+55', '(011) 4002-8922', '+551140028922'],
    ['55', '+55 11 91234-5678', '+5511912345678'],
    [null, '+351 912 345 678', '+351912345678'],
    ['', '+351 912 345 678', '+351912345678'],
    [null, '11 91234-5678', undefined],
    ['55', '+351 912 345 678', undefined],
    ['55', '123', undefined],
    ['55', 'ask at the desk', undefined],
  ])('%s %s is %s in E.164', (dialingCode, phone, number) => expect(phoneNumberOf(dialingCode, phone)).toBe(number));
});

describe('a person', () => {
  it('is reached by what there is of them', () => {
    expect([contactBy.EMAIL(person), contactBy.SMS(person)]).toEqual([person.email, '+5511912345678']);
    expect([contactBy.EMAIL(nobody), contactBy.SMS(nobody)]).toEqual([undefined, undefined]);
  });
});

describe('an easy password', () => {
  it('is one that many have, whatever its case', () => {
    for (const password of ['password', 'PASSWORD1', '12345678', 'Qwertyuiop'])
      expect(isCommonPassword(password)).toBe(true);
    for (const password of ['correct horse battery staple', 'senha do canário', ''])
      expect(isCommonPassword(password)).toBe(false);
  });
  it('is the e-mail, or what stands before its last @', () => {
    for (const password of ['ana.souza', 'ANA.SOUZA@example.org'])
      expect(isOfEmail(password, 'Ana.Souza@example.org')).toBe(true);
    expect(isOfEmail('"a@b"', '"a@b"@example.org')).toBe(true);
    expect(isOfEmail('ana.souza.', 'ana.souza@example.org')).toBe(false);
  });
});
