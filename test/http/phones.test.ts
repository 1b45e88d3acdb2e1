import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { phoneExists } from '../../src/http/phones.js';

describe('a phone number', () => {
  it.each([
    ['55', '11 91234-5678'],
    ['+55', '(011) 4002-8922'],
    ['55', '+55 11 91234-5678'],
    ['351', '912345678'],
    ['1', '212 555 0100'],
    ['800', '1234 5678'],
  ])('can exist: %s %s', (code, phone) => expect(phoneExists(code, phone)).toBe(true));

  it.each([
    ['55', '123'],
    ['55', '11 91234-56789999'],
    ['55', '5511912345678'],
    ['55', '+351 912 345 678'],
    ['551', '1912345678'],
    ['999', '11 91234-5678'],
    ['55', 'call me at 11 91234-5678'],
    ['55', '+'],
    ['0', '11 91234-5678'],
  ])('cannot exist: %s %s', (code, phone) => expect(phoneExists(code, phone)).toBe(false));

  it('is judged, whatever it is', () =>
    fc.assert(
      fc.property(fc.stringMatching(/^\+?\d{1,4}$/), fc.string({ unit: 'binary' }), (code, phone) => {
        expect(phoneExists(code, phone)).toBeTypeOf('boolean');
      }),
    ));
});
