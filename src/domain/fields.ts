// The field types that commands and events share. The rules for all texts from outside (well-formed Unicode, no control
// characters) are checked once, when a request is parsed. This file has the rules of the individual fields.
import { z } from 'zod';
import { comparableDocument } from './comparable.js';

// U+2800 is a Braille pattern without dots.
const VISIBLE = /(?![\u2800\p{Default_Ignorable_Code_Point}])[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;

export const hasVisibleCharacter = (text: string): boolean => VISIBLE.test(text);

/** A text with at least one visible character. The text is stored unchanged: neither trimmed nor normalized. */
export const visibleText = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine(hasVisibleCharacter, { error: 'must have at least one visible character', params: { code: 'blank' } });

// Characters that change the direction of text, annotations, and invisible tag characters outside of an emoji flag. With
// them, one name can look like another.
const MISLEADING =
  /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB]|(?<!\u{1F3F4}[\u{E0020}-\u{E007F}]*)[\u{E0000}-\u{E007F}]/u;

const isBlank = (text: string): boolean => text.trim() === '';

/** A name: a visible text without characters that can make one name look like another. Events may have older names. */
export const nameText = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((name) => !isBlank(name), { error: 'must not be blank', params: { code: 'blank' } })
    .refine((name) => isBlank(name) || (hasVisibleCharacter(name) && !MISLEADING.test(name)), {
      error: 'must have a visible character, and no character that can make one name look like another',
      params: { code: 'control-character' },
    });

/** A document with at least one letter or digit, by which documents are compared. Events may have others. */
export const documentText = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((document) => comparableDocument(document) !== '', {
      error: 'must have at least one letter or digit',
      params: { code: 'blank' },
    });

export const uuid = () => z.guid('must be a UUID').toLowerCase();

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

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Returns the fields that were sent. In a revision, an absent field stays unchanged. */
export const present = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Present<T>>;

/** Returns whether two plain JSON values are equal. */
export const same = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([key, value]) => right.has(key) && same(value, right.get(key)));
};
