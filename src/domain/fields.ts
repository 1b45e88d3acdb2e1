// The field types that commands and events share. The rules for all texts from outside (well-formed Unicode, no control
// characters) are checked once, when a request is parsed. This file has the rules of the individual fields.
import { z } from 'zod';

const VISIBLE = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/** Returns whether a text has at least one visible character. */
export const hasVisibleCharacter = (text: string): boolean => VISIBLE.test(text);

/** A text with at least one visible character. The text is stored unchanged: neither trimmed nor normalized. */
export const visibleText = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine(hasVisibleCharacter, { error: 'must have at least one visible character', params: { code: 'blank' } });

// Characters that change the direction of text, and the invisible tag characters. With them, one name can look like
// another.
const MISLEADING = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;

/** Extends the schema of a text to reject characters that can make one name look like another. */
export const notMisleading = <S extends z.ZodType<string>>(text: S) =>
  text.refine((value) => !MISLEADING.test(value), {
    error: 'must not have characters that can make one name look like another',
    params: { code: 'misleading-character' },
  });

/** A UUID, stored in lower case. */
export const uuid = () => z.guid().toLowerCase();

/** A position in a list. If the position is taken, the items from there up to the next gap move down by one. */
export const position = () => z.int().min(0).max(highestPosition);

export const highestPosition = 1_000_000_000;

/** A finite double. */
export const number = () => z.number();

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
