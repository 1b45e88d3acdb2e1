import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  boundOf,
  comparableCode,
  comparableDocument,
  comparableEmail,
  comparableInstant,
  comparableName,
  comparableSpecialty,
  comparableText,
  instantOf,
} from '../../src/domain/comparable.js';

describe('a document is compared', () => {
  it.each([
    ['529.982.247-25', '52998224725'],
    ['52998224725', '52998224725'],
    [' 529 982 247/25 ', '52998224725'],
    ['MG-12.345.678', 'mg12345678'],
    ['ÇA.1', 'ça1'],
    ['\uff15\uff12', '52'],
    ['\u0665\u0662\u0669.\u0669\u0668\u0662.\u0662\u0664\u0667-\u0662\u0665', '52998224725'],
    ['\u{1D7DA}\u{1D7CE}\u{11DA9}\u{1FBF0}', '2090'],
    ['.-/ ', ''],
  ])('by its letters and digits, in any script, ignoring case: %s', (document, comparable) =>
    expect(comparableDocument(document)).toBe(comparable),
  );
});

describe('a one-time code is compared', () => {
  const digits = (zero: number) => [3, 1, 1, 7, 2, 2].map((digit) => String.fromCodePoint(zero + digit)).join('');

  it.each([
    ['blanks', ' 311 722\t'],
    ['other white space', '\u00A0311\u2009722\u3000\u2028\n\u2800'],
    ['invisible characters', '\u200B311\uFEFF722\u2060\u00AD\u200E\u3164\uFE0F'],
    ['dashes', '311-72\u20132\u2212\u2011\uFF0D'],
    ['dots', '3.1.1\uFF0E7\u30022\u00B72\u06D4'],
    ['digits of full width', digits(0xff10)],
    ['Arabic digits', digits(0x660)],
    ['Persian digits', digits(0x6f0)],
    ['Devanagari digits', digits(0x966)],
    ['mathematical digits', digits(0x1d7f6)],
    ['Adlam digits', digits(0x1e950)],
    ['digits of two scripts', `${digits(0x660).slice(0, 3)} 722`],
  ])('by its digits: %s', (_, code) => expect(comparableCode(code)).toBe('311722'));

  it.each(['311722x', '31l722', '①11722', '³11722', '311,722', '+311722', '311/722', '311\u0301722', '\uE000311722'])(
    'with everything else: %s',
    (code) => expect(comparableCode(code)).not.toMatch(/^\d{6}$/),
  );
});

describe('an e-mail address is compared', () => {
  // The claims of addresses were recorded in lower case.
  it('in lower case', () => expect(comparableEmail('Ana.Souza@Example.ORG')).toBe('ana.souza@example.org'));
});

describe('a text is compared', () => {
  it('in lower case, without its white space and the width of its characters', () => {
    expect(comparableText(' ＰＡＩＮ\u00a0 Today ?\n')).toBe('paintoday?');
    expect(comparableText('Maße')).not.toBe(comparableText('Masse'));
  });
});

describe('a timestamp is compared', () => {
  it.each(['2026-01-05T08:00:00.000Z', '9999-12-31T23:59:59.999Z', '-000001-12-31T23:59:59.999Z'])(
    'as text: %s',
    (instant) => expect(comparableInstant(instant)).toBe(instant),
  );
  it('as the last one with four digits if its year has more', () =>
    expect(comparableInstant('+010000-01-01T00:00:00.000Z')).toBe('9999-12-31T23:59:59.999Z'));
});

describe('a name is compared', () => {
  it.each([
    ['Devanagari', 'मल', 'मेल'],
    ['Thai', 'ปิ', 'ปี'],
    ['Bengali', 'কল', 'কাল'],
    ['Tamil', 'கல்', 'கால்'],
    ['Hiragana', 'はす', 'ばす'],
    ['half-width Katakana', 'ﾊﾞﾅﾅ', 'ﾊﾅﾅ'],
    ['Cyrillic', 'мой', 'мои'],
    ['Hebrew', 'שׁם', 'שׂם'],
    ['Arabic', 'آن', 'ان'],
    ['Gurmukhi', 'ਦਲ', 'ਦਾਲ'],
    ['Latin', 'ano', 'anjo'],
  ])('with the marks of other scripts than Latin and Greek: %s', (_, one, other) => {
    for (const form of ['NFC', 'NFD'] as const) {
      expect(comparableName(one.normalize(form))).not.toBe(comparableName(other.normalize('NFC')));
      expect(comparableName(one.normalize(form))).toBe(comparableName(one));
    }
  });

  it.each([
    ['Ginecología', 'GINECOLOGIA'],
    ['Tiê\u0301n', 'tien'],
    ['ΨΥΧΟΛΌΓΟΣ', 'ψυχολόγος'],
    ['Ἀσκληπιός', 'ασκληπιοσ'],
    ['ᾼδης', 'Αδησ'],
    ['Grosse Straẞe', 'grosse straße'],
    ['İlaç', 'ilac'],
    ['ŉ', 'ʼN'],
    ['ǅep', 'DŽEP'],
    ['ﬁbrose', 'FIBROSE'],
    ['ＣＴ', 'ct'],
    ['МОЙ', 'мой'],
    ['ﾊﾞﾅﾅ', 'バナナ'],
    ['क\u200Dल\u00AD', 'कल'],
    ['e\u200B\u0301co', 'eco'],
    [' \u3000Eco', 'eco'],
  ])('without case, the accents of Latin and Greek letters and what cannot be seen: %s', (one, other) =>
    expect(comparableName(one)).toBe(comparableName(other)),
  );

  it('by its beginning, wherever the beginning ends', () => {
    // Each item begins with a letter, and no item forms one letter with the next.
    const item = fc.constantFrom(
      ...[
        'Σ',
        'ς',
        'σ',
        'Σ\u0301',
        'ﬁ',
        'ß',
        'ẞ',
        'İ',
        'I\u0307',
        'ŉ',
        'ǅ',
        'ﷺ',
        'e\u0301\u0316',
        'Ώ',
        'ᾼ',
        'ﾊﾞ',
        'は\u3099',
      ],
      ...['कि', 'गाँ', 'กำ', 'কে', 'கௌ', 'й', '각', 'א\u05B8', ' ', '\u200B', '1', '!', `त${'\u0941'.repeat(40)}`],
    );
    fc.assert(
      fc.property(fc.array(item), fc.array(item), (beginning, rest) => {
        const whole = comparableName([...beginning, ...rest].join(''));
        expect(whole.slice(0, comparableName(beginning.join('')).length)).toBe(comparableName(beginning.join('')));
        expect(comparableName(whole)).toBe(whole);
      }),
      { numRuns: 2_000 },
    );
  });

  it('by its beginning, also between a letter and its accent', () => {
    const name = 'Ἀσκληπιός Ñandu'.normalize('NFD');
    for (let end = 0; end <= name.length; end += 1) {
      expect(comparableName(name).startsWith(comparableName(name.slice(0, end)))).toBe(true);
    }
  });
});

describe('the name of a specialty is compared', () => {
  it.each([
    ['a run of blanks', 'Medicina  do   Sono'],
    ['outer white space', ' \tMedicina do Sono\u00A0 '],
    ['other white space', 'Medicina\u3000\u2009do \u00A0 Sono'],
    ['invisible characters in a run', 'Medicina \u200B do\u2060 \uFEFF Sono\u200B '],
    ['case', 'MEDICINA  DO SONO'],
  ])('without %s', (_, name) => expect(comparableSpecialty(name)).toBe('medicina do sono'));
  it('with its blanks', () => expect(comparableSpecialty('Medi cina')).not.toBe(comparableSpecialty('Medicina')));
});

describe('a comparison of texts', () => {
  it('never has to sort more than a few marks at once', () => {
    const longestRuns: number[] = [];
    const normalize = vi.spyOn(String.prototype, 'normalize').mockImplementation(function (this: string) {
      longestRuns.push(Math.max(0, ...(this.match(/(?:(?!\u034F)\p{M})+/gu) ?? []).map((run) => [...run].length)));
      return this;
    });
    const marks = '\u0316\u0301'.repeat(500);
    for (const compare of [comparableDocument, comparableName, comparableSpecialty]) compare(`a${marks}か${marks}`);
    normalize.mockRestore();
    expect(Math.max(...longestRuns)).toBe(30);
  });

  it.each([29, 30, 31, 60, 61, 200])('ignores all of %d marks after a letter', (count) => {
    const marks = '\u0316\u0301'.repeat(count).slice(0, count);
    expect(comparableName(`x${marks}y`)).toBe('xy');
    expect(comparableSpecialty(`x${marks}y`)).toBe('xy');
    expect(comparableDocument(`x${marks}y`)).toBe('xy');
  });
});

describe('an instant', () => {
  const at = (text: string) => new Date(instantOf(text)).toISOString();

  it.each([
    ...['2024-02-29T12:00:00Z', '2024-02-29T12:00Z', '2024-02-29t12:00z', '2024-02-29t12:00:00.000z'],
    ...['2024-02-29T14:00:00+02:00', '2024-02-29T14:00+0200', '2024-02-29t14:00:00+02', '2024-03-01T01:30+1330'],
    ...['2024-02-29T08:30:00-0330', '2024-02-29T08:30-03:30', '2024-02-28T12:01-23:59', '2024-02-29T12:00:00-00:00'],
  ])('may be written as %s', (text) => expect(at(text)).toMatch(/^2024-02-29T12:0/));

  it.each([
    ...['', '2024-02-29', '2024-02-29T12:00', '2024-02-29T12:00:00', '2024-02-29T12Z', '2024-02-29 12:00Z', '12:00Z'],
    ...['2023-02-29T12:00Z', '2024-13-01T12:00Z', '2024-02-29T24:00Z', '2024-02-29T12:60Z', '2024-02-29T12:00:60Z'],
    ...[
      '2024-02-29T12:00:00.Z',
      '2024-02-29T12:00:00,5Z',
      '2024-02-29T12:00.5Z',
      '2024-02-29T12:00+2',
      '2024-02-29TT12:00Z',
    ],
    ...[
      '2024-02-29T12:00+24:00',
      '2024-02-29T12:00+02:60',
      '2024-02-29T12:00+020',
      '2024-02-29T12:00Z+02:00',
      '2024-02-29T1200Z',
    ],
    ...[' 2024-02-29T12:00Z', '2024-02-29T12:00Z\n', '+002024-02-29T12:00Z', '24-02-29T12:00Z', '2024-02-29T12:00 UTC'],
  ])('is not %j', (text) => expect(instantOf(text)).toBeNaN());

  it.each([
    ['2024-02-29T12:00:00.1239Z', '2024-02-29T12:00:00.124Z'],
    ['2024-02-29t14:00:00.1230+02', '2024-02-29T12:00:00.123Z'],
    ['2024-02-29T12:00z', '2024-02-29T12:00:00.000Z'],
  ])('that is a bound is rounded up to a millisecond: %s', (text, bound) =>
    expect(new Date(boundOf(text)).toISOString()).toBe(bound),
  );
});
