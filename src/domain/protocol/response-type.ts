// Infers the response type of a question if the request does not name one.
import type { ResponseType } from './form.js';

export const ALLOWS_OPTIONS: Readonly<Record<ResponseType, boolean>> = {
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

/** Returns SELECT for options, DATE or DATETIME for a date format, NUMBER for bounds, and TEXT otherwise. */
export const inferResponseType = ({ options = [], metadata }: Sent): ResponseType => {
  if (options.length > 0) return 'SELECT';
  if (typeof metadata.dateFormat === 'string') return hasTimePart(metadata.dateFormat) ? 'DATETIME' : 'DATE';
  return typeof metadata.minValue === 'number' || typeof metadata.maxValue === 'number' ? 'NUMBER' : 'TEXT';
};

// Unicode date patterns (UTS 35) and JavaScript date libraries write hours as h, H, k or K, and quote literal text with
// apostrophes or brackets. strftime writes %H, %I, %T, %R, %r or %X.
const hasTimePart = (dateFormat: string) =>
  dateFormat.includes('%')
    ? /%-?[HIklTRrXcMSp]/.test(dateFormat)
    : /[hHkK]|ss/.test(dateFormat.replaceAll(/'[^']*'|\[[^\]]*\]/g, ''));
