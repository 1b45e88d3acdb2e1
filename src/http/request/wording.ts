// The codes and messages of the issues that Zod finds. A message completes a sentence that begins with the field. A
// schema may have a message of its own, which says more.
import type { z } from 'zod';
import { FieldErrorCode } from '../../domain/errors.js';

type Issue = z.core.$ZodRawIssue;
type Kind = z.core.$ZodIssue['code'];
type Fault<I> = readonly [code: FieldErrorCode, messageOf: (issue: I) => string];

const FAULTS: { readonly [K in Kind]: Fault<Extract<z.core.$ZodIssue, { code: K }>> } = {
  invalid_type: ['invalid-type', ({ expected }) => `must be ${TYPES[expected] ?? 'of another type'}`],
  invalid_value: ['invalid-value', ({ values }) => `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`],
  invalid_format: ['invalid-format', ({ format }) => `must ${FORMATS[format] ?? 'have another format'}`],
  too_big: ['too-big', ({ origin, maximum }) => `must ${sizeOf(origin, `at most ${maximum}`)}`],
  too_small: ['too-small', ({ origin, minimum }) => `must ${sizeOf(origin, `at least ${minimum}`)}`],
  not_multiple_of: ['invalid-value', ({ divisor }) => `must be a multiple of ${divisor}`],
  unrecognized_keys: ['key-not-allowed', ({ keys }) => `must not have ${keys.join(', ')}`],
  invalid_union: ['invalid-type', () => 'must have one of the documented forms'],
  invalid_key: ['key-not-allowed', () => 'must not have a member with this name'],
  invalid_element: ['invalid-value', () => 'must have other items'],
  custom: ['invalid-value', () => 'must have another value'],
};

const TYPES: Readonly<Record<string, string>> = {
  ...{ string: 'a text', number: 'a number', int: 'a whole number', boolean: 'true or false' },
  ...{ array: 'a list', object: 'an object', record: 'an object' },
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'be an e-mail address, for example ana@example.org',
  guid: 'be a UUID',
  uuid: 'be a UUID',
  date: 'be a date, for example 2026-01-31',
  datetime: 'be an instant, for example 2026-11-22T15:00:00Z',
};

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

const sizeOf = (origin: string, bound: string): string => {
  const unit = UNITS[origin];
  return unit === undefined ? `be ${bound}` : `have ${bound} ${unit}${/ 1$/.test(bound) ? '' : 's'}`;
};

// TypeScript does not relate the entry of a kind to the issues of this kind.
const faultOf = ({ code }: Pick<Issue, 'code'>) => FAULTS[code as Kind] as Fault<unknown>;

/** Returns the message of an issue whose schema has none. */
export const issueMessageOf = (issue: Issue): string => faultOf(issue)[1](issue);

/** Returns the code of an issue. A custom issue has it in its `params`. */
export const issueCodeOf = (issue: z.core.$ZodIssue): FieldErrorCode => {
  const given = FieldErrorCode.safeParse(issue.code === 'custom' && issue.params?.['code']);
  return given.data ?? faultOf(issue)[0];
};
