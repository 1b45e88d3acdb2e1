// The forms in which documents, e-mail addresses, names and instants are compared. They are stored as the client sent them.
import { z } from 'zod';

// A run of marks has to be sorted. Each 30 marks, the grapheme joiner begins a new run (the stream-safe text format of
// Unicode Annex 15, 13).
const normalized = (text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string =>
  text.replaceAll(/\p{M}{30}/gu, '$&\u034F').normalize(form);

/** Returns the letters of a document in lower case and its digits as 0 to 9, whatever their script; empty if none. */
export const comparableDocument = (document: string): string =>
  normalized(document, 'NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll(DIGIT, asciiDigit);

// Blanks, invisible characters, dashes and dots.
const BETWEEN_DIGITS =
  /[\s\p{Z}\u2800\p{Cf}\p{Default_Ignorable_Code_Point}\p{Pd}\u2212.\u00B7\u06D4\u2022\u2024\u2027\u3002\u30FB\uFE52\uFF0E\uFF61]/gu;

/** Returns a one-time code with its digits as 0 to 9, whatever their script, and without what people put between them. */
export const comparableCode = (code: string): string =>
  code.replaceAll(BETWEEN_DIGITS, '').replaceAll(DIGIT, asciiDigit);

const DIGIT = /(?!\d)\p{Nd}/gu;

// The digits of a script are ten consecutive characters, from 0 to 9 (Unicode, 4.6).
const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return `${value % 10}`;
};

export const comparableEmail = (email: string): string => email.toLowerCase();

// In other scripts, marks make another letter: a vowel, or another syllable.
const ACCENTED = /([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu;

/**
 * Returns a name in lower case, without the accents of Latin and Greek letters, invisible characters and leading white
 * space, in NFC. No letter depends on the letters after it, so the form of a prefix of the name is a prefix of its form.
 */
export const comparableName = (name: string): string => {
  const visible = normalized(name, 'NFKD').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  const folded = visible.replaceAll(ACCENTED, '$1').toLowerCase().replaceAll('ς', 'σ');
  return normalized(folded, 'NFC').trimStart();
};

// None of these becomes more than two characters.
const LATIN = /^[^\u0250-\uffff]*$/;
// The most characters that composition makes one of (NFC): a letter and three marks.
const MOST_COMPOSED = 4;

/**
 * Returns whether the comparable form of a name is short enough: it may have twice the characters that the name may have.
 * One character can become 18.
 */
export const isComparable = (name: string, longest: number): boolean => {
  if (LATIN.test(name)) return true;
  const most = 2 * longest;
  return normalized(name, 'NFKD').length <= MOST_COMPOSED * most && comparableName(name).length <= most;
};

// A sign-up compares each name several times.
const compared = new Map<string, string>();
const MOST_KNOWN = 500;

/** Returns the name of a specialty like `comparableName`, but without white space at its end, and with runs of it as one blank. */
export const comparableSpecialty = (name: string): string => {
  const known = compared.get(name) ?? comparableName(name).replaceAll(/\s+/g, ' ').trimEnd();
  if (compared.size >= MOST_KNOWN) compared.clear();
  compared.set(name, known);
  return known;
};

/** Returns a text in lower case, without its white space and the width of its characters. */
export const comparableText = (text: string): string => normalized(text, 'NFKC').toLowerCase().replaceAll(/\s/gu, '');

const TIME = /[Tt](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/;

/**
 * An instant: ISO 8601 with an offset. Seconds may be absent, `t` and `z` may be small, and an offset may lack its colon
 * (+0200) or its minutes (+02).
 */
export const INSTANT = new RegExp(z.regexes.date.source.replace(/\$$/, TIME.source));

/** Returns an instant in epoch milliseconds; NaN for a text that is none. Programs differ in what else they can parse. */
export const instantOf = (text: string): number =>
  INSTANT.test(text)
    ? Date.parse(
        text.toUpperCase().replace(/([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`),
      )
    : Number.NaN;

/**
 * Returns a bound of a period in epoch milliseconds, rounded up: what was recorded in the millisecond of a finer time is
 * before that time.
 */
export const boundOf = (instant: string): number => instantOf(instant) + (/\.\d{3}\d*[1-9]/.test(instant) ? 1 : 0);

/** Returns a timestamp that compares as text. One after the year 9999 (+010000-…) is after all recorded events. */
export const comparableInstant = (instant: string): string =>
  instant.startsWith('+') ? '9999-12-31T23:59:59.999Z' : instant;
