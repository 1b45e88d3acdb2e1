import { describe, expect, it } from 'vitest';
import { codeIn, phoneOf } from '../../console/src/texts/phones.js';

const NATIONAL = '11 91234-5678';
const shown = (dialingCode: string | null, phone: string | null) => phoneOf({ dialingCode, phone });

describe('a phone', () => {
  it.each(['55', '+55', '0055', ' +55 ', '055', '＋55'])('has one form with the dialing code %j', (code) =>
    expect(shown(code, NATIONAL)).toBe(`+55 ${NATIONAL}`),
  );

  it.each([
    `+55 ${NATIONAL}`,
    `＋55 ${NATIONAL}`,
    `0055 ${NATIONAL}`,
    `00 55 ${NATIONAL}`,
    `+55${NATIONAL}`,
    `+55-${NATIONAL}`,
    `  ${NATIONAL}  `,
    '11\u00A091234-5678',
    '\u200E+55 11 91234-5678\u200F',
    '11  91234-5678\n',
  ])('has one form if it was sent as %j', (phone) => expect(shown('+55', phone)).toBe(`+55 ${NATIONAL}`));

  it.each([
    [null, NATIONAL, NATIONAL],
    ['', `+55 ${NATIONAL}`, `+55 ${NATIONAL}`],
    [null, '0049 30 123', '+49 30 123'],
    // The phone of another country, and a national number that begins with zeros.
    ['55', '+351 21 123 4567', '+351 21 123 4567'],
    ['39', '06 1234', '+39 06 1234'],
    ['7', '00 123', '+7 00 123'],
    ['1', '+1 (809) 555-0100', '+1 (809) 555-0100'],
    ['55', '(11) 91234-5678', '+55 (11) 91234-5678'],
  ])('with the dialing code %j and the number %j is %j', (code, phone, form) => expect(shown(code, phone)).toBe(form));

  it.each([null, '', ' ', '\u200B', '-', '+'])('that is %j is no phone', (phone) =>
    expect(['55', '+55', null].map((code) => shown(code, phone))).toEqual([null, null, null]),
  );
});

it.each([
  ['+55', '55'],
  ['0055', '55'],
  ['1', '1'],
  ['', ''],
  [null, ''],
])('the dialing code %j has the digits %j', (sent, digits) => expect(codeIn(sent)).toBe(digits));
