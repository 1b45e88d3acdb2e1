// The field types that commands and events share. The rules for all texts from outside (well-formed Unicode, no control
// characters) are checked once, when a request is parsed. This file has the rules of the individual fields.
import { z } from 'zod';
import { comparableDocument, isComparable } from './comparable.js';

/**
 * A text of at most this many characters. A longer text fails at once: neither another check of the text nor a rule of
 * what contains the text reads it. A test requires this bound, or that of `formatted`, of every text of a request.
 */
export const text = (longest: number, error?: string) => z.string().max(longest, { abort: true, error });

/** A text in a format of at most `longest` characters. A longer text fails at once, with the error of the format. */
export const formatted = (longest: number, format: (error: string) => z.core.$ZodCheck<string>, error: string) =>
  z
    .string(error)
    .refine((sent) => sent.length <= longest, { error, params: { code: 'invalid-format' }, abort: true })
    .check(format(error));

// Letters, marks and symbols that have no ink, although Unicode does not list them as ignorable: blanks and fillers
// (Braille, Egyptian, Khitan, the null notehead), U+FFFC, and the marks that only change how other characters are drawn
// (Invisible_Stacker and Number_Joiner of IndicSyllabicCategory.txt, the joiner of Tifinagh, the selectors of Duployan
// and SignWriting, the Egyptian mirror).
const VISIBLE =
  /(?![\u2800\u{13441}\u{13442}\u{16FE4}\u{1D159}\uFFFC\u1039\u17D2\u1A60\u1BAB\uAAF6\u{10A3F}\u{1107F}\u{11133}\u{113D0}\u{1193E}\u{11A47}\u{11A99}\u{11F42}\u2D7F\u{1BC9D}\u{1DA9B}-\u{1DA9F}\u{1DAA1}-\u{1DAAF}\u{13440}\p{Default_Ignorable_Code_Point}])[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;

export const hasVisibleCharacter = (text: string): boolean => VISIBLE.test(text);

/** A text with at least one visible character. The text is stored unchanged: neither trimmed nor normalized. */
export const visibleText = (longest: number) =>
  text(longest).refine(hasVisibleCharacter, {
    error: 'must have at least one visible character',
    params: { code: 'blank' },
  });

// Line ends (Unicode, 5.8), and what makes one name look like another: characters that change the direction of text,
// annotations, and invisible tag characters.
const MISLEADING = /[\n-\r\u0085\u2028\u2029\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/u;
// Word processors put these around names of other scripts. They can change how a name looks, too.
const DIRECTION_MARKS = /[\u061C\u200E\u200F]/gu;
// The flags of England, Scotland and Wales are tags after a black flag.
const FLAG = /\u{1F3F4}[\u{E0020}-\u{E007F}]+/gu;

/** Refuses a name, or the beginning of one, whose comparable form is too long. */
export const comparable = (longest: number) =>
  [
    (name: string) => isComparable(name, longest),
    { error: 'must not become much longer when it is compared with others', params: { code: 'too-big' } },
  ] as const;

const isMisleading = (name: string): boolean => MISLEADING.test(name.replaceAll(FLAG, ''));

const isBlank = (text: string): boolean => text.trim() === '';

/**
 * A name: a visible text without characters that can make one name look like another. Drops direction marks. Events may
 * have older names.
 */
export const nameText = (longest: number) =>
  text(longest)
    .overwrite((name) => name.replaceAll(DIRECTION_MARKS, ''))
    .refine((name) => !isBlank(name), { error: 'must not be blank', params: { code: 'blank' } })
    .refine((name) => isBlank(name) || (hasVisibleCharacter(name) && !isMisleading(name)), {
      error: 'must have a visible character, and no line end or character that can make one name look like another',
      params: { code: 'control-character' },
    })
    .refine(...comparable(longest));

/** A document with at least one visible letter or digit, by which documents are compared. Events may have others. */
export const documentText = (longest: number) =>
  text(longest).refine((document) => hasVisibleCharacter(comparableDocument(document)), {
    error: 'must have at least one letter or digit',
    params: { code: 'blank' },
  });

// Before the @, the characters of an e-mail field of a browser (HTML, 4.10.5.1.5), with dots only between others (RFC
// 5322, 3.2.3). After it, the pattern of z.email(), and an internationalized last label (RFC 5890, 2.3.2.1).
const EMAIL =
  /^[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+(?:\.[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+)*@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:[A-Za-z]{2,}|[Xx][Nn]--[A-Za-z0-9-]*[A-Za-z0-9])$/;

export const emailAddress = () => text(320).check(z.email({ pattern: EMAIL }));

export const uuid = () => formatted(36, z.guid, 'must be a UUID').toLowerCase();

/** Returns the fields of an aggregate or of a part of it: its id, its content, and when it was created and last changed. */
export const dated = <C extends z.ZodRawShape>(content: C) => ({
  id: uuid(),
  ...content,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

/** A position in a list. If the position is taken, the items from there up to the next gap move down by one. */
export const position = () => z.int().min(0).max(highestPosition);

export const highestPosition = 1_000_000_000;

type Present<T> = string extends keyof T
  ? Record<string, Exclude<T[keyof T], undefined>>
  : { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
      [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
    };

/** Returns the fields that were sent. In a revision, an absent field stays unchanged. */
export const present = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;

/** Returns whether two plain JSON values are equal. */
export const same = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([key, value]) => right.has(key) && same(value, right.get(key)));
};
