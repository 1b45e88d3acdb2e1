// The kinds of field that commands and events share. What holds for every text that comes from outside (well-formed
// Unicode, no control characters) is checked once where the request is read; here is what a field itself asks for.
import { z } from 'zod';

const VISIBLE = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/** A text with at least one visible character, kept code point for code point: not trimmed, not normalised. */
export const visibleText = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((text) => VISIBLE.test(text), { error: 'needs at least one visible character', params: { code: 'blank' } });

/** A UUID in its text form, kept in lower case. */
export const uuid = () => z.guid().toLowerCase();

/** A place in a list. Places are kept as sent; an item that arrives at a taken one pushes the rest down. */
export const position = () => z.int().min(0).max(highestPosition);

export const highestPosition = 1_000_000_000;

/** A finite double. */
export const number = () => z.number();

/** Text as names are compared: without case and accents (Unicode NFKD, marks removed). */
export const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

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
