// The messages of every kind of issue that Zod reports. A message completes a sentence that starts with the name of the
// field. The messages of our own rules are defined with the rules.
import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;
type Code = z.core.$ZodIssue['code'];
type IssueOf<C extends Code> = z.core.$ZodRawIssue<Extract<z.core.$ZodIssue, { readonly code: C }>>;

/** Returns the message of an issue for `schema.safeParse(value, { error: messageOf })`. */
export const messageOf = (issue: Issue): string => MESSAGES[issue.code](issue as never);

const MESSAGES: { readonly [C in Code]: (issue: IssueOf<C>) => string } = {
  invalid_type: ({ expected }) => `must be ${TYPES[expected] ?? expected}`,
  invalid_value: ({ values }) => `must be ${values.length > 1 ? 'one of ' : ''}${values.map(shown).join(', ')}`,
  invalid_format: ({ format }) => `must be ${FORMATS[format] ?? 'in the format that the documentation shows'}`,
  too_small: ({ origin, minimum, inclusive = true }) =>
    sized(origin, inclusive ? { bound: 'at least', limit: minimum } : { bound: 'more than', limit: minimum }),
  too_big: ({ origin, maximum, inclusive = true }) =>
    sized(origin, inclusive ? { bound: 'at most', limit: maximum } : { bound: 'less than', limit: maximum }),
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  unrecognized_keys: ({ keys }) => `must not have the members ${keys.map(shown).join(', ')}`,
  invalid_union: () => 'must be one of the forms that the documentation shows',
  invalid_key: () => 'must not have a member with this name',
  invalid_element: () => 'must not have this item',
  custom: () => 'must be as the documentation says',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  guid: 'a UUID',
  email: 'an e-mail address',
  date: 'a date, for example 2026-01-31',
  datetime: 'a timestamp with its offset from UTC, for example 2026-01-31T08:00:00Z',
};

/** The units in which sizes are counted. Numbers have none, because their values are compared. */
const UNITS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
};

const sized = (
  origin: string,
  { bound, limit }: { readonly bound: string; readonly limit: number | bigint },
): string => {
  const units = UNITS[origin];
  if (units === undefined) return `must be ${bound} ${limit}`;
  return `must have ${bound} ${limit} ${units[Number(limit) === 1 ? 0 : 1]}`;
};

const shown = (value: unknown): string => (typeof value === 'string' ? `"${value}"` : String(value));
