import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { comparableName } from '../../src/domain/comparable.js';
import {
  emailAddress,
  formatted,
  position,
  present,
  same,
  text as shortText,
  uuid,
  visibleText,
} from '../../src/domain/fields.js';
import { OptionContent } from '../../src/domain/protocol/schemas.js';
import { uuidOf } from '../support/specification.js';

describe('a text', () => {
  const text = visibleText(20);
  const accepted = (value: string) => text.safeParse(value).success;

  it.each(['a', '0', '.', '€', '漢', 'é', 'e\u0301', '\u0301', '👩🏽\u200d⚕️', '👍', 'a\u200b', '\u200ba', ' a '])(
    'is kept code point for code point: %j',
    (value) => expect(text.parse(value)).toBe(value),
  );
  it.each([
    ['no characters', ''],
    ['spaces', ' \t\r\n\u00a0\u3000'],
    ['line and paragraph separators', '\u2028\u2029'],
    ['zero width characters', '\u200b\u200c\u200d\u2060\ufeff'],
    ['a soft hyphen', '\u00ad'],
    ['directions', '\u200e\u202e\u2066'],
    ['fillers that count as letters', '\u115f\u1160\u3164\uffa0'],
    ['variation selectors', '\ufe0f\u{e0100}'],
    ['a combining grapheme joiner', '\u034f'],
    ['tags', '\u{e0061}'],
    ['control characters', '\u0000\u0007'],
    ['blanks that count as symbols', '\u2800\u{1d159}\ufffc'],
    ['blanks that count as letters', '\u{13441}\u{13442}'],
    ['fillers and joiners that count as marks', '\u{16fe4}\u{1107f}\u2d7f'],
    [
      'signs that stack letters',
      '\u1039\u17d2\u1a60\u1bab\uaaf6\u{10a3f}\u{11133}\u{113d0}\u{1193e}\u{11a47}\u{11a99}',
    ],
    ['selectors of other signs', '\u{1bc9d}\u{1da9b}\u{1daaf}\u{13440}'],
  ])('is blank if it consists of %s', (_, value) =>
    expect(text.safeParse(value).error?.issues).toMatchObject([{ code: 'custom', params: { code: 'blank' } }]),
  );
  it('may be as long as its limit, but not longer', () => {
    expect(accepted('x'.repeat(20))).toBe(true);
    expect(accepted('x'.repeat(21))).toBe(false);
  });
  it('that is too long has the message of its field', () =>
    expect(shortText(2, 'must be short').safeParse('abc').error?.issues).toMatchObject([{ message: 'must be short' }]));
  it('is only too long if it is too long and blank', () =>
    expect(text.safeParse(' '.repeat(21)).error?.issues).toMatchObject([{ code: 'too_big' }]));
  it.each([null, undefined, 1, ['a'], { text: 'a' }])('may not be %o', (value) =>
    expect(text.safeParse(value).success).toBe(false),
  );
});

describe('a text in a format', () => {
  const letters = formatted(3, (error) => z.regex(/^[a-z]+$/, error), 'must be letters');
  const faultsOf = (value: unknown) =>
    letters.safeParse(value).error?.issues.map(({ message, ...issue }) => [message, issue.code]);

  it('may be as long as its limit', () => expect(letters.parse('abc')).toBe('abc'));
  it('has the message of its format for every fault, and one fault if it is too long', () => {
    expect(faultsOf('abcd')).toEqual([['must be letters', 'custom']]);
    expect(faultsOf('1234')).toEqual([['must be letters', 'custom']]);
    expect(faultsOf('1')).toEqual([['must be letters', 'invalid_format']]);
    expect(faultsOf(1)).toEqual([['must be letters', 'invalid_type']]);
    expect(letters.safeParse('abcd').error?.issues).toMatchObject([{ params: { code: 'invalid-format' } }]);
  });
});

describe('an e-mail address', () => {
  it.each([
    'ana@example.org',
    "ana.d'avila+crm@mail.a-clinic.example.org",
    'r&d@example.org',
    "!#$%&'*+/=?^_`{|}~-@example.org",
    "'ana'.{b}.c|d@example.org",
    '-@example.org',
    'a@clinica.xn--h2brj9c',
    'a@hospital.XN--FIQS8S',
    'a@a.b.xn--vermgensberatung-pwb',
  ])('may be %s', (value) => expect(emailAddress().parse(value)).toBe(value));
  it.each([
    'a@example.org ',
    '.a@example.org',
    'a.@example.org',
    'a..b@example.org',
    '@example.org',
    ...['a b', 'a"b', 'a,b', 'a;b', 'a:b', 'a(b)', 'a<b>', 'a[b]', 'a\\b', 'a@b', 'é', 'ſ', '\u212A', 'a\n'].map(
      (local) => `${local}@example.org`,
    ),
    'a@example.xn--',
    'a@example.xn--p1ai-',
    'a@example.xm--p1ai',
    'a@xn--p1ai',
    'a@example.x1',
    'a@example.рф',
  ])('may not be %j', (value) => expect(emailAddress().safeParse(value).success).toBe(false));
});

describe('an id', () => {
  it('is converted to lower case', () => expect(uuid().parse(uuidOf(0xabcdef).toUpperCase())).toBe(uuidOf(0xabcdef)));
  it('may be a UUID of any version', () => {
    for (const id of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
      expect(uuid().parse(id)).toBe(id);
    }
  });
  it.each(['', 'x', uuidOf(1).replaceAll('-', ''), `{${uuidOf(1)}}`, ` ${uuidOf(1)}`, `${uuidOf(1)}0`, 1])(
    'may not be %j',
    (value) => expect(uuid().safeParse(value).success).toBe(false),
  );
});

describe('a score', () => {
  const { score } = OptionContent.shape;

  it.each([0, -1.5, 1e308, 5e-324])('may be %d', (value) => expect(score.parse(value)).toBe(value));
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '1', null, true])('may not be %o', (value) =>
    expect(score.safeParse(value).success).toBe(false),
  );
});

describe('a position', () => {
  it.each([0, 1, 1_000_000_000])('may be %d', (value) => expect(position().parse(value)).toBe(value));
  it.each([-1, 0.5, 1_000_000_001, Number.NaN, '1', null])('may not be %o', (value) =>
    expect(position().safeParse(value).success).toBe(false),
  );
});

describe('fields that are present', () => {
  it('include null and other empty values that were sent', () =>
    expect(present({ a: undefined, b: null, c: 0, d: '', e: false })).toStrictEqual({
      b: null,
      c: 0,
      d: '',
      e: false,
    }));
});

describe('the equality of two JSON values', () => {
  // JSON has no -0.
  const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));
  const reordered = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(reordered);
    const entries = Object.entries(value).map(([key, inner]) => [key, reordered(inner)] as const);
    return Object.fromEntries(entries.toReversed());
  };

  it('agrees with deep equality for all values', () =>
    fc.assert(fc.property(json, json, (a, b) => same(a, b) === isDeepStrictEqual(a, b))));
  it('does not depend on the order of keys', () =>
    fc.assert(fc.property(json, (value) => same(value, reordered(value)))));
  it.each([
    [[], {}],
    [{ a: undefined }, { b: undefined }],
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, { a: 1, b: 2 }],
    [null, {}],
    [1, {}],
    ['1', 1],
    [0, false],
    [{ a: { b: [1] } }, { a: { b: [2] } }],
  ])('is false for %o and %o', (a, b) => {
    expect(same(a, b)).toBe(false);
    expect(same(b, a)).toBe(false);
  });
});

describe('the comparable name', () => {
  it.each([
    ['São Lucas', 'sao lucas'],
    ['SA\u0303O', 'sao'],
    ['ÉCLAIR', 'eclair'],
    ['İstanbul', 'istanbul'],
    ['ﬁ Ⅳ ½', 'fi iv 1⁄2'],
    ['漢方', '漢方'],
    ['  kept  ', 'kept  '],
  ])('of %s is %s', (text, expected) => {
    expect(comparableName(text)).toBe(expected);
  });

  it('stays the same when it is folded again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        expect(comparableName(comparableName(text))).toBe(comparableName(text));
      }),
      { seed: 1 },
    );
  });
});
