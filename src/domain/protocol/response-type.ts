// The response type of a question: what each type takes, and the type of a question whose request names none.
import { z } from 'zod';
import type { FieldError } from '../errors.js';
import { type Item, itemsOf, type Refuse, rule } from '../rules.js';
import { type BoundKind, boundKindOf } from './metadata.js';

export const RESPONSE_TYPES = ['TEXT', 'NUMBER', 'DATE', 'DATETIME', 'BOOLEAN', 'SELECT', 'MULTIPLE_SELECT'] as const;
export const ResponseType = z.enum(RESPONSE_TYPES);
export type ResponseType = z.infer<typeof ResponseType>;

export const ALLOWS_OPTIONS: Readonly<Record<ResponseType, boolean>> = {
  TEXT: false,
  NUMBER: false,
  DATE: false,
  DATETIME: false,
  BOOLEAN: true,
  SELECT: true,
  MULTIPLE_SELECT: true,
};

const BOUNDS: Readonly<Record<ResponseType, BoundKind>> = {
  TEXT: 'number',
  NUMBER: 'number',
  DATE: 'date',
  DATETIME: 'instant',
  BOOLEAN: 'number',
  SELECT: 'number',
  MULTIPLE_SELECT: 'number',
};

const WANTED: Readonly<Record<BoundKind, string>> = {
  number: 'must be a number',
  date: 'must be an ISO date, such as 2020-02-29',
  instant: 'must be an ISO date and time with an offset, such as 2020-02-29T12:00:00Z',
};

interface Sent {
  readonly options?: readonly unknown[];
  readonly metadata: { readonly dateFormat?: unknown; readonly minValue?: unknown; readonly maxValue?: unknown };
}

interface Typed {
  readonly responseType: ResponseType;
  /** Whether the service inferred the type because the client did not name one. */
  readonly responseTypeInferred: boolean;
}

/** Returns the faults of the options and bounds of a question of this type. */
export const faultsOf = (type: ResponseType, { options = [], metadata }: Sent): readonly FieldError[] => {
  const faults: FieldError[] = [];
  if (options.length > 0 && !ALLOWS_OPTIONS[type]) {
    const message = `must be empty: the question is a ${type}, which takes no options`;
    faults.push({ path: ['options'], code: 'options-not-taken', message });
  }
  for (const name of ['minValue', 'maxValue'] as const) {
    const kind = boundKindOf(metadata[name]);
    // The schema of metadata refuses what is no bound.
    if (kind === undefined || kind === BOUNDS[type]) continue;
    faults.push({ path: ['metadata', name], code: 'invalid-type', message: WANTED[BOUNDS[type]] });
  }
  return faults;
};

// Rules run on any input. What has another shape, its schema rejects.
const refuseUnfit = ({ responseType, options, metadata }: Item, at: FieldError['path'], refuse: Refuse): void => {
  const type = RESPONSE_TYPES.find((name) => name === responseType);
  if (type === undefined) return;
  const sent = { options: Array.isArray(options) ? options : [], metadata: (metadata ?? {}) as Item };
  for (const { path, code, message } of faultsOf(type, sent)) refuse([...at, ...path], code, message);
};

/** Rejects a question with options or bounds that its response type does not take, if the request names the type. */
export const fitsType = rule((value, refuse) => {
  for (const [question] of itemsOf([value])) refuseUnfit(question, [], refuse);
});

/** Rejects the same in a list of questions. */
export const eachFitsType = rule((list, refuse) => {
  for (const [question, index] of itemsOf(list)) refuseUnfit(question, [index], refuse);
});

/**
 * Returns the type of a question. If the request names none, the question keeps the type of `previous`, unless it would
 * be refused with that type.
 */
export const typeOf = (sent: Sent & { readonly responseType?: ResponseType | undefined }, previous?: Typed): Typed => {
  if (sent.responseType !== undefined) return { responseType: sent.responseType, responseTypeInferred: false };
  if (previous !== undefined && faultsOf(previous.responseType, sent).length === 0) {
    const { responseType, responseTypeInferred } = previous;
    return { responseType, responseTypeInferred };
  }
  return { responseType: inferResponseType(sent), responseTypeInferred: true };
};

/** Returns SELECT for options, DATE or DATETIME for a date format, NUMBER for bounds, and TEXT otherwise. */
export const inferResponseType = ({ options = [], metadata }: Sent): ResponseType => {
  if (options.length > 0) return 'SELECT';
  if (typeof metadata.dateFormat === 'string') return hasTimePart(metadata.dateFormat) ? 'DATETIME' : 'DATE';
  return (metadata.minValue ?? metadata.maxValue) == null ? 'TEXT' : 'NUMBER';
};

// Unicode date patterns (UTS 35) and JavaScript date libraries write hours as h, H, k or K, and quote literal text with
// apostrophes or brackets. strftime writes %H, %I, %T, %R, %r or %X.
const hasTimePart = (dateFormat: string) =>
  dateFormat.includes('%')
    ? /%-?[HIklTRrXcMSp]/.test(dateFormat)
    : /[hHkK]|ss/.test(dateFormat.replaceAll(/'[^']*'|\[[^\]]*\]/g, ''));
