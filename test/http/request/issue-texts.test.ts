// No message about a request is the raw text of a library. Each comes from one table or from a rule of ours.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allRoutes, nameOf } from '../../../scripts/routes-doc.js';
import { RequestErrors } from '../../../src/http/problems/request-errors.js';
import { checkBody, checkParameters } from '../../../src/http/request/checking.js';
import { messageOf } from '../../../src/http/request/issue-texts.js';
import { RequestHeaders } from '../../../src/http/route/requests.js';

/** Maps every kind of issue that zod has to schemas, each with a value that it refuses and our message. */
const ISSUES: { readonly [C in z.core.$ZodIssue['code']]: readonly (readonly [z.ZodType, unknown, string])[] } = {
  invalid_type: [
    [z.string(), 1, 'must be text'],
    [z.number(), '1', 'must be a number'],
    [z.int(), 1.5, 'must be an integer'],
    [z.boolean(), 0, 'must be true or false'],
    [z.array(z.string()), {}, 'must be a list'],
    [z.object({}), [], 'must be an object'],
    [z.string().nullable(), 1, 'must be text'],
  ],
  invalid_value: [
    [z.literal(true), false, 'must be true'],
    [z.enum(['A', 'B']), 'C', 'must be one of "A", "B"'],
  ],
  invalid_format: [
    [z.guid(), 'x', 'must be a UUID'],
    [z.email(), 'x', 'must be an e-mail address'],
    [z.iso.date(), 'x', 'must be a date, for example 2026-01-31'],
    [z.iso.datetime(), '2026-01-31', 'must be a timestamp with its offset from UTC, for example 2026-01-31T08:00:00Z'],
    [z.string().regex(/a/, 'must be our own words'), 'x', 'must be our own words'],
    [z.string().regex(/a/), 'x', 'must be in the format that the documentation shows'],
  ],
  too_small: [
    [z.string().min(1), '', 'must have at least 1 character'],
    [z.array(z.string()).min(2), [], 'must have at least 2 items'],
    [z.number().min(0), -1, 'must be at least 0'],
    [z.number().gt(0), 0, 'must be more than 0'],
  ],
  too_big: [
    [z.string().max(2), 'abc', 'must have at most 2 characters'],
    [z.array(z.string()).max(0), ['a'], 'must have at most 0 items'],
    [z.number().max(9), 10, 'must be at most 9'],
    [z.number().lt(9), 9, 'must be less than 9'],
  ],
  not_multiple_of: [[z.number().multipleOf(5), 6, 'must be a multiple of 5']],
  unrecognized_keys: [[z.strictObject({}), { a: 1 }, 'must not have the members "a"']],
  invalid_union: [[z.union([z.string(), z.number()]), true, 'must be one of the forms that the documentation shows']],
  invalid_key: [[z.record(z.string().min(2), z.number()), { a: 1 }, 'must not have a member with this name']],
  invalid_element: [[z.map(z.object({}), z.number()), new Map([[{}, 'a']]), 'must not have this item']],
  custom: [[z.string().refine(() => false), 'a', 'must be as the documentation says']],
};

describe('a message', () => {
  it.each(Object.entries(ISSUES))('says in our words what is wrong: %s', (code, all) => {
    for (const [schema, value, message] of all) {
      const { error } = schema.safeParse(value, { error: messageOf });
      expect(error?.issues).toMatchObject([{ code, message }]);
    }
  });
});

const LONG = 'x'.repeat(200_001);
const WRONG = [null, true, -1, 1.5, 1e300, '', 'x', LONG, [], ['x', 'x'], {}, { x: 1 }, [null], [{}]];
const LIBRARY = /^(Invalid|Too |Unrecognized|Expected|Required)|expected|received/;

/** Returns the messages about wrong values in place of the valid value and of each of its members. */
const messagesOf = (check: (value: unknown, refused: RequestErrors) => void, valid: unknown): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const value of variantsOf(valid)) {
    const refused = new RequestErrors();
    check(structuredClone(value), refused);
    for (const { message } of refused.errors) found.add(message);
  }
  return found;
};

const variantsOf = (value: unknown): readonly unknown[] => {
  if (typeof value !== 'object' || value === null) return WRONG;
  if (Array.isArray(value)) return [...WRONG, ...variantsOf(value[0]).map((item) => [item]), [value[0], value[0]]];
  const members = Object.entries(value).flatMap(([key, member]) =>
    variantsOf(member).map((variant) => ({ ...value, [key]: variant })),
  );
  return [...WRONG, ...members];
};

/** Returns an object with a value for every member of the schema. */
const everyMember = (schema: z.ZodType): object =>
  'shape' in schema ? Object.fromEntries(Object.keys(schema.shape as object).map((key) => [key, 'x'])) : {};

describe('every message of a route', () => {
  const bodies = allRoutes.flatMap((route) => (route.body === undefined ? [] : [[nameOf(route), route] as const]));
  it.each(bodies)('about the body of %s is our own text', (_, { body = z.unknown(), example }) => {
    const messages = messagesOf((value, refused) => checkBody(body, { value }, refused), example);
    for (const message of messages) expect(message).not.toMatch(LIBRARY);
  });

  const queries = allRoutes.flatMap((route) => (route.query === undefined ? [] : [[nameOf(route), route] as const]));
  it.each(queries)('about the query of %s is our own text', (_, { query = z.unknown() }) => {
    const messages = messagesOf(
      (value, refused) => checkParameters(query, { ...(value as object) }, refused),
      everyMember(query),
    );
    expect([...messages]).not.toEqual([]);
    for (const message of messages) expect(message).not.toMatch(LIBRARY);
  });

  it('about headers is our own text', () => {
    const check = (value: unknown, refused: RequestErrors) =>
      checkParameters(RequestHeaders, { ...(value as object) }, refused);
    for (const message of messagesOf(check, everyMember(RequestHeaders))) expect(message).not.toMatch(LIBRARY);
  });
});

describe('a parameter', () => {
  const faultsOf = (name: string, values: object) => {
    const { query = z.unknown() } = allRoutes.find((route) => route.name === name) ?? {};
    const refused = new RequestErrors();
    checkParameters(query, values, refused);
    return refused.errors;
  };

  it('that is out of bounds gets a message with the bound', () => {
    const tooBig = { parameter: 'version', code: 'too-big', message: 'must be at most 999999999' };
    expect(faultsOf('getQuestionnaire', { version: '2147483648' })).toEqual([tooBig]);
    const tooSmall = { parameter: 'limit', code: 'too-small', message: 'must be at least 1' };
    expect(faultsOf('listProtocols', { limit: '0' })).toEqual([tooSmall]);
    const none = { parameter: 'limit', code: 'invalid-format', message: 'must be a whole number from 1 to 200' };
    expect(faultsOf('listProtocols', { limit: '1.5' })).toEqual([none]);
  });

  it('that is sent twice gets a message that says so', () => {
    const twice = { parameter: 'limit', code: 'invalid-type', message: 'must be sent once' };
    expect(faultsOf('listProtocols', { limit: ['2', '3'] })).toEqual([twice]);
  });
});

describe('an item without a position', () => {
  it('gets a message that says that its position is its place in the list', () => {
    const { body = z.unknown() } = allRoutes.find(({ name }) => name === 'createQuestionnaire') ?? {};
    const refused = new RequestErrors();
    const question = { questionText: 'A', responseType: 'TEXT' };
    const value = {
      institutionId: crypto.randomUUID(),
      name: 'A',
      scoreRanges: [],
      questions: [{ ...question, position: 2 }, question],
    };
    checkBody(body, { value }, refused);
    expect(refused.errors).toEqual([
      {
        pointer: '/questions/1/position',
        code: 'duplicate',
        message: 'must not be the position of a previous item: its place in the list is 2',
      },
    ]);
  });
});
