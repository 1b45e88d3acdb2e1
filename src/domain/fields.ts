// The kinds of field that commands and events share. What holds for every text that comes from outside (well-formed
// Unicode, no control characters) is checked once where the request is read; here is what a field itself asks for.
import { z } from 'zod';

const VISIBLE = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/** Returns whether a text has at least one visible character. */
export const hasVisibleCharacter = (text: string): boolean => VISIBLE.test(text);

/** A text with at least one visible character, kept code point for code point: not trimmed, not normalised. */
export const visibleText = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine(hasVisibleCharacter, { error: 'must have at least one visible character', params: { code: 'blank' } });

// Characters that turn the direction of text, and the invisible tag characters: with them one name shows as another.
const MISLEADING = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;

/** Extends a text to refuse characters that can make one name show as another. */
export const notMisleading = <S extends z.ZodType<string>>(text: S) =>
  text.refine((value) => !MISLEADING.test(value), {
    error: 'must not have characters that can make one name show as another',
    params: { code: 'misleading-character' },
  });

/** A UUID in its text form, kept in lower case. */
export const uuid = () => z.guid().toLowerCase();

/** A place in a list. Places are kept as sent; an item that arrives at a taken one pushes the rest down. */
export const position = () => z.int().min(0).max(highestPosition);

export const highestPosition = 1_000_000_000;

/** A finite double. */
export const number = () => z.number();

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The fields that were sent: in a revision, absent means unchanged. */
export const present = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Present<T>>;

/** Whether two plain JSON values say the same. */
export const same = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([key, value]) => right.has(key) && same(value, right.get(key)));
};
