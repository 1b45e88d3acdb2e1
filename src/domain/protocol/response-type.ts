// Which response type a question has when the request does not name one.
import type { ResponseType } from './form.js';

/** The types whose questions take options. */
export const TAKES_OPTIONS: Readonly<Record<ResponseType, boolean>> = {
  TEXT: false,
  NUMBER: false,
  DATE: false,
  DATETIME: false,
  BOOLEAN: true,
  SELECT: true,
  MULTIPLE_SELECT: true,
};

interface Sent {
  readonly options?: readonly unknown[];
  readonly metadata: { readonly dateFormat?: unknown; readonly minValue?: unknown; readonly maxValue?: unknown };
}

/** Options make a SELECT, a date format a DATE or (with a time part) a DATETIME, bounds a NUMBER; else TEXT. */
export const inferResponseType = ({ options = [], metadata }: Sent): ResponseType => {
  if (options.length > 0) return 'SELECT';
  if (typeof metadata.dateFormat === 'string') return hasTimePart(metadata.dateFormat) ? 'DATETIME' : 'DATE';
  return typeof metadata.minValue === 'number' || typeof metadata.maxValue === 'number' ? 'NUMBER' : 'TEXT';
};

// Hours are written h, H, k or K in Unicode date patterns (UTS 35), as in the pattern languages of the
// JavaScript date libraries; strftime writes %H, %I, %T, %R, %r or %X; text in quotes or brackets is literal.
const hasTimePart = (dateFormat: string) =>
  dateFormat.includes('%')
    ? /%-?[HIklTRrXcMSp]/.test(dateFormat)
    : /[hHkK]|mm.*ss|ss/.test(dateFormat.replaceAll(/'[^']*'|\[[^\]]*\]/g, ''));
